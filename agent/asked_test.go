package agent_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// TestWhatTheLastRunAsked is shown in its order, as it was sent, with the reasons.
func TestWhatTheLastRunAsked(t *testing.T) {
	l := newLab(t, agenttest.CallTool("read_file", `{"path":"README.md"}`), inPieces(longLoop), agenttest.Say("Done."), agenttest.Say("Bye."))
	for _, want := range [][]string{
		{"the reply", "the reply", "the reply once more: the one before repeated itself without end"},
		{"the reply"},
	} {
		before := len(l.backend.Requests())
		l.events = &agenttest.Recorder[event.Event]{}
		job := l.job(ask)
		if end := l.end(l.agent.Start(t.Context(), job)); end.Outcome != event.Completed {
			t.Fatalf("%+v", end)
		}
		shown, err := l.agent.Inspect(t.Context(), l.job(ask))
		if err != nil {
			t.Fatal(err)
		}
		var whys []string
		for i, asked := range shown.Sent {
			whys = append(whys, asked.Why)
			if diff := cmp.Diff(l.backend.Requests()[before+i], asked.Request); diff != "" {
				t.Errorf("request %d: %s", i, diff)
			}
		}
		if diff := cmp.Diff(want, whys); diff != "" {
			t.Error(diff)
		}
	}
}

// TestWhatIsShownStays while a title is asked for, also where no more requests are remembered.
func TestWhatIsShownStays(t *testing.T) {
	var replies []agenttest.Reply
	for i := range 65 {
		replies = append(replies, agenttest.CallTool("read_file", fmt.Sprintf(`{"path":"none%d.md"}`, i)))
	}
	l := newLab(t, append(replies, agenttest.Say("Done."), agenttest.Say("A title"))...)
	l.backend.Installed = []model.Info{{Name: "scripted", Capabilities: []string{"completion", "tools"}, ContextLimit: 1 << 20}}
	job := l.job("## You\n\nHi.\n")
	job.Options.Titles, job.Options.MaxSteps = true, 100
	run := l.agent.Start(t.Context(), job)
	if end := l.end(run); end.Outcome != event.Completed {
		t.Fatalf("%+v", end)
	}
	shown, err := l.agent.Inspect(t.Context(), l.job(ask))
	if err != nil {
		t.Fatal(err)
	}
	before := len(shown.Sent[0].Request.Messages)
	if title := run.Title(t.Context()); title != "A title" {
		t.Errorf("the title is %q", title)
	}
	if after := len(shown.Sent[0].Request.Messages); after != before || len(shown.Sent) != 60 {
		t.Errorf("the first of %d requests had %d messages and has %d", len(shown.Sent), before, after)
	}
}
