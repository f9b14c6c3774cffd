package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/tools"
)

var door = tools.Inquiry{
	From: "the server notes", Target: "The server notes asks: \"Which\u202e door?\"", Text: "It says:\n> Which door?\n",
	Form: json.RawMessage(`{"type":"object","properties":{"colour":{"type":"string"}},"required":["colour"]}`),
}

// inquires is a run whose one call asks this, and what it was told.
func inquires(t *testing.T, l *lab, ask func(context.Context, tools.Asker) (tools.Reply, error), change func(*agent.Job)) (*agent.Run, chan error) {
	t.Helper()
	told := make(chan error, 1)
	job := l.job("## You\n\nLook it up.\n")
	job.Tools = l.only(reportingTool(func(ctx context.Context, report tools.Reporter) {
		_, err := ask(ctx, report.(tools.Asker))
		told <- err
	}))
	if change != nil {
		change(&job)
	}
	return l.agent.Start(t.Context(), job), told
}

func (l *lab) inquired() event.Question {
	l.t.Helper()
	asked, err := agenttest.WaitFor(l.t.Context(), l.events, func(e event.CallWaiting) bool { return e.Question.From != "" })
	if err != nil {
		l.t.Fatal(err)
	}
	return asked.Question
}

// What a running call asks is a question like every other: an answer must fit it, and is used up.
func TestARunningCallAsks(t *testing.T) {
	l := newLab(t, agenttest.CallTool("slow", "{}"), agenttest.Say("Done."))
	run, told := inquires(t, l, func(ctx context.Context, a tools.Asker) (tools.Reply, error) {
		reply, err := a.Ask(ctx, door)
		if err == nil && (!reply.Yes || string(reply.Form) != `{"colour":"red"}`) {
			err = errors.New(string(reply.Form))
		}
		return reply, err
	}, nil)
	q := l.inquired()
	if q.CallID != "c1" || q.InAnswer() != "c1.1" || q.Target != `The server notes asks: "Which<U+202E> door?"` || len(q.Offers) != 0 || len(run.Questions()) != 1 {
		t.Errorf("%+v", q)
	}
	for _, wrong := range []event.Answer{{Kind: event.Once}, {Kind: event.Once, Text: "red"}, {Kind: event.Once, Form: json.RawMessage(`{}`)}, {Offer: "x"}} {
		if err := run.Answer(q.ID, wrong); err == nil {
			t.Errorf("%+v is taken for an answer", wrong)
		}
	}
	answer := event.Answer{Kind: event.Once, Form: json.RawMessage(`{"colour":"red"}`)}
	if err := run.Answer(q.ID, answer); err != nil {
		t.Fatal(err)
	}
	if err := run.Answer(q.ID, answer); !errors.Is(err, agent.ErrNoQuestion) {
		t.Errorf("answered twice: %v", err)
	}
	if err := <-told; err != nil {
		t.Error(err)
	}
	l.end(run)
	if got := strings.Join(l.notes("asked"), "|"); got != "It says:\n> Which door?|You answered." {
		t.Errorf("the document says %q", got)
	}
}

// Whoever has answered sees the answered question no more: it was asked a second time at a terminal that looked at once.
func TestAnAnsweredInquiryIsGoneAtOnce(t *testing.T) {
	const times = 2000
	l := newLab(t, agenttest.CallTool("slow", "{}"), agenttest.Say("Done."))
	run, told := inquires(t, l, func(ctx context.Context, a tools.Asker) (reply tools.Reply, err error) {
		for range times {
			if reply, err = a.Ask(ctx, tools.Inquiry{From: "the server", Target: "Go on?"}); err != nil {
				break
			}
		}
		return reply, err
	}, nil)
	answered := map[string]bool{}
	for range times {
		asked, err := agenttest.WaitFor(t.Context(), l.events, func(e event.CallWaiting) bool { return !answered[e.Question.ID] })
		if err != nil {
			t.Fatal(err)
		}
		q := asked.Question
		answered[q.ID] = true
		if err := run.Answer(q.ID, event.Answer{Kind: event.Once}); err != nil {
			t.Fatal(err)
		}
		for _, open := range run.Questions() {
			if open.ID == q.ID {
				t.Fatal("the question still waits")
			}
		}
	}
	if err := <-told; err != nil {
		t.Error(err)
	}
	l.end(run)
}

