package agent

import (
	"testing"
	"time"

	"github.com/assent-ls/assent/agent/model"
)

// TestPace: what is left is told from what was read since the server first spoke, not from what its cache held.
func TestPace(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var p pace
	for _, step := range []struct {
		second, done int
		left         time.Duration
	}{
		{0, 500, 0}, {1, 500, 0}, {2, 600, 8 * time.Second}, {4, 800, 8 * time.Second / 3}, {5, 1000, 0}, {6, 1100, 0},
	} {
		got := p.left(model.Reading{Done: step.done, Total: 1000}, at.Add(time.Duration(step.second)*time.Second))
		if got.Round(10*time.Millisecond) != step.left.Round(10*time.Millisecond) {
			t.Errorf("second %d: %v left, want %v", step.second, got, step.left)
		}
	}
}
