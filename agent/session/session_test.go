package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/chatfile"
)

// answerer is a front end that gives one answer to each question, as soon as all others do.
type answerer struct {
	session *session.Session
	answer  event.Answer
	meet    *sync.WaitGroup
	got     chan<- given
}

// given is an answer and what became of it.
type given struct {
	event.Answer
	err error
}

func (a answerer) CanAsk(event.Question) bool { return true }

func (a answerer) Emit(e event.Event) {
	if e, ok := e.(event.CallWaiting); ok {
		go func() {
			a.meet.Done()
			a.meet.Wait()
			a.got <- given{a.answer, a.session.Answer(e.Question.ID, a.answer)}
		}()
	}
}

// TestTheFirstAnswerWins lets two front ends answer the same question at once, one with yes and one with no.
func TestTheFirstAnswerWins(t *testing.T) {
	for range 20 {
		l := newLab(t, agenttest.CallTool("edit_file", theEdit), agenttest.Say("Done."))
		s := l.chat("ask.chat.md", ask)
		got, meet := make(chan given, 2), &sync.WaitGroup{}
		meet.Add(2)
		for _, kind := range []event.AnswerKind{event.Once, event.Deny} {
			s.Subscribe(answerer{s, event.Answer{Kind: kind}, meet, got})
		}
		if err := s.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
		if end, err := s.Wait(); err != nil || end.Outcome != event.Completed {
			t.Fatal(end, err)
		}
		first, second := <-got, <-got
		if first.err != nil {
			first, second = second, first
		}
		if first.err != nil || !errors.Is(second.err, agent.ErrNoQuestion) {
			t.Fatalf("the answers came to %v and %v", first.err, second.err)
		}
		if edited := strings.Contains(l.read("README.md"), "Hello"); edited != (first.Kind == event.Once) {
			t.Errorf("the first answer was %v, and edited: %v", first.Kind, edited)
		}
	}
}

// TestSinksComeAndGo: each gets what happens while it is there, in the same order.
func TestSinksComeAndGo(t *testing.T) {
	l := newLab(t, agenttest.Say("One."), agenttest.Say("Two."))
	s := l.chat("ask.chat.md", ask)
	stays, goes := &agenttest.Recorder[event.Event]{}, &agenttest.Recorder[event.Event]{}
	s.Subscribe(stays)
	unsubscribe := s.Subscribe(goes)
	send := func() {
		t.Helper()
		if err := s.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	send()
	if a, b := stays.Events(), goes.Events(); len(a) == 0 || !reflect.DeepEqual(a, b) {
		t.Errorf("one sink got %v, the other %v", a, b)
	}
	unsubscribe()
	before := len(goes.Events())
	l.write("ask.chat.md", l.read("ask.chat.md")+"More?\n")
	send()
	if len(goes.Events()) != before || len(agenttest.Of[event.Finished](stays)) != 2 {
		t.Errorf("the one that left got %d events more, the other %d ends", len(goes.Events())-before, len(agenttest.Of[event.Finished](stays)))
	}
}

// TestARefusalLeavesTheChatFree refuses in every way, and then sends the same chat, mended.
func TestARefusalLeavesTheChatFree(t *testing.T) {
	type step func(*session.Session, context.Context) error
	const answered = ask + "\n## Assistant\n\nHi.\n"
	for name, test := range map[string]struct {
		text string
		do   step
		says string
	}{
		"no turn":             {"Hi.\n", (*session.Session).Send, "there is no turn to send"},
		"an empty turn":       {answered + "\n## You\n\n", (*session.Session).Send, "the last `## You` is empty"},
		"an answered turn":    {answered, (*session.Session).Send, "has an answer already"},
		"nothing to resume":   {answered, (*session.Session).Resume, "no call here that was not run"},
		"nothing to continue": {answered + "\n## You\n\n", (*session.Session).Continue, "there is nothing to send"},
		"a broken head":       {"---\ntools: 7\n---\n" + ask, (*session.Session).Send, "`tools` must be a list"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, agenttest.Say("Hi."))
			s := l.chat("ask.chat.md", test.text)
			_, invalid := errors.AsType[*session.InvalidError](test.do(s, t.Context()))
			if err := test.do(s, t.Context()); !invalid || !strings.Contains(err.Error(), test.says) {
				t.Errorf("it says %v", err)
			}
			if text := l.read("ask.chat.md"); text != test.text {
				t.Errorf("the file holds %q", text)
			}
			l.write("ask.chat.md", ask)
			if err := s.Send(t.Context()); err != nil {
				t.Fatal(err)
			}
			if end, err := s.Wait(); err != nil || end.Outcome != event.Completed {
				t.Error(end, err)
			}
		})
	}
}

