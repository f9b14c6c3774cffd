package printer

import (
	"testing"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/tools"
)

// What a call gave is told in one line, with how much there is beyond it.
func TestEndedText(t *testing.T) {
	for text, want := range map[string]string{"one": "✓ x: one", "one\ntwo\n": "✓ x: one … (1 more line)", "one\ntwo\nthree": "✓ x: one … (2 more lines)"} {
		if _, mark, line := endedText(event.CallEnded{Name: "x", Result: tools.Text(text)}); mark+line != want {
			t.Errorf("%q: %q", text, mark+line)
		}
	}
}
