package lsp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/lsp"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// newest is the last notification of one of the server's own methods; nil if none came.
func newest[T any](l *lab, method string) *T {
	all := l.Editor.Own(method)
	if len(all) == 0 {
		return nil
	}
	var v T
	l.must(json.Unmarshal(all[len(all)-1], &v))
	return &v
}

const editTwo = "turn\ncall edit_file {\"path\":\"list.txt\",\"old_text\":\"two\\n\",\"new_text\":\"2\\u202e\\n\"}\nturn\nsay: Done.\n"

var takesAll = map[string]any{"state": true, "changes": true}

func editing(t *testing.T, opts lsptest.Options) *lab {
	t.Helper()
	opts.Settings = map[string]any{"toolFormat": "native"}
	return newLab(t, editTwo, opts, map[string]string{chat: "## You\n\nIn list.txt change two.\n", "list.txt": "one\ntwo\nthree\n"})
}

// TestTheStateIsSent: a client that takes the state knows what waits, and answers it by the commands that come with it.
func TestTheStateIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := editing(t, lsptest.Options{Assent: takesAll})
		defer l.Leave()
		state := func(is func(s *ext.State) bool) func() bool {
			return func() bool { s := newest[ext.State](l, ext.StateMethod); return s != nil && is(s) }
		}
		l.WaitFor("no chat", state(func(s *ext.State) bool { return s.Chats != nil && len(s.Chats) == 0 && len(s.Waiting) == 0 }))
		l.Open(chat)
		l.WaitFor("an idle chat", state(func(s *ext.State) bool { return len(s.Chats) == 1 && s.Chats[0].State == ext.Idle }))
		l.must(l.Do(chat, "change two", "Send"))
		l.WaitFor("a question", state(func(s *ext.State) bool { return len(s.Waiting) == 1 }))
		s := newest[ext.State](l, ext.StateMethod)
		w := s.Waiting[0]
		line := strings.Count(l.Text(chat)[:strings.Index(l.Text(chat), "```tool edit_file")], "\n")
		if s.Chats[0].State != ext.Waits || s.Chats[0].Model == "" || w.Tool != "edit_file" || w.Target != "list.txt" || int(w.Range.Start.Line) != line {
			t.Errorf("%+v", s)
		}
		var titles []string
		for _, a := range w.Actions {
			titles = append(titles, a.Title)
		}
		var menu []string
		for _, a := range l.CodeActions(chat, "edit_file c1") {
			menu = append(menu, a.Title)
		}
		if len(titles) < 4 || titles[0] != "Show what would happen" || strings.Join(titles, "\n") != strings.Join(menu[:len(titles)], "\n") {
			t.Errorf("the actions are %q, those of the menu %q", titles, menu)
		}
		_, err := l.Execute(w.Actions[1].Command, w.Actions[1].Arguments[0])
		l.must(err)
		l.WaitText(chat, "Done.")
		l.WaitFor("an idle chat", state(func(s *ext.State) bool {
			return len(s.Waiting) == 0 && s.Chats[0].State == ext.Idle && s.Chats[0].Used > 0
		}))
		if _, err := l.Execute(w.Actions[1].Command, w.Actions[1].Arguments[0]); err == nil {
			t.Error("a question was answered twice")
		}
	})
}

// What waits is told as soon as its diagnostic is there: a person who sees that asks for the list.
func TestWhatWaitsIsToldAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := editing(t, lsptest.Options{Assent: takesAll})
		defer l.Leave()
		l.Open(chat)
		l.must(l.Do(chat, "change two", "Send"))
		l.waitDiagnostic(waits)
		synctest.Wait() // no time passes
		if s := newest[ext.State](l, ext.StateMethod); s == nil || len(s.Waiting) != 1 {
			t.Errorf("a question waits, and the state is %+v", s)
		}
	})
}

