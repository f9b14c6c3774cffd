package agent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/formats"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools"
)

// large is a model of a profile that is too large to be guided for its size.
func large(p model.Profile, capabilities ...string) model.Info {
	info := model.Info{Name: "some:70b", Parameters: "70B", Capabilities: append([]string{"completion"}, capabilities...), ContextLimit: 32768}
	switch {
	case len(p.Names) > 0:
		info.Name = strings.ReplaceAll(p.Names[0], "*", "")
	case len(p.Template) > 0:
		info.Template = strings.Join(p.Template, " ")
	}
	if len(p.Families) > 0 {
		info.Family = strings.ReplaceAll(p.Families[0], "*", "")
	}
	return info
}

// story is a whole run: a message, and what the model does. A step that is a call is {tool, arguments}, else it is
// words.
type story struct {
	name, message string
	steps         [][]string
}

// stories are runs in which a small model is helped.
func stories() []story {
	missing := []string{"read_file", `{"path":"nowhere.txt"}`}
	edit := []string{"edit_file", `{"path":"README.md","old_text":"Helo","new_text":"Hello"}`}
	return []story{
		{"a read_file that fails", "What does nowhere.txt say?", [][]string{missing, {"There is no such file."}}},
		{"the same failing call twice", "What does nowhere.txt say?", [][]string{missing, missing, {"There is no such file."}}},
		{"a wrong path", "Correct the typo in REDME.md.", [][]string{{"edit_file", `{"path":"REDME.md","old_text":"Helo","new_text":"Hello"}`}, {"There is no such file."}}},
		{"an edit of an unread file", "Correct the spelling of the greeting.", [][]string{edit, edit, {"Done."}}},
		{"a change that is announced and not made", "Correct the typo in README.md.", [][]string{{"I have corrected the typo in README.md."}}},
		{"a question", "What does the greeting say?", [][]string{{"search_files", `{"pattern":"Helo"}`}, {"It says Helo."}}},
		{"a question that another file answers", "What is the title?", [][]string{{"See README.md."}}},
		{"plain talk", "How many grams are in a kilo?", [][]string{{"1000."}}},
		{"a change", "Correct the typo in README.md.", [][]string{{"read_file", `{"path":"README.md"}`}, edit, {"Done."}}},
		{"a file named with a verb of a tool", "Delete the file README.md and rename a.txt to b.txt.", [][]string{{"No."}}},
		{"a failing test", "test_add fails. Fix that.", [][]string{{"list_directory", `{"path":"."}`}, {"I will fix it."}}},
	}
}

// replies are the steps of a story as a model of a profile writes them.
func (s story) replies(t *testing.T, format toolcall.Format, offered []model.Tool) []agenttest.Reply {
	t.Helper()
	var replies []agenttest.Reply
	for _, step := range s.steps {
		if len(step) == 1 {
			replies = append(replies, agenttest.Say(step[0]))
			continue
		}
		turns := []toolcall.Turn{{Role: model.RoleUser, Text: "x", Asked: "x"}, {Role: model.RoleAssistant, Calls: []toolcall.Call{{ID: "c1", Name: step[0], Arguments: json.RawMessage(step[1])}}}}
		written := format.Request("", turns, offered, toolcall.Hints{}).Messages
		last := written[len(written)-1]
		replies = append(replies, agenttest.Reply{Chunks: []model.Chunk{{Text: last.Text, Calls: last.Calls}}})
	}
	return replies
}