// waiting sends and returns when a call waits for an answer.
func (l *lab) waiting(s *session.Session) event.Question {
	l.t.Helper()
	s.Subscribe(canAsk{l.events})
	if err := s.Send(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	waiting, err := agenttest.WaitFor[event.CallWaiting](l.t.Context(), l.events, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	return waiting.Question
}

type canAsk struct{ event.Sink }

func (canAsk) CanAsk(event.Question) bool { return true }

// TestOneRunAtATime: a chat in which a run goes on takes no other one, here and in other processes.
func TestOneRunAtATime(t *testing.T) {
	l := newLab(t, agenttest.CallTool("edit_file", theEdit))
	s := l.chat("ask.chat.md", ask)
	l.waiting(s)
	if err := s.Send(t.Context()); !errors.Is(err, session.ErrWaiting) {
		t.Errorf("a second Send says %v", err)
	}
	if _, err := s.Retry(t.Context(), 0); !errors.Is(err, session.ErrWaiting) {
		t.Errorf("Retry says %v", err)
	}
	if _, _, err := l.env.State.LockChat(filepath.Join(l.root, "ask.chat.md")); err == nil {
		t.Error("the chat is not locked")
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if end, err := s.Wait(); err != nil || end.Outcome != event.Stopped {
		t.Error(end, err)
	}
	if err := s.Stop(); !errors.Is(err, session.ErrIdle) {
		t.Errorf("a second Stop says %v", err)
	}
	if err := s.Resume(t.Context()); err != nil {
		t.Errorf("Resume says %v", err)
	}
	s.End(t.Context())
	if _, err := s.Wait(); err != nil {
		t.Error(err)
	}
	if err := s.Continue(t.Context()); !errors.Is(err, session.ErrEnded) {
		t.Errorf("after End it says %v", err)
	}
}

// lateCancel is a chat whose place for the reply is ready just when the person gives the Send up.
type lateCancel struct {
	session.Document
	cancel func()
}

func (d lateCancel) Read() (session.Snapshot, error) {
	snapshot, err := d.Document.Read()
	return cancelledSnapshot{snapshot, d.cancel}, err
}

type cancelledSnapshot struct {
	session.Snapshot
	cancel func()
}

func (s cancelledSnapshot) Reply(place session.Place) (session.Reply, error) {
	defer s.cancel()
	return s.Snapshot.Reply(place)
}

// TestACancelledSendStartsNoRun: a Stop that comes before the run has begun cancels its Send, and must be able to rely
// on that.
func TestACancelledSendStartsNoRun(t *testing.T) {
	l := newLab(t, agenttest.Say("Hi."))
	l.write("ask.chat.md", ask)
	ctx, cancel := context.WithCancel(t.Context())
	s := session.New(t.Context(), lateCancel{chatfile.New(filepath.Join(l.root, "ask.chat.md"), l.env.State.Recovered), cancel}, l.env.Now)
	if err := s.Send(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Send says %v", err)
	}
	if s.Running() {
		t.Error("a run goes on")
	}
	if err := s.Send(t.Context()); err != nil {
		t.Errorf("the next Send says %v", err)
	}
	if _, err := s.Wait(); err != nil {
		t.Error(err)
	}
}

// TestWithoutAnybodyToAskARunEnds: a sink that only watches answers nothing.
func TestWithoutAnybodyToAskARunEnds(t *testing.T) {
	l := newLab(t, agenttest.CallTool("edit_file", theEdit))
	s := l.chat("ask.chat.md", ask)
	s.Subscribe(l.events)
	if err := s.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, err := s.Wait(); err != nil || end.Outcome != event.Unanswered {
		t.Error(end, err)
	}
}

// TestUndo takes back the edit of a run, once.
func TestUndo(t *testing.T) {
	l := newLab(t, agenttest.CallTool("edit_file", theEdit), agenttest.Say("Done."))
	s := l.chat("ask.chat.md", ask)
	before := l.read("README.md")
	if err := s.Answer(l.waiting(s).ID, event.Answer{Kind: event.Once}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(); err != nil || l.read("README.md") == before {
		t.Fatal(err, l.read("README.md"))
	}
	if calls := s.Undoable(); !slices.Equal(calls, []string{"c1"}) {
		t.Fatal(calls)
	}
	if err := s.Undo(t.Context(), "c1"); err != nil || l.read("README.md") != before || len(s.Undoable()) > 0 {
		t.Errorf("%v: %q", err, l.read("README.md"))
	}
	if err := s.Undo(t.Context(), "c1"); err == nil {
		t.Error("it is taken back twice")
	}
}

// TestBranchAndRetry: a branch leaves the chat as it is; Retry keeps a copy of what it moves away.
func TestBranchAndRetry(t *testing.T) {
	const text = ask + "\n## Assistant\n\nNo.\n\n## You\n\nWhy?\n"
	l := newLab(t, agenttest.Say("Yes."))
	s := l.chat("ask.chat.md", text)
	path, line, err := s.Branch(len(ask) + 5)
	if err != nil || l.read(filepath.Base(path)) != ask || line != 2 || l.read("ask.chat.md") != text {
		t.Errorf("%v: the branch at line %d holds %q", err, line, l.read(filepath.Base(path)))
	}
	kept, err := s.Retry(t.Context(), 3)
	if err != nil || l.read(filepath.Base(kept)) != text {
		t.Fatalf("%v: the copy holds %q", err, l.read(filepath.Base(kept)))
	}
	if _, err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	if now := l.read("ask.chat.md"); !strings.Contains(now, "Yes.") || strings.Contains(now, "No.") || strings.Contains(now, "Why?") {
		t.Errorf("the chat holds %q", now)
	}
}

// TestARefusedRetryMovesNothing: all is checked and locked before anything is moved away.
func TestARefusedRetryMovesNothing(t *testing.T) {
	const answered = ask + "\n## Assistant\n\nNo.\n"
	for name, test := range map[string]struct {
		text   string
		locked bool
	}{
		"locked":      {answered, true},
		"broken head": {"---\ntools: 7\n---\n" + answered, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			s := l.chat("ask.chat.md", test.text)
			if test.locked {
				unlock, _, err := l.env.State.LockChat(filepath.Join(l.root, "ask.chat.md"))
				if err != nil {
					t.Fatal(err)
				}
				defer unlock()
			}
			if kept, err := s.Retry(t.Context(), len(test.text)-1); err == nil || kept != "" {
				t.Errorf("%v: a copy is in %q", err, kept)
			}
			entries, err := os.ReadDir(l.root)
			if err != nil || len(entries) != 2 || l.read("ask.chat.md") != test.text {
				t.Errorf("%v: %v, %q", err, entries, l.read("ask.chat.md"))
			}
		})
	}
}

// TestResumeGoesOnAfterTheLastStep: a run that may take no more steps is gone on with where it ended, by the same
// prompt; a reply that is whole is not.
func TestResumeGoesOnAfterTheLastStep(t *testing.T) {
	l := newLab(t, agenttest.CallTool("read_file", `{"path":"README.md"}`), agenttest.CallTool("list_directory", `{"path":"."}`), agenttest.Say("Helo."))
	l.env.Options.MaxSteps = 1
	s := l.chat("ask.chat.md", ask)
	end := func(begin func(context.Context) error) event.Finished {
		t.Helper()
		if err := begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		end, err := s.Wait()
		if err != nil {
			t.Fatal(err)
		}
		return end
	}
	if end := end(s.Send); end.Outcome != event.Exhausted || !strings.Contains(end.Sentence, "Resume") {
		t.Errorf("the first step ends %+v", end)
	}
	if end := end(s.Continue); end.Outcome != event.Exhausted { // as `assent send` does
		t.Errorf("the second step ends %+v", end)
	}
	if end := end(s.Resume); end.Outcome != event.Completed {
		t.Errorf("the third step ends %+v", end)
	}
	text := l.read("ask.chat.md")
	if strings.Count(text, "## Assistant") != 1 || strings.Count(text, "## You") != 2 || !strings.HasSuffix(text, "\n\nHelo.\n\n## You\n\n") {
		t.Errorf("the chat is\n%s", text)
	}
	sent := l.wired()
	for i := range sent[1:] {
		if problem := grown(sent[i], sent[i+1]); problem != "" {
			t.Error(problem)
		}
	}
	if err := s.Resume(t.Context()); err == nil || !strings.Contains(err.Error(), "no result that the model has not answered") {
		t.Errorf("a whole reply is gone on with: %v", err)
	}
}
