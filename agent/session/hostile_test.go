package session_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/tools"
)

// TestAnImageUnderManyNames: what one small chat links is not all read before it is refused.
func TestAnImageUnderManyNames(t *testing.T) {
	l := newLab(t).seeing()
	l.write("a.png", string(picture(t, 1))+strings.Repeat("x", 9<<20))
	ask := "## You\n\n"
	for n := range 60 {
		ask += "![](" + strings.Repeat("./", n) + "a.png) "
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, end := l.converse("ask.chat.md", "eyes", ask)
	runtime.ReadMemStats(&after)
	if read := (after.TotalAlloc - before.TotalAlloc) >> 20; end.Outcome != event.Broken || read > 800 {
		t.Errorf("%+v after %d MB", end, read)
	}
}

// TestManyLinksAreNotSaidOneByOne: a hostile chat does not become several times as long by what is said about its
// links.
func TestManyLinksAreNotSaidOneByOne(t *testing.T) {
	l := newLab(t, agenttest.Say("So.")).seeing()
	ask := "## You\n\n"
	for n := range 500 {
		ask += fmt.Sprintf("![](http://a/%d.png)\n", n)
	}
	document, _ := l.converse("ask.chat.md", "blind", ask)
	if added := strings.TrimPrefix(document, ask); strings.Count(added, "nothing is fetched") != 20 || !strings.Contains(added, "480 more images are not sent.") {
		t.Errorf("added %q", added)
	}
}

// evil is a source of tools that cannot be used.
type evil struct{ list []tools.Tool }

func (evil) Name() string { return "an evil server" }

func (e evil) Tools(context.Context) ([]tools.Tool, <-chan struct{}, error) { return e.list, nil, nil }

type panicking struct{ tools.Tool }

func (panicking) Spec() tools.Spec { panic("no spec") }

// TestAToolThatPanicsWhenListed is a problem of its source alone.
func TestAToolThatPanicsWhenListed(t *testing.T) {
	for name, bad := range map[string]tools.Tool{"nil": nil, "panics": panicking{}} {
		l := newLab(t, agenttest.Say("So."))
		l.env.Tools = tools.NewSources(nil, evil{[]tools.Tool{bad}})
		s := l.chat("ask.chat.md", ask)
		if err := s.Send(t.Context()); err != nil {
			t.Fatal(name, err)
		}
		if end, err := s.Wait(); err != nil || end.Outcome != event.Completed {
			t.Error(name, end, err)
		}
	}
}

// TestAPanicBeforeARunLeavesTheChatFree: the next Send is not refused because of a lock that nobody holds.
func TestAPanicBeforeARunLeavesTheChatFree(t *testing.T) {
	l := newLab(t, agenttest.Say("So."))
	l.env.Warn = func(string) { panic("no window") }
	l.env.Tools = tools.NewSources(nil, failing{})
	s := l.chat("ask.chat.md", ask)
	func() {
		defer func() { _ = recover() }()
		_ = s.Send(t.Context())
	}()
	unlock, owner, err := l.env.State.LockChat(l.root + "/ask.chat.md")
	if err != nil {
		t.Fatal(owner, err)
	}
	unlock()
}