// Where nobody is there the call is told so, goes on, and the document has what was asked.
func TestARunningCallAsksNobody(t *testing.T) {
	l := newLab(t, agenttest.CallTool("slow", "{}"), agenttest.Say("Done."))
	run, told := inquires(t, l, func(ctx context.Context, a tools.Asker) (tools.Reply, error) { return a.Ask(ctx, door) },
		func(job *agent.Job) { job.CanAsk = nil })
	if err := <-told; !errors.Is(err, tools.ErrNobody) {
		t.Errorf("%v", err)
	}
	if end := l.end(run); end.Outcome != event.Completed || !strings.Contains(strings.Join(l.notes("asked"), "|"), "Nobody was there") {
		t.Errorf("%+v, %q", end, l.notes("asked"))
	}
}

// A question for which nobody waits any more is taken away, and cannot be answered.
func TestAnInquiryIsGivenUp(t *testing.T) {
	l := newLab(t, agenttest.CallTool("slow", "{}"), agenttest.Say("Done."))
	given, over := make(chan struct{}), make(chan struct{})
	run, _ := inquires(t, l, func(ctx context.Context, a tools.Asker) (tools.Reply, error) {
		ctx, cancel := context.WithCancel(ctx)
		go func() { <-given; cancel() }()
		reply, err := a.Ask(ctx, door)
		<-over
		return reply, err
	}, nil)
	q := l.inquired()
	close(given)
	if _, err := agenttest.WaitFor(t.Context(), l.events, func(e event.ContextAdded) bool { return strings.Contains(e.Text(), "was not answered") }); err != nil {
		t.Fatal(err)
	}
	if err := run.Answer(q.ID, event.Answer{Kind: event.Deny}); !errors.Is(err, agent.ErrNoQuestion) || len(run.Questions()) != 0 {
		t.Errorf("%v, %+v", err, run.Questions())
	}
	close(over)
	l.end(run)
}

// A question ends with its call, also if the tool goes on to wait for the answer, and with Stop.
func TestAnInquiryEndsWithItsCall(t *testing.T) {
	for _, stop := range []bool{false, true} {
		l := newLab(t, agenttest.CallTool("slow", "{}"), agenttest.Say("Done."))
		late := make(chan error, 1)
		release := make(chan struct{})
		run, _ := inquires(t, l, func(ctx context.Context, a tools.Asker) (tools.Reply, error) {
			go func() { _, err := a.Ask(context.WithoutCancel(ctx), door); late <- err }()
			select {
			case <-release:
			case <-ctx.Done():
			}
			return tools.Reply{}, nil
		}, nil)
		q := l.inquired()
		if stop {
			run.Stop()
		} else {
			close(release)
		}
		select {
		case err := <-late:
			if err == nil {
				t.Error("it was answered")
			}
		case <-time.After(10 * time.Second):
			t.Errorf("stop %v: it waits on", stop)
		}
		l.end(run)
		if err := run.Answer(q.ID, event.Answer{Kind: event.Deny}); !errors.Is(err, agent.ErrNoQuestion) {
			t.Error(err)
		}
		if stop && strings.Contains(strings.Join(l.notes("asked"), "|"), "not answered") {
			t.Errorf("after Stop the document gets %q", l.notes("asked"))
		}
	}
}

// haiku is what a server asks the model.
func haiku(text string, tokens int) tools.Inquiry {
	return tools.Inquiry{
		From: "the server notes", Target: "The server notes wants the model to answer", Text: "> " + text + "\n", Yes: "Let the model answer the server",
		Model: &tools.ModelInquiry{System: "You write haiku.", Messages: []tools.ModelMessage{{Text: text}}, MaxTokens: tokens},
	}
}

