package agent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model"
)

// TestEndlessReplies checks that a reply that repeats itself without end is stopped, wherever it does, and that a long one
// that does not is none.
func TestEndlessReplies(t *testing.T) {
	over := strings.Repeat("I will look at it again. ", 4000)
	var rows strings.Builder
	for i := range 3000 {
		rows.WriteString("| " + strings.Repeat("x", i%7) + " | 0 | 0 | 0 |\n" + strings.Repeat("-", i%5))
	}
	tests := []struct {
		name, reply, format string
		endless             bool
	}{
		{"prose", "Well. " + over, "text", true},
		{"long pieces", strings.Repeat(strings.Repeat("ab", 55)+"\n", 300), "text", true},
		{"a guided answer", `{"do":"talk","answer":"` + over, "guided", true},
		{"an argument", `{"do":"change","tool":"write_file","arguments":{"path":"a.txt","content":"` + over, "guided", true},
		{"a table", rows.String(), "text", false},
		{"a short refrain", strings.Repeat("Again. ", 400) + "That was it.", "text", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var said agenttest.Reply
			for piece := range slices.Chunk([]byte(tt.reply), 4) {
				said.Chunks = append(said.Chunks, model.Chunk{Text: string(piece)})
			}
			l := newLab(t, said, agenttest.Say("Not asked."))
			job := l.job(ask)
			job.Options.Format = tt.format
			run := l.agent.Start(t.Context(), job)
			end := l.end(run)
			if got := end.Outcome == agent.Exhausted && strings.Contains(end.Sentence, "over and over"); got != tt.endless {
				t.Errorf("the run ended %+v", end)
			}
			shown := 0
			for _, e := range agenttest.Of[agent.TextDelta](l.events) {
				shown += len(e.Text)
			}
			if tt.endless && shown > 6000 || !tt.endless && shown < len(strings.TrimSpace(tt.reply)) {
				t.Errorf("%d of %d bytes were shown", shown, len(tt.reply))
			}
			if n := len(l.backend.Requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}
