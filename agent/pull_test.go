package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// registry is a backend whose server can fetch one more model.
type registry struct {
	*agenttest.Scripted
	holds   model.Info
	source  string
	asked   []string // what was to be fetched
	waiting bool     // it fetches until it is stopped
	err     error
}

func (r *registry) Source(name string) model.Source {
	if r.source == "" {
		return model.Source{}
	}
	return model.Source{Name: name, Host: r.source, Server: "box at http://127.0.0.1:9"}
}

func (r *registry) Pull(ctx context.Context, name string, each func(model.Pulled)) error {
	r.asked = append(r.asked, name)
	each(model.Pulled{Status: "pulling manifest"})
	for done := range 1001 {
		each(model.Pulled{Done: int64(done), Total: 1000})
	}
	if r.waiting {
		<-ctx.Done()
		return ctx.Err()
	}
	if r.err == nil {
		r.Installed = append(r.Installed, r.holds)
	}
	return r.err
}

// pulling is a lab whose server has another model than those that are named.
func pulling(t *testing.T, holds model.Info) (*lab, *registry) {
	t.Helper()
	l := newLab(t, agenttest.Say("Hello."))
	l.backend.Installed = []model.Info{near("local:1b")}
	r := &registry{Scripted: l.backend, holds: holds, source: "registry.example"}
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	l.agent = agent.New(r, profiles)
	return l, r
}

// nextQuestion is the next one that the run asks.
func (l *lab) nextQuestion(run *agent.Run, is func(event.Question) bool) event.Question {
	l.t.Helper()
	ctx, cancel := context.WithCancel(l.t.Context())
	defer cancel()
	go func() {
		<-run.Done() // then nothing is asked any more
		cancel()
	}()
	waiting, err := agenttest.WaitFor(ctx, l.events, func(w event.CallWaiting) bool { return is(w.Question) })
	if err != nil {
		l.t.Fatalf("the run ended without the question: %+v", run.Wait())
	}
	return waiting.Question
}

func isPull(q event.Question) bool { return q.Pull }

// Promise 9.
func TestAMissingModelIsFetchedOnceAPersonSaidYes(t *testing.T) {
	l, r := pulling(t, near("new:1b"))
	run := l.agent.Start(t.Context(), l.job(naming("new:1b")))
	q := l.nextQuestion(run, isPull)
	if len(r.asked) > 0 || q.Model != "new:1b" || q.Host != "registry.example" || !strings.Contains(q.Preview, "The head of this chat names it") ||
		!strings.Contains(q.Preview, "If you allow it, box at http://127.0.0.1:9 fetches it from registry.example") || len(q.Calls()) > 0 {
		t.Fatalf("before the answer %q was fetched: %+v", r.asked, q)
	}
	for _, answer := range []event.Answer{{}, {Offer: "chat"}, {Kind: event.Once, Text: "yes"}} {
		if err := run.Answer(q.ID, answer); err == nil {
			t.Errorf("the answer %+v was taken", answer)
		}
	}
	if err := errors.Join(run.Revise("c1", nil), run.Recheck(), run.Answer(q.ID, event.Answer{Kind: event.Once})); err != nil {
		t.Fatal(err)
	}
	if end := l.end(run); end.Outcome != event.Completed || len(r.asked) != 1 || l.backend.Requests()[0].Model != "new:1b" {
		t.Errorf("%+v; fetched %q", end, r.asked)
	}
	percent, reports := 0, 0
	for _, p := range agenttest.Of[event.Progress](l.events) {
		if p.Stage != event.Pulling {
			continue
		}
		if reports++; p.Percent() < percent || !strings.Contains(p.Note, "new:1b") {
			t.Errorf("%+v after %d %%", p, percent)
		}
		percent = p.Percent()
	}
	if reports < 2 || reports > 104 {
		t.Errorf("%d reports of 1002", reports)
	}
}

