package session_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
)

// approved sends what the chat has to send, approves every call, and waits for the end.
func (l *lab) approved(s *session.Session) {
	l.t.Helper()
	defer s.Subscribe(printer{s, func(...any) {}})()
	if err := s.Continue(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	if end, err := s.Wait(); err != nil || end.Outcome != event.Completed {
		l.t.Fatalf("%+v, %v", end, err)
	}
}

// TestATurnIsUndoneAndTheModelIsTold: what a run changed is undone with its turn, also by another session, and the next
// message says so.
func TestATurnIsUndoneAndTheModelIsTold(t *testing.T) {
	l := newLab(t, agenttest.CallTool("edit_file", theEdit), agenttest.CallTool("write_file", `{"path":"new.txt","content":"new\n"}`),
		agenttest.Say("Done."), agenttest.Say("Sorry."))
	l.approved(l.chat("ask.chat.md", ask))
	s := l.chat("ask.chat.md", l.read("ask.chat.md")) // as after a restart
	changed, err := s.Changed(transcript.Parse(l.read("ask.chat.md")))
	if err != nil || len(changed) != 1 || changed[0].At != 1 || len(changed[0].Paths) != 2 {
		t.Fatalf("%+v, %v", changed, err)
	}
	if err := s.UndoTurn(t.Context(), changed[0].ID); err != nil {
		t.Fatal(err)
	}
	if text := l.read("README.md"); text != "# Title\n\nHelo world\n" {
		t.Errorf("README.md holds %q", text)
	}
	if found, err := filepath.Glob(filepath.Join(l.root, "new.txt")); err != nil || len(found) != 0 {
		t.Errorf("new.txt is still there")
	}
	l.write("ask.chat.md", l.read("ask.chat.md")+"Why?\n")
	l.approved(s)
	text := l.read("ask.chat.md")
	if !strings.Contains(text, "```context review\nThe user undid everything") || !strings.Contains(text, `"README.md", "new.txt"`) {
		t.Errorf("the chat says\n%s", text)
	}
	if u, err := l.env.Ledger.Untold(filepath.Join(l.root, "ask.chat.md")); err != nil || len(u.Undone) != 0 {
		t.Errorf("it would be told again: %+v, %v", u, err)
	}
	if changed, err := s.Changed(transcript.Parse(text)); err != nil || len(changed) != 1 || !changed[0].Undone {
		t.Errorf("%+v, %v", changed, err)
	}
}

// TestAResumedReplyIsOneTurn: calls that Resume takes up belong to the turn of their reply.
func TestAResumedReplyIsOneTurn(t *testing.T) {
	l := newLab(t, agenttest.CallTool("edit_file", theEdit), agenttest.CallTool("write_file", `{"path":"new.txt","content":"new\n"}`), agenttest.Say("Done."))
	s := l.chat("ask.chat.md", ask)
	answered := 0
	stop := stopAt{s, func(q event.Question) bool { answered++; return answered == 2 }}
	unsubscribe := s.Subscribe(stop)
	if err := s.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	unsubscribe()
	l.approved(s)
	changed, err := s.Changed(transcript.Parse(l.read("ask.chat.md")))
	if err != nil || len(changed) != 1 || len(changed[0].Paths) != 2 {
		t.Errorf("%+v, %v\n%s", changed, err, l.read("ask.chat.md"))
	}
}

// stopAt approves calls, and stops the run at one.
type stopAt struct {
	session *session.Session
	stop    func(event.Question) bool
}

func (stopAt) CanAsk(event.Question) bool { return true }

func (s stopAt) Emit(e event.Event) {
	waiting, ok := e.(event.CallWaiting)
	switch {
	case !ok:
	case s.stop(waiting.Question):
		go s.session.Stop() //nolint:errcheck // it runs
	default:
		go s.session.Answer(waiting.Question.ID, event.Answer{Kind: event.Once}) //nolint:errcheck // it waits
	}
}
