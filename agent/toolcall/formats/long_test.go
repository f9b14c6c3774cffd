//go:build !race

// These take many megabytes by byte, in one goroutine: `make test` has them in its run without the race detector.

package formats

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/toolcall/grammar"
)

// TestLongDataIsShown has JSON that is no call but longer than a call may be: it is an answer.
func TestLongDataIsShown(t *testing.T) {
	t.Parallel()
	f := Described()
	text := `{"name": "` + strings.Repeat("data ", grammar.MaxCall/5) + `"}`
	for _, step := range []int{len(text), 1 << 16} {
		if got := feed(f, text, step); got.Text != text || got.Order != "T" {
			t.Errorf("in pieces of %d: order %s, %d bytes of %d", step, got.Order, len(got.Text), len(text))
		}
	}
}

// TestThoughtWithoutEnd has a thought that goes on for ever after a marker of a call: it is shown as a thought.
func TestThoughtWithoutEnd(t *testing.T) {
	t.Parallel()
	f, err := ByName("hermes")
	if err != nil {
		t.Fatal(err)
	}
	text := "<think>So <tool_call>" + strings.Repeat("round ", grammar.MaxCall/5)
	got := feed(f, text, 1<<16)
	if got.Order != "RU" || len(got.Thinking) < grammar.MaxCall {
		t.Errorf("order %s, %d bytes", got.Order, len(got.Thinking))
	}
}
