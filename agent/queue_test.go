package agent_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/tools/userstate"
)

// eachQueue runs a test on the queue of one process, and on one that two processes share, each at its end.
func eachQueue(t *testing.T, test func(t *testing.T, one, other engine.Queue)) {
	t.Run("one process", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := engine.NewQueue(1)
			test(t, q, q)
		})
	})
	t.Run("two processes", func(t *testing.T) {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) { test(t, shared(t, dir, "Neovim"), shared(t, dir, "Helix")) })
	})
}

// shared is the queue of one of the processes that share a state folder.
func shared(t *testing.T, dir, owner string) engine.Queue {
	t.Helper()
	state, err := userstate.OpenState(dir)
	if err != nil {
		t.Fatal(err)
	}
	state.SetOwner(owner)
	return session.Queue(state, "the server", 1, func(err error) { t.Error(err) })
}

// line is who got the turn, in order.
type line struct {
	sync.Mutex
	got []string
}

// wait takes the turn, notes it, and gives it back after a second.
func (l *line) wait(t *testing.T, q engine.Queue, r engine.Requester) {
	give, err := q.Wait(t.Context(), r, func(string) {})
	if err != nil {
		t.Error(err)
		return
	}
	l.Lock()
	l.got = append(l.got, r.Chat)
	l.Unlock()
	<-time.After(time.Second)
	give()
}

// Chats come in the order in which they asked, and before what goes later; but nothing waits for more than a minute
// because of those who came after it.
func TestTheOrderOfTurns(t *testing.T) {
	eachQueue(t, func(t *testing.T, one, other engine.Queue) {
		var l line
		var all sync.WaitGroup
		for i, r := range []engine.Requester{{Chat: "first"}, {Chat: "later", Later: true}, {Chat: "a"}, {Chat: "b"}, {Chat: "c"}} {
			q := []engine.Queue{one, other}[i%2]
			all.Go(func() { l.wait(t, q, r) })
			<-time.After(100 * time.Millisecond)
		}
		if give, ok := other.Try(engine.Requester{}); ok {
			give()
			t.Error("one who does not wait came before those who do")
		}
		all.Wait()
		if want := []string{"first", "a", "b", "c", "later"}; !slices.Equal(l.got, want) {
			t.Errorf("the turns went to %q, want %q", l.got, want)
		}

		// Three chats ask again and again, more than the server can do.
		l.got = nil
		ctx, stop := context.WithCancel(t.Context())
		for _, name := range []string{"a", "b", "c"} {
			all.Go(func() {
				for ctx.Err() == nil {
					l.wait(t, one, engine.Requester{Chat: name})
				}
			})
		}
		<-time.After(5 * time.Second)
		began := time.Now()
		give, err := other.Wait(t.Context(), engine.Requester{Later: true}, func(string) {})
		if took := time.Since(began); err != nil || took < 50*time.Second || took > 70*time.Second {
			t.Errorf("what goes later waited for %v: %v", took, err)
		}
		give()
		stop()
		all.Wait()
	})
}

// One who stops to wait is out of the queue at once, and is in nobody's way.
func TestStopWhileWaitingForATurn(t *testing.T) {
	eachQueue(t, func(t *testing.T, one, other engine.Queue) {
		give, err := one.Wait(t.Context(), engine.Requester{Chat: "/chats/a.chat.md"}, func(string) { t.Error("nobody is before") })
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var said []string
		ended := make(chan error)
		go func() {
			_, err := other.Wait(ctx, engine.Requester{Chat: "b"}, func(first string) { said = append(said, first) })
			ended <- err
		}()
		<-time.After(time.Minute) // who has the turn gives signs
		began := time.Now()
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) || time.Since(began) > 0 {
			t.Errorf("it ended after %v: %v", time.Since(began), err)
		}
		if len(said) != 1 || said[0] != "the reply in a.chat.md" && said[0] != "Neovim's reply in a.chat.md" {
			t.Errorf("who waited was told %q", said)
		}
		give()
		give() // an old turn must not end a newer one
		again, ok := one.Try(engine.Requester{})
		if !ok {
			t.Fatal("one who stopped to wait is still in the way")
		}
		give()
		if _, ok := other.Try(engine.Requester{}); ok {
			t.Error("an old turn ended a newer one")
		}
		again()
	})
}

// Who waits for what this process itself does is told that in the same words, with or without other processes.
func TestAProcessDoesNotNameItself(t *testing.T) {
	eachQueue(t, func(t *testing.T, one, _ engine.Queue) {
		give, ok := one.Try(engine.Requester{Later: true, Loads: true})
		if !ok {
			t.Fatal("nobody is before")
		}
		ctx, stop := context.WithCancel(t.Context())
		var said string
		_, err := one.Wait(ctx, engine.Requester{Chat: "a.chat.md"}, func(first string) {
			said = first
			stop()
		})
		if !errors.Is(err, context.Canceled) || said != "the loading of a model" {
			t.Errorf("it is told %q, %v", said, err)
		}
		give()
	})
}

// Stop ends a run that waits for its turn.
func TestStopEndsARunThatWaits(t *testing.T) {
	l := newLab(t, agenttest.Say("never"))
	give, err := l.agent.Turn(t.Context(), "scripted")
	if err != nil {
		t.Fatal(err)
	}
	defer give()
	run := l.agent.Start(t.Context(), l.job(ask))
	waiting, err := agenttest.WaitFor(t.Context(), l.events, func(e event.Progress) bool { return e.Stage == event.Queued })
	if err != nil || waiting.Note != "the request comes first" {
		t.Errorf("the run says %q, %v", waiting.Note, err)
	}
	run.Stop()
	if end := l.end(run); end.Outcome != event.Stopped || len(l.backend.Requests()) != 0 {
		t.Errorf("the run ended %+v with %d requests", end, len(l.backend.Requests()))
	}
}
