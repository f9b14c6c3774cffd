package session_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/chatfile"
)

// printer is a whole second front end: it prints what happens, and approves each call once.
type printer struct {
	session *session.Session
	print   func(a ...any)
}

func (p printer) CanAsk(event.Question) bool { return true }

func (p printer) Emit(e event.Event) {
	switch e := e.(type) {
	case event.TextDelta:
		p.print(e.Text)
	case event.CallWaiting:
		p.print("asks:", e.Question.Heading())
		go p.session.Answer(e.Question.ID, event.Answer{Kind: event.Once}) //nolint:errcheck // somebody else may be first
	case event.CallEnded:
		p.print("ended:", e.Name)
	case event.Finished:
		p.print("over:", e.Sentence)
	}
}

func converse(ctx context.Context, env session.Environment, path string, print func(a ...any)) error {
	s := session.New(ctx, chatfile.New(path, env.State.Recovered), env.Now)
	defer s.Subscribe(printer{s, print})()
	if err := s.Send(ctx); err != nil {
		return err
	}
	_, err := s.Wait()
	return err
}

// TestASecondFrontEnd is the recipe "Add a front end" of docs/recipes.md, followed.
func TestASecondFrontEnd(t *testing.T) {
	l := newLab(t, agenttest.CallTool("edit_file", theEdit), agenttest.Say("Done."))
	l.write("ask.chat.md", ask)
	printed := ""
	if err := converse(t.Context(), l.env, filepath.Join(l.root, "ask.chat.md"), func(a ...any) { printed += fmt.Sprintln(a...) }); err != nil {
		t.Fatal(err)
	}
	if want := "asks: edit_file wants: README.md\nended: edit_file\nDone.\nover: \n"; printed != want {
		t.Errorf("printed %q, want %q", printed, want)
	}
	if text := l.read("README.md"); text != "# Title\n\nHello world\n" {
		t.Errorf("the file holds %q", text)
	}
}
