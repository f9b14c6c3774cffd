package transcript

import (
	"strings"
	"testing"
	"time"
)

// A long line of what may be harmful is written in about the time that it takes to arrive.
func TestLongHostileLines(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"` a ", "<a", "](", "![", "`a` ", "](<a "} {
		start := time.Now()
		w := NewWriter("")
		w.AssistantHeading()
		for _, delta := range chunks(strings.Repeat(unit, 20_000/len(unit)), func() int { return 4 }) {
			w.Text(delta)
		}
		w.End()
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%q: %v", unit, took)
		}
	}
}
