package attach_test

import (
	"testing"
	"time"

	"github.com/assent-ls/assent/agent/attach"
)

func TestToday(t *testing.T) {
	source := []attach.Source{attach.Today(func() time.Time { return time.Date(2031, 5, 7, 23, 0, 0, 0, time.UTC) })}
	for message, want := range map[string]bool{
		"Which year is it?":         true,
		"Is TODAY a holiday?":       true,
		"How many days, until May?": true,
		"Update the file":           false,
		"What does daylight.go do?": false,
		"":                          false,
	} {
		blocks := attach.Turn(t.Context(), source, attach.Message{Text: message})
		if (len(blocks) == 1) != want {
			t.Fatalf("%q brings %+v", message, blocks)
		}
		if want && (blocks[0].Name != "today" || blocks[0].Text() != "Today is Wednesday, 7 May 2031.") {
			t.Errorf("%+v", blocks[0])
		}
	}
}
