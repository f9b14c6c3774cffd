package agent_test

import (
	"slices"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// What a server tells before the first token is shown.
func TestTheServersOwnProgressIsShown(t *testing.T) {
	l := newLab(t, agenttest.Reply{Chunks: []model.Chunk{
		{Loading: true}, {Reading: &model.Reading{Done: 500, Total: 2000}}, {Reading: &model.Reading{Done: 1, Total: 0}}, {Text: "Yes."},
	}})
	if end := l.end(l.agent.Start(t.Context(), l.job(ask))); end.Outcome != event.Completed {
		t.Fatalf("%+v", end)
	}
	var seen []event.Progress
	for _, p := range agenttest.Of[event.Progress](l.events) {
		seen = append(seen, event.Progress{Stage: p.Stage, Note: p.Note})
	}
	at := slices.Index(seen, event.Progress{Stage: event.Reading, Note: "25 % of 2000 tokens"})
	if at < 1 || seen[at-1] != (event.Progress{Stage: event.Loading}) || at+1 >= len(seen) || seen[at+1] != (event.Progress{Stage: event.Writing}) {
		t.Errorf("shown was %+v", seen)
	}
}
