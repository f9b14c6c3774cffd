package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/transcript"
)

// far is a model under a harmless name that runs elsewhere.
var far = model.Info{Name: "harmless:1b", Capabilities: []string{"completion", "tools"}, ContextLimit: 8192, RemoteHost: "https://ollama.com:443"}

func near(name string) model.Info {
	return model.Info{Name: name, Capabilities: []string{"completion", "tools"}, ContextLimit: 8192, Bytes: 1}
}

// cloud is a lab with such a model, and with one that only its name gives away.
func cloud(t *testing.T, replies ...agenttest.Reply) *lab {
	t.Helper()
	l := newLab(t, replies...)
	named := near("gpt-oss:120b-cloud")
	l.backend.Installed = []model.Info{near("local:1b"), near("flagged:1b"), far, named}
	return l
}

func naming(name string) string { return "---\nmodel: " + name + "\n---\n\n" + ask }

// Promise 9. Invariant 16.
func TestAModelElsewhereIsUsedOnlyIfTheUserNamedIt(t *testing.T) {
	for _, test := range []struct {
		name     string
		document string
		options  engine.Options
		sent     string // the model that was asked; empty: none, since nobody is there to say yes
	}{
		{"the chat names it", naming(far.Name), engine.Options{}, ""},
		{"the chat names one in the cloud", naming("gpt-oss:120b-cloud"), engine.Options{}, ""},
		{"the chat names it over the user's own", naming(far.Name), engine.Options{Model: "local:1b", UserModels: []string{"", "local:1b"}}, ""},
		{"the workspace names it", ask, engine.Options{Model: far.Name}, ""},
		{"a flag wins over the chat", naming(far.Name), engine.Options{Model: "local:1b", ModelFlag: "flagged:1b", UserModels: []string{"flagged:1b", ""}}, "flagged:1b"},
		{"the user's file names it", ask, engine.Options{Model: far.Name, UserModels: []string{"", "Harmless:1b"}}, far.Name},
		{"a flag names it", ask, engine.Options{Model: far.Name, ModelFlag: far.Name, UserModels: []string{far.Name, ""}}, far.Name},
		{"the chat and the user's file name it", naming(far.Name), engine.Options{Model: far.Name, UserModels: []string{"", far.Name}}, far.Name},
		{"nobody names one", ask, engine.Options{}, "flagged:1b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := cloud(t, agenttest.Say("Hello."))
			job := l.job(test.document)
			test.options.Format = "native"
			job.Options, job.CanAsk = test.options, nil
			end := l.end(l.agent.Start(t.Context(), job))
			requests := l.backend.Requests()
			if test.sent == "" {
				if len(requests) > 0 || end.Outcome != event.Broken || !strings.Contains(end.Sentence, "runs at ollama.com") || !strings.Contains(end.Sentence, "--model") {
					t.Errorf("%d requests; %+v", len(requests), end)
				}
				return
			}
			if len(requests) != 1 || requests[0].Model != test.sent || end.Outcome != event.Completed {
				t.Errorf("%d requests; %+v", len(requests), end)
			}
			started := agenttest.Of[event.Started](l.events)[0]
			notes := slices.DeleteFunc(agenttest.Of[event.ContextAdded](l.events), func(e event.ContextAdded) bool { return !e.NotSent })
			if elsewhere := test.sent == far.Name; elsewhere != (started.Host == "ollama.com") || elsewhere != (len(notes) == 1) {
				t.Errorf("it is said to run at %q, with %+v", started.Host, notes)
			}
		})
	}
}

