package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
)

// reportingTool is a tool that only reports.
type reportingTool func(ctx context.Context, report tools.Reporter)

func (reportingTool) Spec() tools.Spec {
	return tools.Spec{Name: "slow", Description: "It is slow.", Parameters: json.RawMessage(`{"type":"object"}`), Effect: effect.Reads}
}

func (r reportingTool) Plan(context.Context, tools.Call) (tools.Plan, error) {
	return tools.Plan{Run: func(ctx context.Context, report tools.Reporter) tools.Result {
		r(ctx, report)
		return tools.Text("ended")
	}}, nil
}

// TestACallShowsItsOutputWhileItRuns: what a call reports is seen before it ends, and nothing after that.
func TestACallShowsItsOutputWhileItRuns(t *testing.T) {
	l := newLab(t, agenttest.CallTool("slow", "{}"), agenttest.Say("Done."))
	var late tools.Reporter
	seen := make(chan struct{})
	job := l.job(ask)
	job.Tools = l.only(reportingTool(func(_ context.Context, report tools.Reporter) {
		late = report
		report.Output("one\nt\x1b[31mwo\n")
		report.Progress(1, 2, "half")
		<-seen
		report.Output("three\n")
	}))
	run := l.agent.Start(t.Context(), job)
	if _, err := agenttest.WaitFor(t.Context(), l.events, func(e event.CallOutput) bool {
		return e.ID == "c1" && e.Total == 2 && e.Note == "half"
	}); err != nil {
		t.Fatal(err)
	}
	close(seen)
	l.end(run)
	late.Output("too late\n")
	var text strings.Builder
	ended := false
	for _, e := range l.events.Events() {
		switch e := e.(type) {
		case event.CallOutput:
			text.WriteString(e.Text)
			if ended {
				t.Errorf("after its end the call shows %q", e.Text)
			}
		case event.CallEnded:
			ended = true
		}
	}
	if want := "one\nt<U+001B>[31mwo\nthree\n"; text.String() != want {
		t.Errorf("the call shows %q, not %q", text.String(), want)
	}
}

// TestOutputIsBounded: a call that reports faster than anybody reads waits for nothing, and is told in a few events
// what is left out of them.
func TestOutputIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const each, times = 997, 20_000
		l := newLab(t, agenttest.CallTool("slow", "{}"), agenttest.Say("Done."))
		job := l.job(ask)
		var took time.Duration
		job.Tools = l.only(reportingTool(func(_ context.Context, report tools.Reporter) {
			began := time.Now()
			for i := range times {
				report.Output(strings.Repeat("ä", each/2) + "\n")
				if i%20 == 0 {
					time.Sleep(time.Millisecond)
				}
			}
			took = time.Since(began)
		}))
		run := l.agent.Start(t.Context(), job)
		l.end(run)
		if took != times/20*time.Millisecond {
			t.Errorf("the call was held up: it took %v", took)
		}
		events := agenttest.Of[event.CallOutput](l.events)
		total := 0
		for _, e := range events {
			total += len(e.Text) + e.Omitted
			if len(e.Text) > 4<<10 || !strings.HasSuffix(e.Text, "ä\n") || strings.Contains(e.Text, "\uFFFD") {
				t.Errorf("an event shows %d bytes that end with %q", len(e.Text), e.Text[max(0, len(e.Text)-10):])
			}
		}
		if total != each*times || len(events) > 12 || len(events) < 9 {
			t.Errorf("%d events are about %d bytes, not %d", len(events), total, each*times)
		}
	})
}

// TestStopEndsOutput: a call that goes on reporting after Stop shows nothing of it.
func TestStopEndsOutput(t *testing.T) {
	l := newLab(t, agenttest.CallTool("slow", "{}"))
	job := l.job(ask)
	job.Tools = l.only(reportingTool(func(ctx context.Context, report tools.Reporter) {
		report.Output("before\n")
		<-ctx.Done()
		report.Output("after\n")
	}))
	run := l.agent.Start(t.Context(), job)
	if _, err := agenttest.WaitFor(t.Context(), l.events, func(e event.CallOutput) bool { return e.Text == "before\n" }); err != nil {
		t.Fatal(err)
	}
	run.Stop()
	l.end(run)
	for _, e := range agenttest.Of[event.CallOutput](l.events) {
		if strings.Contains(e.Text, "after") {
			t.Errorf("after Stop the call shows %q", e.Text)
		}
	}
}
