package agent_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// titled is a run of a chat whose model finds titles.
func (l *lab) titled(document, format string) *agent.Run {
	l.t.Helper()
	l.events = &agenttest.Recorder[event.Event]{}
	job := l.job(document)
	job.Options.Format, job.Options.Titles = format, true
	run := l.agent.Start(l.t.Context(), job)
	if end := l.end(run); end.Outcome != event.Completed {
		l.t.Fatalf("%+v", end)
	}
	return run
}

// TestATitleLeavesThePrefixWhereItWas: it is asked for as one more turn on what was read, in the same context, and the
// next request goes on from the same place.
func TestATitleLeavesThePrefixWhereItWas(t *testing.T) {
	read := agenttest.CallTool("read_file", `{"path":"README.md"}`)
	tests := map[string]struct {
		format  string
		replies []agenttest.Reply
	}{
		"native": {"native", []agenttest.Reply{read, agenttest.Say("It is done."), agenttest.Say("\"**Fix the greeting**\"\n"), agenttest.Say("Bye.")}},
		"text":   {"text", []agenttest.Reply{agenttest.Say("It is done."), agenttest.Say("Title: Fix the greeting."), agenttest.Say("Bye.")}},
		"guided": {"guided", []agenttest.Reply{agenttest.Say(`{"do":"look","tool":"list_directory","arguments":{"path":"."}}`), agenttest.Say(`{"do":"talk","answer":"It is done."}`), agenttest.Say(`{"do":"talk","answer":"Fix the greeting"}`), agenttest.Say(`{"do":"talk","answer":"Bye."}`)}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, tt.replies...)
			run := l.titled("## You\n\nLook around here.\n", tt.format)
			before := l.backend.Requests()
			if title := run.Title(t.Context()); title != "Fix the greeting" {
				t.Errorf("the title is %q", title)
			}
			document := l.record("## You\n\nLook around here.\n")
			l.titled(document+"Thanks.\n", tt.format)
			requests := l.backend.Requests()
			last, title, next := before[len(before)-1], requests[len(before)], requests[len(before)+1]
			kept := title.Messages[:len(title.Messages)-1]
			if len(kept) != len(last.Messages)+1 || !samePrefix(last.Messages, kept) || !samePrefix(kept, next.Messages) {
				t.Errorf("the title is asked for below\n%+v\nbehind\n%+v\nand before\n%+v", kept, last.Messages, next.Messages)
			}
			for _, r := range []model.Request{title, next} {
				r.Messages, r.Format, r.MaxTokens, last.Messages, last.Format = nil, nil, 0, nil, nil
				if diff := cmp.Diff(last, r); diff != "" {
					t.Errorf("the request differs: %s", diff)
				}
			}
			if len(l.backend.Loads()) > 0 {
				t.Errorf("the model was loaded: %q", l.backend.Loads())
			}
		})
	}
}

// TestNoTitle is asked for where there is one, where the first words are chosen, behind the first question, and for
// models that think.
func TestNoTitle(t *testing.T) {
	const plain = "## You\n\nHi.\n"
	for name, tt := range map[string]struct {
		document string
		off      bool
		can      []string
	}{
		"it has one": {"---\ntitle: Mine\n---\n\n" + plain, false, nil},
		"off":        {plain, true, nil},
		"later":      {plain + "\n## Assistant\n\nHo.\n\n" + plain, false, nil},
		"thinks":     {plain, false, []string{"thinking"}},
	} {
		l := newLab(t, agenttest.Say("Done."), agenttest.Say("A title"))
		l.backend.Installed = []model.Info{{Name: "scripted", Capabilities: append([]string{"completion", "tools"}, tt.can...), ContextLimit: 8192}}
		job := l.job(tt.document)
		job.Options.Titles = !tt.off
		run := l.agent.Start(t.Context(), job)
		l.end(run)
		if title := run.Title(t.Context()); title != "" || len(l.backend.Requests()) != 1 {
			t.Errorf("%s: %q after %d requests", name, title, len(l.backend.Requests()))
		}
	}
}

// TestWhatIsNoTitle leaves the first words.
func TestWhatIsNoTitle(t *testing.T) {
	for _, reply := range []string{"", " \n ", "One line\nand another", strings.Repeat("long words ", 9), "\"\"", "**"} {
		l := newLab(t, agenttest.Say("Done."), agenttest.Say(reply))
		if title := l.titled("## You\n\nHi.\n", "native").Title(t.Context()); title != "" {
			t.Errorf("%q gives %q", reply, title)
		}
	}
	l := newLab(t, agenttest.Say("Done."), agenttest.Say("a\u202eb\x1b[2J"))
	if title := l.titled("## You\n\nHi.\n", "native").Title(t.Context()); strings.ContainsAny(title, "\u202e\x1b") {
		t.Errorf("hidden characters: %q", title)
	}
}

// TestWhatBelongsToATitleStays: only what is around all of it goes. Half of one is none.
func TestWhatBelongsToATitleStays(t *testing.T) {
	for reply, want := range map[string]string{
		"Learn C#": "Learn C#", ".NET basics": ".NET basics", "Use `go vet` and `go test`": "Use `go vet` and `go test`", "`go vet` and `go test`": "`go vet` and `go test`",
		"`main.go`": "main.go", "## **Fix it.**": "Fix it", "**Title:** Fix it": "Fix it", "Title: \"Fix it\"": "Fix it", "#": "", "Rename __init__": "Rename __init__",
	} {
		l := newLab(t, agenttest.Say("Done."), agenttest.Say(reply))
		if title := l.titled("## You\n\nHi.\n", "native").Title(t.Context()); title != want {
			t.Errorf("%q gives %q", reply, title)
		}
	}
	half := agenttest.Reply{Chunks: []model.Chunk{{Text: "How to fix the greeting in the"}, {Done: &model.Done{Reason: "length"}}}}
	if title := newLab(t, agenttest.Say("Done."), half).titled("## You\n\nHi.\n", "native").Title(t.Context()); title != "" {
		t.Errorf("the title is %q", title)
	}
}

// TestATitleGivesWay to whoever wants the model server.
func TestATitleGivesWay(t *testing.T) {
	l := newLab(t, agenttest.Say("Done."), agenttest.Reply{Hang: true}, agenttest.Say("Bye."))
	run := l.titled("## You\n\nHi.\n", "native")
	titles := make(chan string)
	go func() { titles <- run.Title(t.Context()) }()
	for len(l.backend.Requests()) < 2 {
		if t.Context().Err() != nil {
			t.Fatal("no title is asked for")
		}
		runtime.Gosched()
	}
	l.titled("## You\n\nHo.\n", "native")
	if title := <-titles; title != "" {
		t.Errorf("the title is %q", title)
	}
	if n := len(l.backend.Requests()); n != 3 || slices.ContainsFunc(l.backend.Requests()[2].Messages, func(m model.Message) bool { return strings.Contains(m.Text, "title") }) {
		t.Errorf("%d requests", n)
	}
}
