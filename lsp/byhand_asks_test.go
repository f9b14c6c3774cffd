package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools/userstate"
)

const (
	handCall = "```tool look_up\n```\n"
	isAsked  = "Waits for your answer: The server notes"
	isGone   = "was already answered, has changed, or is gone"
)

// newAskingLab is a lab with a server whose tool look_up asks that an address be opened, so many times. In its chat a
// call of the tool by hand has begun, and asks.
func newAskingLab(t *testing.T, times int, opts lsptest.Options) *lab {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ask := map[string]string{"mode": "url", "message": "Log in.", "url": "https://example.org/", "elicitationId": "1"}
	var asks []map[string]string
	for range times {
		asks = append(asks, ask)
	}
	server, err := json.Marshal(map[string]any{"asks": asks})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"server.json": string(server), chat: "## You\n\nHello.\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, transport := agenttest.StartInMemory(t, "turn\nsay Hi.\nturn\nsay Seen.\n")
	state, err := userstate.OpenState(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{state: state}
	l.Env = lsptest.NewEnv(t, serveWith(t, state, t.TempDir(), transport, withServer(t, dir)), dir, opts)
	l.Open(chat)
	l.must(l.Do(chat, "Hello.", "Send"))
	l.WaitText(chat, "Hi.")
	l.waitIdle()
	l.Type(chat, handCall)
	l.must(l.Do(chat, "```tool look_up", "Approve once"))
	l.waitDiagnostic(isAsked)
	l.WaitText(chat, "> Log in.")
	return l
}

// titled is the command of the action whose title begins so.
func titled(t *testing.T, actions []protocol.CodeAction, title string) *protocol.Command {
	t.Helper()
	for _, a := range actions {
		if strings.HasPrefix(a.Title, title) && a.Command != nil {
			return a.Command
		}
	}
	t.Fatalf("there is no action %q", title)
	return nil
}

// TestACallByHandIsAnsweredOnce: an answer that comes after another one, after Stop, or after the chat was closed, is
// refused with a sentence. What does not fit is refused, too, and the question still waits.
// Promise 10.
func TestACallByHandIsAnsweredOnce(t *testing.T) {
	for name, end := range map[string]func(l *lab, actions []protocol.CodeAction) error{
		"answered": func(l *lab, actions []protocol.CodeAction) error {
			return l.run(titled(l.T, actions, "Say that you opened it"))
		},
		"stopped": func(l *lab, actions []protocol.CodeAction) error { return l.run(titled(l.T, actions, "Stop")) },
		"closed":  func(l *lab, _ []protocol.CodeAction) error { l.Close(chat); return nil },
		"read again": func(l *lab, _ []protocol.CodeAction) error {
			l.Save(chat)
			l.Close(chat)
			l.Open(chat)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newAskingLab(t, 1, lsptest.Options{})
				defer l.Leave()
				actions := l.CodeActions(chat, "```tool look_up")
				yes := titled(t, actions, "Say that you opened it")
				id := questionID(t, yes)
				for command, want := range map[string]string{
					`assent.try {"id":"` + id + `"}`:                           "cannot be tried",
					`assent.runOnline {"id":"` + id + `"}`:                     "cannot run with the network",
					`assent.allow {"id":"` + id + `","offer":"made-up"}`:       "not offered",
					`assent.approve {"id":"` + id + `","text":"yes"}`:          "carries no text",
					`assent.answer {"id":"` + id + `","text":"x"}`:             "asks nothing",
					`assent.runTool {"id":"` + id + `"}`:                       isGone,
					`assent.approve {"id":"look_up.1"}`:                        isGone,
					`assent.approve {"id":"` + id[1:] + `"}`:                   isGone,
					`assent.denyWithReason {"id":"../../etc/passwd"}`:          isGone,
					`assent.approve {"id":"` + strings.Repeat("A", 1e6) + `"}`: isGone,
				} {
					name, argument, _ := strings.Cut(command, " ")
					if _, err := l.Execute(name, json.RawMessage(argument)); err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("%.60s: %v", command, err)
					}
				}
				if _, err := l.Execute("assent.approve"); err != nil { // without an id it shows what waits
					t.Error(err)
				}
				synctest.Wait()
				if !strings.Contains(diagnosticsOf(l), isAsked) {
					t.Fatalf("it does not wait any more: %s", diagnosticsOf(l))
				}
				l.must(end(l, actions))
				for _, late := range []*protocol.Command{yes, titled(t, actions, "Deny"), titled(t, actions, "Show what")} {
					if err := l.run(late); err == nil || !strings.Contains(err.Error(), isGone) {
						t.Errorf("%s: %v", late.Title, err)
					}
				}
				l.waitIdle()
				if name != "closed" && strings.Contains(diagnosticsOf(l), isAsked) {
					t.Errorf("it still waits: %s", diagnosticsOf(l))
				}
			})
		})
	}
}

// run does what an action says.
func (l *lab) run(c *protocol.Command) error {
	_, err := l.Execute(c.Command, c.Arguments...)
	return err
}

// questionID is the opaque id in a command.
func questionID(t *testing.T, c *protocol.Command) string {
	t.Helper()
	var argument ext.Answer
	data, err := json.Marshal(c.Arguments[0])
	if err == nil {
		err = json.Unmarshal(data, &argument)
	}
	if err != nil || argument.ID == "" {
		t.Fatalf("%+v has no id: %v", c, err)
	}
	return argument.ID
}