// Promise 9.
func TestAModelElsewhereIsAskedAbout(t *testing.T) {
	asked := func(l *lab, document string) (*agent.Run, event.Question) {
		l.events = &agenttest.Recorder[event.Event]{}
		run := l.agent.Start(l.t.Context(), l.job(document))
		ctx, cancel := context.WithCancel(l.t.Context())
		go func() {
			<-run.Done() // then nothing is asked any more
			cancel()
		}()
		waiting, err := agenttest.WaitFor(ctx, l.events, func(event.CallWaiting) bool { return true })
		if err != nil {
			l.t.Fatalf("the run ended without a question: %+v", run.Wait())
		}
		return run, waiting.Question
	}
	l := cloud(t, agenttest.Say("Hello."), agenttest.Say("Again."))
	run, q := asked(l, naming(far.Name))
	if len(l.backend.Requests()) > 0 || q.Model != far.Name || q.Host != "ollama.com" || !strings.Contains(q.Preview, "The head of this chat names it") {
		t.Fatalf("before the answer: %d requests, %+v", len(l.backend.Requests()), q)
	}
	if waiting := run.Questions(); len(waiting) != 1 || waiting[0].ID != q.ID {
		t.Errorf("what waits: %+v", waiting)
	}
	for _, answer := range []event.Answer{{}, {Kind: 3}, {Offer: "chat"}, {Kind: event.Once, Offer: "chat"}} {
		if err := run.Answer(q.ID, answer); err == nil {
			t.Errorf("the answer %+v was taken", answer)
		}
	}
	if err := run.Answer("another", event.Answer{Kind: event.Once}); !errors.Is(err, agent.ErrNoQuestion) {
		t.Errorf("an answer to another question: %v", err)
	}
	if err := errors.Join(run.Revise("", nil), run.Recheck()); err != nil {
		t.Error(err)
	}
	if got := q.Heading(); got != "This chat would be sent to harmless:1b, which runs at ollama.com" {
		t.Errorf("the terminal asks %q", got)
	}
	if err := run.Answer(q.ID, event.Answer{Kind: event.Once}); err != nil {
		t.Fatal(err)
	}
	if waiting := run.Questions(); len(waiting) > 0 {
		t.Errorf("what was answered is asked again: %+v", waiting)
	}
	if end := l.end(run); end.Outcome != event.Completed || len(run.Questions()) > 0 {
		t.Errorf("after yes: %+v", end)
	}
	// What was allowed in this chat is not asked again, and is not allowed in another one.
	l.events = &agenttest.Recorder[event.Event]{}
	if end := l.end(l.agent.Start(t.Context(), l.job(naming(far.Name)))); end.Outcome != event.Completed {
		t.Errorf("the second time: %+v", end)
	}
	job := l.job(naming(far.Name))
	job.Chat, job.CanAsk = "another", nil
	l.events = &agenttest.Recorder[event.Event]{}
	job.Sink = l.events
	if end := l.end(l.agent.Start(t.Context(), job)); end.Outcome != event.Broken {
		t.Errorf("in another chat: %+v", end)
	}
	// The same name stands for a model at another place now.
	l.backend.Installed[2].RemoteHost = "https://elsewhere.lan"
	run, q = asked(l, naming(far.Name))
	if q.Host != "elsewhere.lan" {
		t.Errorf("asked about %q", q.Host)
	}
	if err := run.Answer(q.ID, event.Answer{Kind: event.Deny}); err != nil {
		t.Error(err)
	}
	if end := l.end(run); end.Outcome != event.Stopped || !strings.Contains(end.Sentence, "Nothing was sent") {
		t.Errorf("after no: %+v", end)
	}
	run, _ = asked(l, naming(far.Name))
	run.Stop()
	if end := l.end(run); end.Outcome != event.Stopped {
		t.Errorf("after Stop: %+v", end)
	}
	if n := len(l.backend.Requests()); n != 2 {
		t.Errorf("%d requests were made, and 2 allowed", n)
	}
}

// Who names no model gets one that fits into the memory of the server's machine, as the settings' page says.
func TestTheChosenModelFits(t *testing.T) {
	large, small := near("large:70b"), near("small:1b")
	large.Parameters, large.Bytes, small.Parameters, small.Bytes = "70B", 40<<30, "1B", 1<<30
	for memory, want := range map[int64]string{0: large.Name, 4 << 30: small.Name, 64 << 30: large.Name} {
		l := newLab(t, agenttest.Say("Hello."))
		l.backend.Installed, l.backend.Bytes = []model.Info{large, small}, memory
		l.end(l.agent.Start(t.Context(), l.job(ask)))
		if started := agenttest.Of[event.Started](l.events); len(started) != 1 || started[0].Model != want {
			t.Errorf("with %d bytes of memory: %+v, want %s", memory, started, want)
		}
	}
}

// A model may be replaced by one elsewhere between the question what it is and its reply.
// Promise 9.
func TestAReplyFromElsewhereIsNotTaken(t *testing.T) {
	l := newLab(t, agenttest.Reply{Chunks: []model.Chunk{{Text: "Hello.", RemoteHost: "https://ollama.com"}}})
	end := l.end(l.agent.Start(t.Context(), l.job(ask)))
	if end.Outcome != event.Broken || !strings.Contains(end.Sentence, "runs at ollama.com") || len(agenttest.Of[event.TextDelta](l.events)) > 0 {
		t.Errorf("%+v", end)
	}
}

// Promise 9.
func TestAModelElsewhereIsNotLoadedAhead(t *testing.T) {
	for _, name := range []string{far.Name, "gpt-oss:120b-cloud"} {
		l := cloud(t)
		if err := l.agent.Warm(t.Context(), transcript.Parse(naming(name)), engine.Options{}); err != nil || len(l.backend.Loads()) > 0 {
			t.Errorf("%v; loaded %q", err, l.backend.Loads())
		}
	}
}

func TestPermit(t *testing.T) {
	l := cloud(t)
	for _, test := range []struct {
		info    model.Info
		options engine.Options
		want    bool
	}{
		{near("local:1b"), engine.Options{}, true},
		{far, engine.Options{}, false},
		{far, engine.Options{Model: far.Name}, false},
		{far, engine.Options{UserModels: []string{""}}, false},
		{far, engine.Options{UserModels: []string{far.Name}}, true},
	} {
		if err := l.agent.Permit("chat", test.options, test.info); (err == nil) != test.want {
			t.Errorf("%s, %+v: %v", test.info.Name, test.options, err)
		}
	}
}