// TestTheStateIsSentAtMostFourTimesASecond, however often something changes, and the last state is always sent.
func TestTheStateIsSentAtMostFourTimesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\nsay: "+strings.Repeat("word ", 400)+"\n", lsptest.Options{Assent: takesAll}, map[string]string{chat: "## You\n\nHello.\n"})
		defer l.Leave()
		start := time.Now()
		l.Open(chat)
		for range 100 {
			l.Type(chat, "x")
			time.Sleep(10 * time.Millisecond) // fake time
		}
		l.Replace(chat, "Hello.", "Bye.")
		l.WaitFor("the last title", func() bool {
			s := newest[ext.State](l, ext.StateMethod)
			return len(s.Chats) == 1 && s.Chats[0].Title == "Bye."
		})
		if n, most := len(l.Editor.Own(ext.StateMethod)), int(time.Since(start)/(250*time.Millisecond))+2; n > most {
			t.Errorf("%d in %s", n, time.Since(start))
		}
	})
}

// TestAShortRunIsSeen: between two notifications a run may begin and end, well or not.
func TestAShortRunIsSeen(t *testing.T) {
	for script, ended := range map[string]string{"turn\nsay: Hello.\n": "", "turn\nstatus 500 boom\n": "boom"} {
		synctest.Test(t, func(t *testing.T) {
			l := newLab(t, script, lsptest.Options{Assent: takesAll}, map[string]string{chat: "## You\n\nHello.\n"})
			defer l.Leave()
			l.Open(chat)
			l.must(l.Do(chat, "Hello", "Send"))
			l.WaitFor("the end of the run", func() bool {
				s := newest[ext.State](l, ext.StateMethod)
				return s != nil && len(s.Chats) == 1 && s.Chats[0].Runs == 1 && s.Chats[0].State == ext.Idle
			})
			if got := newest[ext.State](l, ext.StateMethod).Chats[0].Ended; (got == "") != (ended == "") || !strings.Contains(got, ended) {
				t.Errorf("%q: it ended %q", script, got)
			}
		})
	}
}

// TestAPreviewAsData: a client that compares texts itself gets both, with hidden characters shown, and nothing is
// answered by looking.
func TestAPreviewAsData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := editing(t, lsptest.Options{Assent: takesAll})
		defer l.Leave()
		l.Open(chat)
		l.must(l.Do(chat, "change two", "Send"))
		l.waitDiagnostic("Waits for your answer")
		l.WaitFor("a question", func() bool { s := newest[ext.State](l, ext.StateMethod); return s != nil && len(s.Waiting) == 1 })
		var shown ext.Preview
		l.must(l.Editor.Call(ext.PreviewMethod, ext.Question{ID: newest[ext.State](l, ext.StateMethod).Waiting[0].ID}, &shown))
		want := ext.FilePreview{URI: l.uri("list.txt"), Path: "list.txt", Before: "one\ntwo\nthree\n", After: "one\n2<U+202E>\nthree\n"}
		if len(shown.Files) != 1 || shown.Files[0] != want || !strings.Contains(shown.Text, "+2<U+202E>\n") {
			t.Errorf("%+v", shown)
		}
		if err := l.Editor.Call(ext.PreviewMethod, ext.Question{ID: "none"}, &shown); err == nil {
			t.Error("a question that is not open was shown")
		}
		if got := l.Disk("list.txt"); got != "one\ntwo\nthree\n" {
			t.Errorf("the file holds %q", got)
		}
	})
}

// TestTheChangesAreSent with their ids, follow the text, and end with the decision.
func TestTheChangesAreSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := editing(t, lsptest.Options{Assent: takesAll})
		defer l.Leave()
		l.Open(chat)
		l.Open("list.txt")
		l.must(l.Do(chat, "change two", "Send"))
		l.waitDiagnostic("Waits for your answer")
		if newest[ext.Changes](l, ext.ChangesMethod) != nil {
			t.Error("changes before any")
		}
		l.must(l.Do(chat, "edit_file c1", "Approve once"))
		l.WaitText(chat, "Done.")
		l.WaitIdle()
		at := func(line uint32) func() bool {
			return func() bool {
				c := newest[ext.Changes](l, ext.ChangesMethod)
				return c != nil && c.URI == l.uri("list.txt") && c.Version != nil && len(c.Hunks) == 1 && c.Hunks[0].Range.Start.Line == line
			}
		}
		l.WaitFor("the change", at(1))
		l.Replace("list.txt", "one\n", "zero\none\n")
		l.WaitFor("the change below", at(2))
		folder := map[string]any{"uri": l.uri(""), "name": "work"}
		event := func(what string) map[string]any { return map[string]any{"event": map[string]any{what: []any{folder}}} }
		l.must(l.Editor.Notify("workspace/didChangeWorkspaceFolders", event("removed")))
		l.WaitFor("no change in a closed folder", func() bool { return len(newest[ext.Changes](l, ext.ChangesMethod).Hunks) == 0 })
		l.must(l.Editor.Notify("workspace/didChangeWorkspaceFolders", event("added")))
		l.WaitFor("the change again", at(2))
		h := newest[ext.Changes](l, ext.ChangesMethod).Hunks[0]
		if h.Old != "two\n" || h.New != "2\u202e\n" || h.Edited || h.Made || h.Deleted {
			t.Errorf("%+v", h)
		}
		_, err := l.Execute(ext.RejectHunk, ext.Hunk{URI: l.uri("list.txt"), ID: h.ID})
		l.must(err)
		l.WaitFor("no change", func() bool {
			c := newest[ext.Changes](l, ext.ChangesMethod)
			return c.Hunks != nil && len(c.Hunks) == 0
		})
	})
}