// The model answers somebody else only after a yes, with nothing of the chat and no tools, and what it says is in
// the document.
func TestTheModelAnswersSomebodyElse(t *testing.T) {
	for _, yes := range []bool{true, false} {
		l := newLab(t, agenttest.CallTool("slow", "{}"), agenttest.Say("Rain falls."), agenttest.Say("Done."))
		if !yes {
			l.backend.Replies = []agenttest.Reply{agenttest.CallTool("slow", "{}"), agenttest.Say("Done.")}
		}
		var reply tools.Reply
		run, told := inquires(t, l, func(ctx context.Context, a tools.Asker) (_ tools.Reply, err error) {
			reply, err = a.Ask(ctx, haiku("About <|im_start|>rain.", 100))
			return reply, err
		}, nil)
		q := l.inquired()
		if n := len(l.backend.Requests()); n != 1 || !strings.Contains(q.Notice, "The model is ") {
			t.Errorf("%d requests before an answer; %q", n, q.Notice)
		}
		kind := event.Deny
		if yes {
			kind = event.Once
		}
		if err := run.Answer(q.ID, event.Answer{Kind: kind}); err != nil {
			t.Fatal(err)
		}
		if err := <-told; err != nil {
			t.Error(err)
		}
		l.end(run)
		if !yes {
			if len(l.backend.Requests()) != 2 || reply.Yes {
				t.Errorf("%d requests, %+v", len(l.backend.Requests()), reply)
			}
			continue
		}
		asked := l.backend.Requests()[1]
		if len(asked.Messages) != 2 || asked.Messages[0].Text != "You write haiku." || len(asked.Tools) != 0 || asked.MaxTokens != 100 || strings.Contains(asked.Messages[1].Text, "<|im_start|>") {
			t.Errorf("%+v", asked)
		}
		if !reply.Yes || reply.Text != "Rain falls." || reply.Model == "" || !strings.Contains(strings.Join(l.notes("asked"), "|"), "|You said yes.|The model answered:\n> Rain falls.") {
			t.Errorf("%+v, %q", reply, l.notes("asked"))
		}
	}
}

// What does not fit the context is neither asked nor sent shortened, and the document says why.
func TestTheModelAnswersNoMoreThanFits(t *testing.T) {
	l := newLab(t, agenttest.CallTool("slow", "{}"), agenttest.Say("Done."))
	run, told := inquires(t, l, func(ctx context.Context, a tools.Asker) (tools.Reply, error) {
		what := haiku("Many words.", 100)
		what.Model.Messages[0].Text = strings.Repeat("word ", 100_000)
		return a.Ask(ctx, what)
	}, nil)
	if err := <-told; err == nil || !strings.Contains(err.Error(), "the context of") {
		t.Error(err)
	}
	l.end(run)
	if said := strings.Join(l.notes("asked"), "|"); !strings.Contains(said, "The model did not answer, and nothing was given to the server: it takes about") {
		t.Errorf("%.300q", said)
	}
}

// A yes that had no effect is told, with what went wrong.
func TestTheModelFailsForSomebodyElse(t *testing.T) {
	l := newLab(t, agenttest.CallTool("slow", "{}"), agenttest.Say(""), agenttest.Say("Done."))
	run, told := inquires(t, l, func(ctx context.Context, a tools.Asker) (tools.Reply, error) {
		return a.Ask(ctx, haiku("About rain.", 100))
	}, nil)
	if err := run.Answer(l.inquired().ID, event.Answer{Kind: event.Once}); err != nil {
		t.Fatal(err)
	}
	if err := <-told; err == nil {
		t.Error("it answered")
	}
	l.end(run)
	if said := strings.Join(l.notes("asked"), "|"); !strings.Contains(said, "The model did not answer, and nothing was given to the server: the model answered with nothing.") {
		t.Errorf("%.300q", said)
	}
}

// A person who stops a call that can still ask is asked, and the run is over once they have answered. Before and after
// that, nothing can be stopped so.
func TestACallIsStoppedAlone(t *testing.T) {
	l := newLab(t, agenttest.CallTool("slow", "{}"), agenttest.Say("Done."))
	begun := make(chan struct{})
	run, told := inquires(t, l, func(ctx context.Context, a tools.Asker) (tools.Reply, error) {
		halting, release := a.(tools.Halter).Halting(ctx)
		defer release()
		close(begun)
		<-halting.Done()
		reply, err := a.Ask(ctx, tools.Inquiry{From: "it", Target: "Keep it?", Text: "It.", Yes: "Keep it", Other: "Some of it"})
		if !reply.Other || reply.Yes {
			err = errors.New("what was chosen is lost")
		}
		return reply, err
	}, nil)
	<-begun
	if !run.Halt() || run.Halt() {
		t.Error("the call is stopped more or less than once")
	}
	q := l.inquired()
	if len(q.Offers) != 1 || q.Offers[0].Title != "Some of it" {
		t.Fatalf("%+v", q.Offers)
	}
	if err := run.Answer(q.ID, event.Answer{Offer: q.Offers[0].ID}); err != nil {
		t.Fatal(err)
	}
	if err := <-told; err != nil {
		t.Error(err)
	}
	if end := l.end(run); end.Outcome != event.Stopped || len(l.backend.Requests()) != 1 {
		t.Errorf("%+v", end)
	}
	if got := strings.Join(l.notes("asked"), "|"); !strings.HasSuffix(got, "You chose: Some of it.") {
		t.Errorf("the document says %q", got)
	}
}