// told is what a run sent, as bytes, and the tools that it ran.
func (s story) told(t *testing.T, l *lab, profiles *model.Profiles, info model.Info, prepare func(*agent.Agent)) (requests []model.Request, bytes string) {
	t.Helper()
	profile, _ := profiles.For(info)
	format, err := formats.ForModel(profile.Formats, false)
	if err != nil {
		t.Fatal(err)
	}
	registry, err := l.env.Tools.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var offered []model.Tool
	for _, spec := range registry.Specs() {
		offered = append(offered, model.Tool{Name: spec.Name, Description: spec.Description, Parameters: spec.Parameters})
	}
	l.backend = &agenttest.Scripted{Replies: s.replies(t, format, offered), Installed: []model.Info{info}}
	l.backend.Then = func(model.Request) agenttest.Reply { return agenttest.Say("I do not know.") }
	l.agent, l.events = agent.New(l.backend, profiles), &agenttest.Recorder[event.Event]{}
	l.write("README.md", "# Title\n\nHelo world\n")
	l.write("sum.py", "def add(a, b):\n    return a - b\n")
	l.write("test_sum.py", "from sum import add\n\ndef test_add():\n    assert add(1, 2) == 3\n")
	if prepare != nil {
		prepare(l.agent)
	}
	job := agent.Job{Chat: "chat", Document: transcript.Parse("## You\n\n" + s.message + "\n"), CanAsk: func(event.Question) bool { return true }}
	job.Options.Model, job.Options.UserModels = info.Name, []string{info.Name}
	if profile.Opened { // else a reply begins inside a thought
		job.Options.Sampling.Think = model.ThinkOff
	}
	questions := make(chan event.Question, 8)
	job.Sink = asking{Sink: l.events, questions: questions}
	if err := l.env.Configure(t.Context(), &job, tools.NewReadSet()); err != nil {
		t.Fatal(err)
	}
	run := l.agent.Start(t.Context(), job)
	for running := true; running; {
		select {
		case q := <-questions:
			if err := run.Answer(q.ID, event.Answer{Kind: event.Once}); err != nil {
				t.Fatal(err)
			}
		case <-run.Done():
			running = false
		}
	}
	for _, e := range agenttest.Of[event.CallEnded](l.events) {
		bytes += fmt.Sprintf("%s failed: %v\n", e.Name, e.Result.Failed)
	}
	if calls, ended := s.calls(), agenttest.Of[event.CallEnded](l.events); len(ended) != calls {
		t.Errorf("%d of %d calls ran", len(ended), calls)
	}
	requests = l.backend.Requests()
	for _, r := range requests {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		bytes += strings.ReplaceAll(string(text), l.root, "") + "\n"
	}
	return requests, bytes
}

func (s story) calls() (n int) {
	for _, step := range s.steps {
		if len(step) > 1 {
			n++
		}
	}
	return n
}

// A model that is not guided gets nothing of the help for small models, whatever its profile, and in all of a run: no
// reply of it is held to a schema or made without its thoughts, no tool is described because of a verb, and nothing is
// asked for apart. With the help left out of the program its requests are the same, byte for byte.
// F15.
func TestModelsThatAreNotGuidedGetNoHelp(t *testing.T) {
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	l, unguided := newLab(t), 0
	for _, row := range profiles.All() {
		info := large(row, "tools")
		if row.Thinks() {
			info = large(row, "tools", "thinking")
		}
		if row.Name == "unknown" { // one that does not think is guided
			info.Capabilities = append(info.Capabilities, "thinking")
		}
		found, _ := profiles.For(info)
		if found.Name != row.Name {
			t.Errorf("%s: %s is taken for %s", row.Name, info.Name, found.Name)
		}
		if found.Formats[0] == "guided" {
			continue
		}
		unguided++
		for _, s := range stories() {
			t.Run(row.Name+"/"+s.name, func(t *testing.T) {
				requests, with := s.told(t, l, profiles, info, nil)
				for i, r := range requests {
					if r.Format != nil || r.Think != "" {
						t.Errorf("request %d: think %q, held to %s", i+1, r.Think, r.Format)
					}
				}
				if len(requests) != len(s.steps) {
					t.Errorf("%d requests for %d replies", len(requests), len(s.steps))
				}
				if _, without := s.told(t, l, profiles, info, agent.WithoutGuidance); with != without {
					t.Errorf("with the help:\n%s\nwithout:\n%s", with, without)
				}
			})
		}
	}
	t.Logf("%d of %d profiles are not guided", unguided, len(profiles.All()))
	if unguided < 90 {
		t.Errorf("only %d models are not guided", unguided)
	}
}

// The one exception: a call that could not be read is made again by a reply that is held to its tool's schema, and that
// only once, and not by a model that thinks or whose profile forbids it.
func TestACallThatCannotBeReadIsMadeAgain(t *testing.T) {
	for _, test := range []struct {
		name, model  string
		capabilities []string
		held         bool
	}{
		{"a text model", "codestral:22b", nil, true},
		{"a model that thinks", "codestral:22b", []string{"thinking"}, false},
		{"a family that must not be held to a schema", "phi4-reasoning:14b", nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t, agenttest.Say("<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": }}</tool_call>"),
				agenttest.Say("<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"nowhere.txt\"}}</tool_call>"), agenttest.Say("There is none."))
			l.backend.Installed = []model.Info{{Name: test.model, Capabilities: append([]string{"completion"}, test.capabilities...), Parameters: "22B", ContextLimit: 32768}}
			job := l.job("## You\n\nWhat does nowhere.txt say?\n")
			job.Options.Format = "hermes"
			l.end(l.agent.Start(t.Context(), job))
			var held []bool
			for _, r := range l.backend.Requests() {
				held = append(held, r.Format != nil)
			}
			if !slices.Equal(held, []bool{false, test.held, false}) {
				t.Errorf("held to a schema: %v: %+v", held, l.events.Events())
			}
		})
	}
}
