package agent_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// tried is a backend whose server has to be tried. It notes how many chats it had each time.
type tried struct {
	*agenttest.Scripted
	fails error
	build string

	mu    sync.Mutex
	known map[string]model.Abilities // guarded by mu, like all below
	after []int
}

func (b *tried) Probe(_ context.Context, name string) (model.Abilities, error) {
	n := len(b.Requests())
	b.mu.Lock()
	defer b.mu.Unlock()
	b.after = append(b.after, n)
	a := model.Abilities{Server: "openai", Model: name, Build: b.build, Schema: model.ByResponseFormat, Calls: model.WholeCalls}
	if b.fails == nil {
		b.known[name] = a
	}
	return a, b.fails
}

func (b *tried) Abilities(name string) (model.Abilities, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a, ok := b.known[name]
	return a, ok && a.Build == b.build
}

func (b *tried) Recall(a model.Abilities) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[a.Model] = a
}

func (b *tried) times() []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.after
}

// TestAServerIsTriedOnceAndOnlyIfAllowed: a server elsewhere is tried once a person said yes, before the first request;
// what was seen counts for the same build, also for what comes later; and a probe that fails is no reason not to send.
// Promise 9.
func TestAServerIsTriedOnceAndOnlyIfAllowed(t *testing.T) {
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	start := func(name string, fails error) (*lab, *tried, func(answer event.AnswerKind) event.Outcome) {
		l := cloud(t, agenttest.Say("Hello."), agenttest.Say("Again."), agenttest.Say("And again."))
		b := &tried{Scripted: l.backend, fails: fails, build: "b1", known: map[string]model.Abilities{}}
		l.agent = agent.New(b, profiles)
		return l, b, func(answer event.AnswerKind) event.Outcome {
			l.events = &agenttest.Recorder[event.Event]{}
			run := l.agent.Start(t.Context(), l.job(naming(name)))
			if answer == 0 {
				return l.end(run).Outcome
			}
			waiting, err := agenttest.WaitFor(t.Context(), l.events, func(event.CallWaiting) bool { return true })
			if err != nil || len(b.times()) > 0 {
				t.Fatalf("tried before the answer: %v, %v", b.times(), err)
			}
			if err := run.Answer(waiting.Question.ID, event.Answer{Kind: answer}); err != nil {
				t.Error(err)
			}
			return l.end(run).Outcome
		}
	}

	l, b, send := start(far.Name, nil)
	if end := send(event.Deny); end != event.Stopped || len(b.times()) > 0 || len(l.backend.Requests()) > 0 {
		t.Errorf("after no: %v, tried after %v chats", end, b.times())
	}
	if end := send(event.Once); end != event.Completed || len(b.times()) != 1 || b.times()[0] != 0 {
		t.Errorf("after yes: %v, tried after %v chats", end, b.times())
	}
	if end := send(0); end != event.Completed || len(b.times()) != 1 {
		t.Errorf("a second message: %v, tried after %v chats", end, b.times())
	}
	b.build = "b2"
	if end := send(0); end != event.Completed || len(b.times()) != 2 {
		t.Errorf("of another build: %v, tried after %v chats", end, b.times())
	}

	l, b, send = start("local:1b", errors.New("no answer"))
	if end := send(0); end != event.Completed || len(b.times()) != 1 || len(l.backend.Requests()) != 1 {
		t.Errorf("a probe that fails: %v, %d requests", end, len(l.backend.Requests()))
	}
}
