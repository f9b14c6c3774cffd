package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall/formats"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/effect"
)

// todays are the tools that a small model has always been told of.
const todays = "read_file list_directory search_files find_files write_file edit_file run_command get_time calculator"

// weather is a tool of a source, which no core names.
type weather struct{ name string }

func (w weather) Spec() tools.Spec {
	return tools.Spec{
		Name: w.name, Description: "Tell the weather in a town.", Effect: effect.Computes,
		Parameters: json.RawMessage(`{"type":"object","properties":{"town":{"type":"string"}},"required":["town"]}`),
		Examples:   []json.RawMessage{[]byte(`{"town":"Brno"}`)},
	}
}

func (weather) Plan(context.Context, tools.Call) (tools.Plan, error) {
	return tools.Plan{Run: func(context.Context, tools.Reporter) tools.Result { return tools.Text("Rain.") }}, nil
}

type weathers []tools.Tool

func (weathers) Name() string { return "the weather" }

func (w weathers) Tools(context.Context) ([]tools.Tool, <-chan struct{}, error) { return w, nil, nil }

// withMore gives the lab's workspace tools that no core names.
func (l *lab) withMore(names ...string) {
	var more weathers
	for _, name := range names {
		more = append(more, weather{name})
	}
	l.env.Tools = tools.NewSources(builtin.Tools(l.env.Workspace, builtin.Options{}), more)
}

func offers(r model.Request) string {
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

// TestASmallModelIsToldOfTodaysTools: whatever else there is, the prompt of a small model has the nine tools of its
// suite and tool_search, and not a word of others.
func TestASmallModelIsToldOfTodaysTools(t *testing.T) {
	l := newLab(t, agenttest.Say(`{"do":"talk","answer":"Hello."}`))
	l.withMore("get_weather", "other_weather")
	l.backend.Installed = []model.Info{{Name: "qwen2.5-coder:1.5b", Family: "qwen2", Parameters: "1.5B", Capabilities: []string{"completion", "tools"}}}
	job := l.job(ask)
	job.Options.Format = ""
	l.end(l.agent.Start(t.Context(), job))
	r := l.backend.Requests()[0]
	var told []string
	for line := range strings.Lines(r.Messages[0].Text) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "- "), "("); ok && strings.HasPrefix(line, "- ") {
			told = append(told, name)
		}
	}
	if got := strings.Join(told, " "); got != todays+" tool_search" {
		t.Errorf("the prompt tells of %s", got)
	}
	whole, err := json.Marshal(r)
	if err != nil || strings.Contains(string(whole), "weather") {
		t.Errorf("the request knows the others: %s, %v", whole, err)
	}
	size := 0
	for _, s := range job.Tools.Registry().Specs() {
		if slices.Contains(told, s.Name) {
			size += len(s.Name) + len(s.Description) + len(s.Parameters)
		}
	}
	if size > 2_400 { // about 600 tokens
		t.Errorf("the definitions of the core take %d bytes", size)
	}
}

// TestAFoundToolKeepsThePrefix holds invariant 5 for tools that a model finds, in every format: each request begins
// with the messages and the tools of the one before, and a chat that is read again from its document tells of the same
// tools in the same order.
// Invariant 5.
func TestAFoundToolKeepsThePrefix(t *testing.T) {
	t.Parallel()
	for _, format := range formats.Names() {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, agenttest.CallTool("tool_search", `{"query":"weather"}`), agenttest.CallTool("get_weather", `{"town":"Brno"}`), agenttest.Say("It rains."))
			l.withMore("get_weather")
			job := l.job(ask)
			job.Options.Format = format
			l.end(l.agent.Start(t.Context(), job))
			requests := l.backend.Requests()
			if len(requests) != 3 {
				t.Fatalf("there are %d requests: %+v", len(requests), l.events.Events())
			}
			if r := l.results()["c2"]; r.Result.Text() != "Rain." {
				t.Errorf("the found tool gave %+v", r)
			}
			for i := 1; i < len(requests); i++ {
				prefix(t, fmt.Sprintf("request %d", i+1), requests[i-1], requests[i])
			}
			if r := requests[0]; r.Format != nil && strings.Contains(string(r.Format), "get_weather") {
				t.Errorf("the first reply may call what was not found: %s", r.Format)
			}
			if r := requests[1]; format == "guided" && !strings.Contains(string(r.Format), "get_weather") {
				t.Errorf("the second reply cannot call what was found: %s", r.Format)
			}
			document := l.document(ask) + "Thanks.\n"
			l.backend.Replies = append(l.backend.Replies, agenttest.Say("Bye."))
			profiles, err := model.LoadProfiles()
			if err != nil {
				t.Fatal(err)
			}
			l.events = &agenttest.Recorder[event.Event]{}
			again := l.job(document)
			again.Options.Format = format
			l.end(agent.New(l.backend, profiles).Start(t.Context(), again))
			requests = l.backend.Requests()
			prefix(t, "the chat read again", requests[2], requests[3])
		})
	}
}