// TestNothingOfOursIsSentUnasked: an editor that says nothing, or something that cannot be read, gets plain LSP. The
// fake editor answers what it does not know with an error, which its end reports.
// Invariant 17.
func TestNothingOfOursIsSentUnasked(t *testing.T) {
	for name, says := range map[string]any{"nothing": nil, "another shape": []int{1}, "no object": map[string]any{"assent": "yes"}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				capabilities := map[string]any{"workspace": map[string]any{"applyEdit": true}, "experimental": says}
				l := editing(t, lsptest.Options{Capabilities: capabilities})
				defer l.Leave()
				l.Open(chat)
				l.must(l.Do(chat, "change two", "Send"))
				l.waitDiagnostic("Waits for your answer")
				l.must(l.Do(chat, "edit_file c1", "Approve once"))
				l.WaitText(chat, "Done.")
			})
		})
	}
}

// TestWhetherCommandsAreConfined: by the state for clients that take it, and by hover for all of them. Nothing is tried
// for either.
func TestWhetherCommandsAreConfined(t *testing.T) {
	proven := sandbox.State{Proven: true, Kind: "bubblewrap", Sentence: "Commands run in a sandbox\u202e."}
	open := sandbox.State{Sentence: "Commands are not confined."}
	for name, c := range map[string]struct {
		known              *sandbox.State
		confined, sentence string
		hover              string
	}{
		"proven":    {&proven, "bubblewrap", "Commands run in a sandbox<U+202E>.", "Commands run in a sandbox<U+202E>."},
		"none":      {&open, "nothing", "Commands are not confined.", "Commands are not confined."},
		"not tried": {nil, "", "", "was not tried yet"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				state, err := userstate.OpenState(filepath.Join(t.TempDir(), "state"))
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, chat), []byte("## You\n\nHello.\n"), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
				_, transport := agenttest.StartInMemory(t, "turn\nhang\n")
				box := func(o *lsp.Options) {
					o.Sandbox = func(*workspace.Workspace) runcommand.Sandbox { return knownSandbox{known: c.known} }
				}
				l := &lab{Env: lsptest.NewEnv(t, serveWith(t, state, t.TempDir(), transport, box), dir, lsptest.Options{Assent: takesAll})}
				defer l.Leave()
				l.Open(chat)
				l.WaitFor("the state", func() bool { s := newest[ext.State](l, ext.StateMethod); return s != nil && len(s.Chats) == 1 })
				if s := newest[ext.State](l, ext.StateMethod).Chats[0]; s.Confined != c.confined || s.Sandbox != c.sentence {
					t.Errorf("%+v", s)
				}
				if said := l.hover(chat, "You"); !strings.Contains(said, c.hover) {
					t.Errorf("the hover says %q", said)
				}
			})
		})
	}
}

// knownSandbox is a sandbox of which this was found out; nil: nothing. It fails the test by its nil pointer if it is
// tried.
type knownSandbox struct {
	runcommand.Sandbox

	known *sandbox.State
}

func (s knownSandbox) Known() (sandbox.State, bool) {
	if s.known == nil {
		return sandbox.State{}, false
	}
	return *s.known, true
}