// TestManyAnswersToACallByHandAtOnce: of many answers at once one counts, and the chat says which.
func TestManyAnswersToACallByHandAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newAskingLab(t, 1, lsptest.Options{})
		defer l.Leave()
		actions := l.CodeActions(chat, "```tool look_up")
		var counted sync.Map
		var all sync.WaitGroup
		for i := range 20 {
			title := []string{"Say that you opened it", "Deny"}[i%2]
			answer := titled(t, actions, title)
			all.Go(func() {
				switch err := l.run(answer); {
				case err == nil:
					counted.Store(i, title)
				case !strings.Contains(err.Error(), isGone):
					t.Error(err)
				}
			})
		}
		all.Wait()
		l.WaitText(chat, "result look_up ok")
		l.waitIdle()
		var titles []string
		counted.Range(func(_, title any) bool { titles = append(titles, fmt.Sprint(title)); return true })
		want := map[string]string{"Say that you opened it": "You said yes.", "Deny": "You said no."}
		if len(titles) != 1 || strings.Count(l.Text(chat), "You said") != 1 || !strings.Contains(l.Text(chat), want[titles[0]]) {
			t.Errorf("%q counted:\n%s", titles, l.Text(chat))
		}
	})
}

// TestACallByHandThatAsksIsShownEverywhere: in lenses, in the state, in a hover and in a preview, as a question of a
// run is. The next question has another id.
func TestACallByHandThatAsksIsShownEverywhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newAskingLab(t, 2, lsptest.Options{Capabilities: lensing(), Assent: takesAll})
		defer l.Leave()
		line := uint32(strings.Count(l.Text(chat)[:strings.Index(l.Text(chat), "```tool look_up")], "\n")) //nolint:gosec // a short text
		var ids []string
		for i := range 2 {
			l.waitDiagnostic(isAsked)
			synctest.Wait()
			list, shown := l.lenses()
			want := fmt.Sprintf("%d Show what would happen\n%d Say that you opened it\n%d Deny\n", line, line, line)
			if !strings.HasPrefix(shown, want) || !strings.Contains(shown, "Stop\n") {
				t.Errorf("the lenses are\n%s", shown)
			}
			waiting := func() bool { s := newest[ext.State](l, ext.StateMethod); return s != nil && len(s.Waiting) == 1 }
			l.WaitFor("the state", waiting)
			s := newest[ext.State](l, ext.StateMethod)
			w := s.Waiting[0]
			if s.Chats[0].State != ext.Waits || !strings.Contains(s.Chats[0].Stage, "waiting for your answer") || w.Range.Start.Line != line || len(w.Actions) != 3 {
				t.Errorf("the state is %+v", s)
			}
			if got := l.hover(chat, "```tool look_up"); !strings.Contains(got, isAsked) || !strings.Contains(got, "> Log in.") {
				t.Errorf("the hover is %s", got)
			}
			l.must(l.run(list[0].Command))
			if got := l.shownText(); !strings.Contains(got, "https://example.org/") || !strings.Contains(got, fmt.Sprintf("call look_up.%d", i+1)) {
				t.Errorf("the preview is %s", got)
			}
			preview := l.Shown()[len(l.Shown())-1].URI
			ids = append(ids, questionID(t, list[1].Command))
			l.must(l.run(list[1].Command))
			l.waitDiagnosedOver(ids[i])
			if got, err := os.ReadFile(strings.TrimPrefix(string(preview), "file://")); err != nil || !strings.HasPrefix(string(got), "This question is over") {
				t.Errorf("the preview of what was answered is %s, %v", got, err)
			}
		}
		l.WaitText(chat, "result look_up ok")
		l.waitIdle()
		s := newest[ext.State](l, ext.StateMethod)
		if ids[0] == ids[1] || len(s.Waiting) > 0 || s.Chats[0].State != ext.Idle {
			t.Errorf("ids %q, state %+v", ids, s)
		}
		if _, shown := l.lenses(); strings.Contains(shown, "Stop") || strings.Contains(shown, "Deny") {
			t.Errorf("the lenses are\n%s", shown)
		}
	})
}

// waitDiagnosedOver waits until a question is answered and nothing goes on.
func (l *lab) waitDiagnosedOver(id string) {
	l.T.Helper()
	l.WaitFor("the end of a question", func() bool {
		s := newest[ext.State](l, ext.StateMethod)
		return s != nil && (len(s.Waiting) == 0 || s.Waiting[0].ID != id)
	})
	synctest.Wait()
}

// TestACallByHandMayBeEditedWhileItAsks: the question stays with the call, wherever it goes; a call that was deleted is
// not approved, and its result is in the chat all the same.
func TestACallByHandMayBeEditedWhileItAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newAskingLab(t, 2, lsptest.Options{})
		defer l.Leave()
		l.Replace(chat, handCall, "Before it.\n\n```tool look_up\nnote: changed\n```\n")
		l.Type(chat, "\n\n## You\n\nThe next message.\n")
		if titles := l.Titles(chat, "note: changed"); len(titles) < 3 || titles[1] != "Say that you opened it" {
			t.Errorf("the menu is %q", titles)
		}
		l.must(l.Do(chat, "note: changed", "Say that you opened it"))
		l.WaitFor("another question", func() bool { return strings.Count(l.Text(chat), "> Log in.") == 2 })
		l.waitDiagnostic(isAsked)
		yes := titled(t, l.CodeActions(chat, "note: changed"), "Say that you opened it")
		l.Replace(chat, "```tool look_up\nnote: changed\n```\n", "")
		synctest.Wait()
		if strings.Contains(diagnosticsOf(l), isAsked) {
			t.Errorf("there is %s", diagnosticsOf(l))
		}
		l.must(l.run(yes)) // of a menu that was there before
		l.WaitText(chat, "result look_up ok")
		l.waitIdle()
		if text := l.Text(chat); !strings.HasSuffix(text, "## You\n\nThe next message.\n") || strings.Count(text, "You said yes.") != 2 {
			t.Errorf("the chat is\n%s", text)
		}
	})
}
