package agent_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
)

// Endless is work that only the end of its context ends.
type Endless struct{ begun chan struct{} }

func (e Endless) work(ctx context.Context) {
	close(e.begun)
	<-ctx.Done()
}

// slowTool plans or runs without end.
type slowTool struct {
	Endless
	plans bool
}

func (s slowTool) Spec() tools.Spec {
	return tools.Spec{Name: "slow", Description: "It is slow.", Parameters: json.RawMessage(`{"type":"object"}`), Effect: effect.Reads}
}

func (s slowTool) Plan(ctx context.Context, _ tools.Call) (tools.Plan, error) {
	if s.plans {
		s.work(ctx)
		return tools.Plan{}, ctx.Err()
	}
	return tools.Plan{Run: func(ctx context.Context, _ tools.Reporter) tools.Result {
		s.work(ctx)
		return tools.Text("ended")
	}}, nil
}

// slowSource looks for mentions without end.
type slowSource struct{ Endless }

func (slowSource) Name() string { return "slow" }

func (s slowSource) Mentions(ctx context.Context, _ attach.Message) []string {
	s.work(ctx)
	return nil
}

func (slowSource) Resolve(context.Context, string, int) (attach.Block, bool) {
	return attach.Block{}, false
}

// TestStopEndsWhateverARunDoes: each part of a run works on without end, until Stop.
// Promise 4.
func TestStopEndsWhateverARunDoes(t *testing.T) {
	for name, change := range map[string]func(job *agent.Job, e Endless, l *lab){
		"prompt": func(job *agent.Job, e Endless, _ *lab) {
			job.Prompt = func(ctx context.Context, _, _ string) string { e.work(ctx); return "" }
		},
		"attach": func(job *agent.Job, e Endless, _ *lab) {
			job.Sources = []attach.Source{slowSource{e}}
		},
		"plan": func(job *agent.Job, e Endless, l *lab) { job.Tools = l.only(slowTool{Endless: e, plans: true}) },
		"tool": func(job *agent.Job, e Endless, l *lab) { job.Tools = l.only(slowTool{Endless: e}) },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, agenttest.CallTool("slow", "{}"))
			e := Endless{begun: make(chan struct{})}
			job := l.job(ask)
			change(&job, e, l)
			run := l.agent.Start(t.Context(), job)
			<-e.begun
			run.Stop()
			if end := l.end(run); end.Outcome != event.Stopped {
				t.Errorf("the run ended %+v", end)
			}
		})
	}
}

// only is a dispatcher with one tool.
func (l *lab) only(tool tools.Tool) *tools.Dispatcher {
	l.t.Helper()
	return tools.NewDispatcher(tools.NewSources([]tools.Tool{tool}).Known(), l.env.Policy, l.env.Workspace)
}