// TestARequestBringsItsTool: a word of the request brings the tool that is meant for it to a guided model, and to no
// other; the chat read again from its document has it in the same place, and nothing that was sent changes (invariant
// 5).
func TestARequestBringsItsTool(t *testing.T) {
	t.Parallel()
	const asked = "## You\n\nRename README.md to first.md.\n"
	for _, format := range formats.Names() {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			helped := 0
			if format == "guided" {
				helped = 1
			}
			l := newLab(t, agenttest.CallTool("read_file", `{"path":"README.md"}`), agenttest.Say("Done."), agenttest.Say("Bye."))
			l.env.Tools = tools.NewSources(builtin.Tools(l.env.Workspace, builtin.Options{}))
			job := l.job(asked)
			job.Options.Format = format
			l.end(l.agent.Start(t.Context(), job))
			first := l.backend.Requests()[0]
			if text := first.Messages[len(first.Messages)-1].Text; strings.Count(text, `{"name":"move_file","description":"Move or rename`) != helped || strings.Contains(text, "delete_file") {
				t.Errorf("the request is %s", text)
			}
			if format == "guided" && !strings.Contains(string(first.Format), "move_file") {
				t.Errorf("the first reply cannot call it: %s", first.Format)
			}
			document := l.document(asked)
			if strings.Count(document, "```context tools\n") != helped {
				t.Errorf("the document has\n%s", document)
			}
			l.events = &agenttest.Recorder[event.Event]{}
			again := l.job(document + "Thanks.\n")
			again.Options.Format = format
			l.end(l.agent.Start(t.Context(), again))
			requests := l.backend.Requests()
			prefix(t, "the next reply", requests[0], requests[1])
			prefix(t, "the chat read again", requests[1], requests[2])
			if strings.Count(l.document(document+"Thanks.\n"), "```context tools\n") != helped {
				t.Error("it is described again")
			}
		})
	}
}

// prefix checks that a request begins with another.
func prefix(t *testing.T, what string, before, now model.Request) {
	t.Helper()
	for k, m := range before.Messages {
		if m.Role != now.Messages[k].Role || m.Text != now.Messages[k].Text {
			t.Errorf("%s: message %d was %q and is %q", what, k, m.Text, now.Messages[k].Text)
		}
	}
	if diff := cmp.Diff(before.Tools, now.Tools[:min(len(now.Tools), len(before.Tools))]); diff != "" {
		t.Errorf("%s: the tools changed (-before +now):\n%s", what, diff)
	}
}

// document is what the events of the lab wrote behind a text, up to the next turn of the user.
func (l *lab) document(before string) string {
	recorder := event.NewRecorder(strings.TrimSpace(before), false)
	text := strings.TrimSpace(before)
	for _, e := range l.events.Events() {
		text += recorder.Piece(e)
	}
	return text + recorder.You()
}

// TestWhatIsOffered: the core first, then what was found or called, in that order; a call of a tool that was not described
// works; who names tools in the document gets those.
func TestWhatIsOffered(t *testing.T) {
	l := newLab(t,
		agenttest.CallTool("other_weather", `{"town":"Brno"}`), // nobody told it
		agenttest.CallTool("tool_search", `{"query":"weather"}`), agenttest.Say("Done."), agenttest.Say("Done."))
	l.withMore("get_weather", "other_weather")
	l.end(l.agent.Start(t.Context(), l.job(ask)))
	results := l.results()
	if r := results["c1"].Result; r.Text() != "Rain." {
		t.Errorf("a tool that was not described gave %+v", r)
	}
	if r := results["c2"].Result.Text(); strings.Contains(r, "other_weather") || !strings.Contains(r, `"examples":[{"town":"Brno"}]`) {
		t.Errorf("the search gave %s", r)
	}
	job := l.job("---\ntools: [get_weather, read_file]\n---\n" + ask)
	l.events = &agenttest.Recorder[event.Event]{}
	job.Sink = l.events
	l.end(l.agent.Start(t.Context(), job))
	core := todays + " tool_search"
	for i, want := range []string{core, core + " other_weather", core + " other_weather get_weather", "read_file get_weather"} {
		if got := offers(l.backend.Requests()[i]); got != want {
			t.Errorf("request %d offers %q, not %q", i+1, got, want)
		}
	}
}
