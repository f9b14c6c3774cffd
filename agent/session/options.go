package session

import (
	"cmp"
	"slices"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/session/meaning"
	"github.com/assent-ls/assent/agent/toolcall/formats"
	"github.com/assent-ls/assent/agent/trace"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/web"
)

// RunOptions are the settings as runs take them; store says which of them are the user's own.
func RunOptions(now settings.Settings, store *settings.Store) engine.Options {
	flag, own := store.Models()
	o := engine.Options{
		ModelFlag: flag, UserModels: []string{flag, own},
		Model: now.Model, ContextSize: now.ContextSize, KeepAlive: time.Duration(now.KeepAlive),
		Mode:     func() policy.Mode { return policy.Mode(store.Get().Mode) },
		MaxSteps: now.MaxSteps, Temperature: now.Temperature, Sampling: model.Sampling{
			TopP: now.TopP, TopK: now.TopK, MinP: now.MinP, RepeatPenalty: now.RepeatPenalty, Seed: now.Seed,
			LongestReply: now.LongestReply,
		},
	}
	o.Titles = now.Titles == "model"
	if now.Think != "auto" {
		o.Sampling.Think = model.Think(now.Think)
	}
	o.ToolPrompt = now.ToolPrompt
	choice := FormatChoice(now)
	o.Format, o.Primary, o.Enabled = choice.Only, choice.Primary, choice.Enabled
	o.ToolSearch, o.Programs = now.ToolSearch, now.Python && now.PythonCalls
	return o
}

// FormatProblem says why the settings about formats and programs contradict each other; empty: they do not.
func FormatProblem(now settings.Settings) string {
	if now.Python && !now.PythonCalls && formats.IsPython(cmp.Or(now.CallFormat, now.Primary)) {
		return "in the format python tools are called by programs, and pythonToolCalling does not let them: " +
			"switch it on, or choose another format"
	}
	return ""
}

// FormatChoice is what the settings say about the formats of calls. Where they contradict each other the profile of the
// model decides.
func FormatChoice(now settings.Settings) formats.Choice {
	var c formats.Choice
	switch {
	case FormatProblem(now) != "":
	case now.CallFormat != "":
		c.Only = now.CallFormat
	case now.Primary != "":
		c.Primary = now.Primary
	case now.ToolFormat != "auto":
		c.Only = now.ToolFormat
	}
	if now.Enabled != nil {
		c.Enabled = append([]string{}, now.Enabled.All()...)
	}
	return c
}

// ToolChoice is what the settings say about the tools.
func ToolChoice(now settings.Settings) tools.Choice {
	c := tools.Choice{Off: now.ToolsOff.All(), Names: now.ToolNames.All()}
	if now.Tools != nil {
		only := now.Tools.All()
		c.Only = &only
	}
	return c
}

// Meaning ranks what calls search through by what it means, with the model that the user chose for it; nil: they chose
// none. tell tells them why it is not done, each sentence once.
func Meaning(
	now settings.Settings, store *settings.Store, a *agent.Agent, state *userstate.State, tell func(sentence string),
) *meaning.Ranking {
	if now.EmbeddingModel == "" {
		return nil
	}
	return meaning.New(
		meaning.Options{Agent: a, Model: now.EmbeddingModel, Run: RunOptions(now, store), State: state, Tell: tell},
	)
}

// Pages reports whether pages of the web that a message mentions can be fetched.
func Pages(now settings.Settings, n *network.Network) bool {
	return now.WebFetch && !n.Offline() && !slices.Contains(now.ToolsOff.All(), web.Fetch)
}

// Web are the tools of the web, which the settings switch on. Offline there are none.
func Web(now func() settings.Settings, n *network.Network) *web.Source {
	return web.New(web.Options{
		Fetch: func() bool { return now().WebFetch && !n.Offline() },
		Endpoint: func() string {
			if n.Offline() {
				return ""
			}
			return now().SearchEndpoint
		},
		Private: func() []string { return now().PrivateHosts.All() },
		Network: n,
	})
}

// Traces are sent where the settings say. The settings are those of the user alone, and never change.
func Traces(now settings.Settings, version string, n *network.Network) (*trace.Exporter, error) {
	return trace.New(trace.Options{
		Endpoint: now.TraceEndpoint, Content: now.TraceContent, Version: version, Network: n,
	})
}