// Promise 9.
func TestAMissingModelIsNotFetched(t *testing.T) {
	for _, test := range []struct {
		name, document string
		options        engine.Options
		prepare        func(*registry, *agent.Job)
		words          string
	}{
		{"a chat names it and nobody is there", naming("new:1b"), engine.Options{}, func(_ *registry, j *agent.Job) { j.CanAsk = nil }, "is not installed"},
		{"a workspace names it and nobody answers", ask, engine.Options{Model: "new:1b"}, func(_ *registry, j *agent.Job) { j.CanAsk = func(event.Question) bool { return false } }, "is not installed"},
		{"a flag names it and nobody is there", ask, engine.Options{ModelFlag: "new:1b", UserModels: []string{"new:1b"}}, func(_ *registry, j *agent.Job) { j.CanAsk = nil }, "is not installed"},
		{"there is nothing to fetch", naming("new:1b-cloud"), engine.Options{}, func(r *registry, _ *agent.Job) { r.source = "" }, "is not installed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, r := pulling(t, near("new:1b"))
			job := l.job(test.document)
			test.options.Format, job.Options = "native", test.options
			test.prepare(r, &job)
			end := l.end(l.agent.Start(t.Context(), job))
			if len(r.asked) > 0 || len(l.backend.Requests()) > 0 || end.Outcome != event.Broken || !strings.Contains(end.Sentence, test.words) {
				t.Errorf("fetched %q; %+v", r.asked, end)
			}
		})
	}
	for name, test := range map[string]struct {
		answer  event.AnswerKind
		prepare func(*registry)
		outcome event.Outcome
		words   string
	}{
		"no":              {event.Deny, func(*registry) {}, event.Stopped, "was not pulled, so nothing was sent"},
		"it fails":        {event.Once, func(r *registry) { r.err = &model.Error{Kind: model.Refused, Sentence: "The disk is full."} }, event.Broken, "The disk is full."},
		"it is not there": {event.Once, func(r *registry) { r.holds = near("other:1b") }, event.Broken, "is not installed"},
	} {
		t.Run(name, func(t *testing.T) {
			l, r := pulling(t, near("new:1b"))
			test.prepare(r)
			run := l.agent.Start(t.Context(), l.job(naming("new:1b")))
			if err := run.Answer(l.nextQuestion(run, isPull).ID, event.Answer{Kind: test.answer}); err != nil {
				t.Fatal(err)
			}
			if end := l.end(run); end.Outcome != test.outcome || !strings.Contains(end.Sentence, test.words) || len(l.backend.Requests()) > 0 {
				t.Errorf("%+v", end)
			}
		})
	}
}

func TestFetchingIsStopped(t *testing.T) {
	l, r := pulling(t, near("new:1b"))
	r.waiting = true
	run := l.agent.Start(t.Context(), l.job(naming("new:1b")))
	if err := run.Answer(l.nextQuestion(run, isPull).ID, event.Answer{Kind: event.Once}); err != nil {
		t.Fatal(err)
	}
	if err := run.Answer("late", event.Answer{Kind: event.Once}); !errors.Is(err, agent.ErrNoQuestion) {
		t.Errorf("while it is fetched: %v", err)
	}
	run.Stop()
	if end := l.end(run); end.Outcome != event.Stopped || len(l.backend.Requests()) > 0 {
		t.Errorf("%+v", end)
	}
}

// A name that says nothing of it may be fetched and then turn out to run elsewhere: that is asked about, even if the
// user named it.
// Promise 9.
func TestWhatWasFetchedMayRunElsewhere(t *testing.T) {
	l, _ := pulling(t, far)
	job := l.job(ask)
	job.Options.ModelFlag, job.Options.UserModels = far.Name, []string{far.Name, ""}
	run := l.agent.Start(t.Context(), job)
	q := l.nextQuestion(run, isPull)
	if !strings.Contains(q.Preview, "You named it yourself") {
		t.Errorf("it says\n%s", q.Preview)
	}
	if err := run.Answer(q.ID, event.Answer{Kind: event.Once}); err != nil {
		t.Fatal(err)
	}
	q = l.nextQuestion(run, func(q event.Question) bool { return !q.Pull })
	if len(l.backend.Requests()) > 0 || q.Host != "ollama.com" {
		t.Errorf("%d requests before %+v", len(l.backend.Requests()), q)
	}
	if err := run.Answer(q.ID, event.Answer{Kind: event.Deny}); err != nil {
		t.Fatal(err)
	}
	if end := l.end(run); end.Outcome != event.Stopped || len(l.backend.Requests()) > 0 {
		t.Errorf("%+v", end)
	}
}

// Looking at what would be sent, and loading ahead, fetch nothing and ask nobody.
// Promise 9.
func TestNothingElseFetches(t *testing.T) {
	l, r := pulling(t, near("new:1b"))
	job := l.job(naming("new:1b"))
	job.CanAsk = nil
	if _, err := l.agent.Inspect(t.Context(), job); err == nil || len(r.asked) > 0 {
		t.Errorf("inspected: %v, %q", err, r.asked)
	}
	if err := l.agent.Warm(t.Context(), job.Document, engine.Options{}); err == nil || len(r.asked) > 0 {
		t.Errorf("loaded ahead: %v, %q", err, r.asked)
	}
}
