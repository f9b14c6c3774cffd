package agent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/session"
)

// The context size is what suits the memory, tried once and remembered: another process loads the model with it at
// once.
func TestTheContextSuitsTheMemory(t *testing.T) {
	const kv = 1 << 16 // bytes for a token
	base := model.Info{Name: "scripted", Capabilities: []string{"completion", "tools"}, Bytes: 1 << 30, ContextLimit: 32768, TokenBytes: kv}
	for _, test := range []struct {
		name   string
		memory int64
		vram   int64 // of a GPU; 0: there is none
		limit  int
		ask    string
		loads  []string
		size   int
	}{
		{"enough memory", 8 << 30, 0, 32768, ask, []string{"scripted 8192"}, 8192},
		{"not known", 0, 0, 32768, ask, []string{"scripted 8192"}, 8192},
		{"little memory", 1<<30 + 5000*kv, 0, 32768, ask, []string{"scripted 4096"}, 4096},
		{"a GPU that holds all", 0, 8 << 30, 32768, ask, []string{"scripted 8192"}, 8192},
		{"a GPU that holds half of it", 0, 1<<30 + 5000*kv, 32768, ask, []string{"scripted 8192", "scripted 4096"}, 4096},
		{"a GPU that is too small anyway", 0, 1 << 28, 32768, ask, []string{"scripted 8192"}, 8192},
		{"a long question", 0, 0, 32768, "## You\n\n" + strings.Repeat("many plain words\n", 3000), []string{"scripted 32768"}, 32768},
		{"a small model", 0, 0, 2048, "## You\n\nHi.\n", []string{"scripted 2048"}, 2048},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t, agenttest.Say("Hi."), agenttest.Say("Hi."), agenttest.Say("Hi."))
			info := base
			info.ContextLimit = test.limit
			l.backend.Installed, l.backend.Bytes, l.backend.VRAM = []model.Info{info}, test.memory, test.vram
			l.agent.Remember(session.Models(l.env.State))
			for range 2 {
				if end := l.end(l.agent.Start(t.Context(), l.job(test.ask))); end.Outcome != event.Completed {
					t.Fatalf("%+v", end)
				}
				l.events = &agenttest.Recorder[event.Event]{}
			}
			profiles, err := model.LoadProfiles()
			if err != nil {
				t.Fatal(err)
			}
			again := agent.New(l.backend, profiles)
			again.Remember(session.Models(l.env.State))
			l.end(again.Start(t.Context(), l.job(test.ask)))
			for _, r := range l.backend.Requests() {
				if r.ContextSize != test.size {
					t.Errorf("a request asks for %d tokens", r.ContextSize)
				}
			}
			if kept := session.Models(l.env.State).Recall(l.backend.Name(), "scripted").Context; test.size <= 8192 && kept != test.size || test.size > 8192 && kept != 0 {
				t.Errorf("%d tokens are remembered", kept)
			}
			if got := l.backend.Loads(); !slices.Equal(got, test.loads) {
				t.Errorf("it was loaded as %q, want %q", got, test.loads)
			}
		})
	}
}

// What the user set is neither tried nor changed.
func TestASizeThatTheUserSetIsNotTried(t *testing.T) {
	l := newLab(t, agenttest.Say("Hi."))
	l.agent.Remember(session.Models(l.env.State))
	job := l.job(ask)
	job.Options.ContextSize = 5000
	l.end(l.agent.Start(t.Context(), job))
	if got := l.backend.Loads(); len(got) > 0 || l.backend.Requests()[0].ContextSize != 5000 {
		t.Errorf("it was loaded as %q, and asked with %d tokens", got, l.backend.Requests()[0].ContextSize)
	}
}

func TestUsageIsSaid(t *testing.T) {
	for want, u := range map[string]event.Usage{
		"12.4k of 32k tokens, about 97 % of the prompt reused, 38 tokens/s": {Prompt: 12000, Output: 400, Context: 32768, Reused: 0.972, Rate: 38.2},
		"980 of 8k tokens": {Prompt: 900, Output: 80, Context: 8192, Reused: -1},
		"1k of 8k tokens, about 0 % of the prompt reused, 0.25 tokens/s": {Prompt: 1000, Context: 8192, Rate: 0.25},
		"": {Output: 7, Context: 8192},

		"1k of 8k tokens, 97 % of the prompt reused": {Prompt: 1000, Context: 8192, Reused: 0.972, Exact: true},
		"1k of 8k tokens, reuse not told":            {Prompt: 1000, Context: 8192, Reused: -1, Untold: true},
		"1k of 8k tokens, 0 % of the prompt reused, 900 tokens read again because the system prompt changed": {
			Prompt: 1000, Context: 8192, Exact: true, Lost: 900, Why: "the system prompt changed",
		},
	} {
		if got := u.String(); got != want {
			t.Errorf("%+v: %q, want %q", u, got, want)
		}
	}
}
