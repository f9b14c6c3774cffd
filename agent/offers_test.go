package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

// callTools is a reply of several calls: names and arguments in turn.
func callTools(nameArguments ...string) agenttest.Reply {
	var calls []model.Call
	for pair := range slices.Chunk(nameArguments, 2) {
		calls = append(calls, model.Call{Name: pair[0], Arguments: []byte(pair[1])})
	}
	return agenttest.Reply{Chunks: []model.Chunk{{Calls: calls}}}
}

const otherEdit = `{"path":"README.md","old_text":"world","new_text":"everybody"}`

// only offers what is chosen of another question, of no question and of an earlier form of this one: none of it is
// taken.
// Invariant 8.
func TestAnOfferIsOfOneQuestion(t *testing.T) {
	l := newLab(t, callTools("edit_file", theEdit, "edit_file", otherEdit, "write_file", `{"path":".envrc","content":"x\n"}`), agenttest.Say("Done."))
	run := l.agent.Start(t.Context(), l.job(ask))
	first, second, hidden := l.waits("c1"), l.waits("c2"), l.waits("c3")
	if len(first.Offers) == 0 || len(hidden.Offers) != 0 || hidden.Protected == "" {
		t.Fatalf("offered: %+v, %+v", first.Offers, hidden)
	}
	for name, c := range map[string]struct {
		question string
		answer   event.Answer
		want     error // nil: any
	}{
		"an offer of another question":         {first.ID, event.Answer{Offer: second.Offers[0].ID}, policy.ErrNotOffered},
		"an offer that nobody made":            {first.ID, event.Answer{Offer: "chat"}, policy.ErrNotOffered},
		"an offer and an approval":             {first.ID, event.Answer{Offer: first.Offers[0].ID, Kind: event.Once}, nil},
		"an offer for a protected call":        {hidden.ID, event.Answer{Offer: first.Offers[0].ID}, nil},
		"an offer with a reason":               {first.ID, event.Answer{Offer: first.Offers[0].ID, Text: "sure"}, nil},
		"an offer of a question that is gone":  {"gone", event.Answer{Offer: first.Offers[0].ID}, agent.ErrNoQuestion},
		"nothing":                              {first.ID, event.Answer{}, nil},
		"an approval with words":               {first.ID, event.Answer{Kind: event.Once, Text: "sure"}, nil},
		"an approval with a form":              {first.ID, event.Answer{Kind: event.Once, Form: []byte(`{}`)}, nil},
		"a denial with a form":                 {first.ID, event.Answer{Kind: event.Deny, Form: []byte(`{}`)}, nil},
		"the question of one call for another": {second.Offers[0].ID, event.Answer{Kind: event.Once}, agent.ErrNoQuestion},
	} {
		if err := run.Answer(c.question, c.answer); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(l.env.Policy.Grants()) > 0 || len(run.Questions()) != 3 {
		t.Errorf("granted %+v; asked %+v", l.env.Policy.Grants(), run.Questions())
	}

	// What the first call would do has changed since it was shown.
	l.write("README.md", "# Title\n\nHelo, everybody in the world\n")
	if err := run.Answer(first.ID, event.Answer{Offer: first.Offers[1].ID}); !errors.Is(err, agent.ErrNoQuestion) {
		t.Errorf("a stale offer: %v", err)
	}
	again, err := agenttest.WaitFor(t.Context(), l.events, func(e event.CallWaiting) bool {
		return e.Question.CallID == "c1" && e.Question.ID != first.ID
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Answer(again.Question.ID, event.Answer{Offer: first.Offers[1].ID}); !errors.Is(err, policy.ErrNotOffered) {
		t.Errorf("an offer of the question that this one replaced: %v", err)
	}
	if len(l.env.Policy.Grants()) > 0 {
		t.Errorf("granted %+v", l.env.Policy.Grants())
	}

	// The right one is taken, once, and covers the next edit but not the protected file.
	if err := run.Answer(again.Question.ID, event.Answer{Offer: again.Question.Offers[0].ID}); err != nil {
		t.Fatal(err)
	}
	if err := run.Answer(again.Question.ID, event.Answer{Offer: again.Question.Offers[0].ID}); !errors.Is(err, agent.ErrNoQuestion) {
		t.Errorf("a second answer: %v", err)
	}
	if _, err := agenttest.WaitFor(t.Context(), l.events, func(e event.CallEnded) bool { return e.ID == "c2" }); err != nil {
		t.Fatal(err)
	}
	if err := run.Answer(l.waits("c3").ID, event.Answer{Kind: event.Deny}); err != nil {
		t.Fatal(err)
	}
	l.end(run)
	if text := l.read("README.md"); text != "# Title\n\nHello, everybody in the everybody\n" || len(l.env.Policy.Grants()) != 1 {
		t.Errorf("README.md is %q; granted %+v", text, l.env.Policy.Grants())
	}
	if _, err := os.Stat(filepath.Join(l.root, ".envrc")); err == nil {
		t.Error("the protected file was written")
	}
}

// Of many answers at once one is taken.
// Invariant 8.
func TestTheFirstAnswerCounts(t *testing.T) {
	for range 20 {
		l := newLab(t, agenttest.CallTool("edit_file", theEdit), agenttest.Say("Done."))
		run := l.agent.Start(t.Context(), l.job(ask))
		q := l.waits("c1")
		answers := []event.Answer{{Kind: event.Once}, {Kind: event.Deny}, {Offer: q.Offers[0].ID}, {Offer: q.Offers[1].ID}}
		taken := make([]bool, len(answers))
		var all sync.WaitGroup
		for i, answer := range answers {
			all.Go(func() { taken[i] = run.Answer(q.ID, answer) == nil })
		}
		all.Wait()
		l.end(run)
		n := 0
		for _, was := range taken {
			if was {
				n++
			}
		}
		granted := len(l.env.Policy.Grants())
		if n != 1 || (granted == 1) != (taken[2] || taken[3]) || strings.Contains(l.read("README.md"), "Hello") == taken[1] {
			t.Fatalf("taken: %v; %d grants; README.md is %q", taken, granted, l.read("README.md"))
		}
	}
}

// A question may offer to deny more than the call.
func TestAnOfferMayDeny(t *testing.T) {
	l := newLab(t, callTools("edit_file", theEdit, "edit_file", otherEdit), agenttest.CallTool("edit_file", otherEdit), agenttest.Say("I see."))
	l.env.Policy = policy.New(l.env.State, policy.Template{
		Scope: policy.Chat, Effect: effect.Edits, Denies: true,
		Title: func(r policy.Request) string { return "Deny " + r.Tool + " for the rest of this chat" },
	})
	run := l.agent.Start(t.Context(), l.job(ask))
	q := l.waits("c1")
	never := q.Offers[len(q.Offers)-1]
	if never.Title != "Deny edit_file for the rest of this chat" {
		t.Fatalf("%+v", q.Offers)
	}
	if err := run.Answer(q.ID, event.Answer{Offer: never.ID, Text: "I do it myself"}); err != nil {
		t.Fatal(err)
	}
	l.end(run)
	results := l.results()
	if r := results["c1"]; !r.Denied || !strings.Contains(r.Result.Text(), "I do it myself") {
		t.Errorf("the call that was asked about ended %+v", r)
	}
	for _, id := range []string{"c2", "c3"} { // one of the same reply, and one of the next
		if r := results[id]; !strings.HasPrefix(r.Result.Text(), "Refused: You denied edit_file in this chat") {
			t.Errorf("a later call ended %+v", r)
		}
	}
	if text := l.read("README.md"); text != "# Title\n\nHelo world\n" {
		t.Errorf("README.md is %q", text)
	}
}

// askingTool asks the person.
type askingTool struct{ form string }

func (a askingTool) Spec() tools.Spec {
	return tools.Spec{Name: "ask", Description: "It asks.", Parameters: []byte(`{"type":"object"}`), Effect: effect.Asks}
}

func (a askingTool) Plan(context.Context, tools.Call) (tools.Plan, error) {
	return tools.Plan{Target: "Which year?", Form: []byte(a.form)}, nil
}

const yearForm = `{"type":"object","properties":{"year":{"type":"integer","minimum":1900}},"required":["year"]}`

// What a person answers to a call that asks them is its result.
func TestACallMayAskThePerson(t *testing.T) {
	for name, c := range map[string]struct {
		form    string
		refused []event.Answer
		answer  event.Answer
		want    string
	}{
		"text": {"", []event.Answer{{Kind: event.Once}, {Kind: event.Once, Form: []byte(`{"year":1999}`)}}, event.Answer{Kind: event.Once, Text: "1999"}, "1999"},
		"form": {
			yearForm,
			[]event.Answer{
				{Kind: event.Once},
				{Kind: event.Once, Text: "1999"},
				{Kind: event.Once, Form: []byte(`{"year":1999`)},
				{Kind: event.Once, Form: []byte(`{"year":"1999"}`)},
				{Kind: event.Once, Form: []byte(`{"year":1899}`)},
				{Kind: event.Once, Form: []byte(`{}`)},
				{Kind: event.Once, Form: []byte(`null`)},
				{Kind: event.Deny, Form: []byte(`{"year":1999}`)},
			},
			event.Answer{Kind: event.Once, Form: []byte(`{"year":1999}`)},
			`{"year":1999}`,
		},
		"denied": {"", nil, event.Answer{Kind: event.Deny, Text: "no idea"}, "The user denied this call. Do not make it again. The user says: no idea"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, agenttest.CallTool("ask", "{}"), agenttest.Say("Thanks."))
			job := l.job(ask)
			job.Tools = l.only(askingTool{c.form})
			run := l.agent.Start(t.Context(), job)
			q := l.waits("c1")
			if string(q.Form) != c.form || len(q.Offers) > 0 {
				t.Errorf("asked with %+v", q)
			}
			for _, answer := range c.refused {
				if err := run.Answer(q.ID, answer); err == nil || strings.Contains(err.Error(), "\n") {
					t.Errorf("the answer %+v: %v", answer, err)
				}
			}
			if err := run.Answer(q.ID, c.answer); err != nil {
				t.Fatal(err)
			}
			l.end(run)
			if r := l.results()["c1"]; r.Result.Text() != c.want || r.Denied != (name == "denied") {
				t.Errorf("the call ended %+v", r)
			}
		})
	}
}

func TestAFormWithoutASchemaIsNotAsked(t *testing.T) {
	for _, form := range []string{"{", `{"type":7}`, `{"$ref":"#/nowhere"}`} {
		l := newLab(t, agenttest.CallTool("ask", "{}"), agenttest.Say("I see."))
		job := l.job(ask)
		job.Tools = l.only(askingTool{form})
		l.end(l.agent.Start(t.Context(), job))
		if r := l.results()["c1"]; !r.Result.Failed || !strings.Contains(r.Result.Text(), "schema of the form") {
			t.Errorf("%s: %+v", form, r)
		}
	}
}

const (
	writeA, writeB = `{"path":"a.txt","content":"a\n"}`, `{"path":"b.txt","content":"b\n"}`
	list           = `{"path":"."}`
)

// together is a run of calls that are asked about in one question as far as they can be.
func (l *lab) together() *agent.Run {
	job := l.job(ask)
	job.Bundle = true
	return l.agent.Start(l.t.Context(), job)
}

func ids(q event.Question) string {
	var all []string
	for _, call := range q.Calls() {
		all = append(all, call.CallID)
	}
	return strings.Join(all, " ")
}

func TestOneQuestionForSeveralCalls(t *testing.T) {
	reply := callTools("write_file", writeA, "list_directory", list, "write_file", `{"path":".envrc","content":"x\n"}`, "write_file", writeB)
	for name, c := range map[string]struct {
		answer  func(q event.Question) event.Answer
		written bool
		grants  int
	}{
		"approved": {func(event.Question) event.Answer { return event.Answer{Kind: event.Once} }, true, 0},
		"denied":   {func(event.Question) event.Answer { return event.Answer{Kind: event.Deny, Text: "no"} }, false, 0},
		"allowed":  {func(q event.Question) event.Answer { return event.Answer{Offer: q.Offers[0].ID} }, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, reply, agenttest.Say("Done."))
			run := l.together()
			l.waits("c3")
			open := run.Questions()
			if len(open) != 2 || ids(open[0]) != "c1 c4" || ids(open[1]) != "c3" || len(open[0].Offers) == 0 || len(open[1].Offers) > 0 {
				t.Fatalf("asked %+v", open)
			}
			if heading := open[0].Heading(); heading != "write_file wants: a.txt (new)\nwrite_file wants: b.txt (new)" {
				t.Errorf("the heading is %q", heading)
			}
			if err := run.Answer(open[0].ID, c.answer(open[0])); err != nil {
				t.Fatal(err)
			}
			if err := run.Answer(open[0].ID, event.Answer{Kind: event.Once}); !errors.Is(err, agent.ErrNoQuestion) {
				t.Errorf("a second answer: %v", err)
			}
			if err := run.Answer(open[1].ID, event.Answer{Kind: event.Deny}); err != nil {
				t.Fatal(err)
			}
			l.end(run)
			for _, name := range []string{"a.txt", "b.txt"} {
				if _, err := os.Stat(filepath.Join(l.root, name)); (err == nil) != c.written {
					t.Errorf("%s: %v", name, err)
				}
			}
			if n := len(l.env.Policy.Grants()); n != c.grants {
				t.Errorf("%d grants", n)
			}
		})
	}
}

// When one of several calls changes, all are asked about anew: the old question approves nothing.
func TestACommonQuestionDiesWithAnyOfItsCalls(t *testing.T) {
	l := newLab(t, callTools("write_file", writeA, "write_file", writeB, "run_command", `{"command":"echo hi"}`), agenttest.Say("Done."))
	run := l.together()
	q := l.waits("c1")
	if ids(q) != "c1 c2 c3" || len(q.Offers) > 0 { // tools of two kinds have no offer in common
		t.Fatalf("asked %+v", q)
	}
	if err := run.Revise("c2", []byte(`{"path":"b.txt","content":"other\n"}`)); err != nil {
		t.Fatal(err)
	}
	for _, answer := range []event.Answer{{Kind: event.Once}, {Kind: event.Deny}} {
		if err := run.Answer(q.ID, answer); !errors.Is(err, agent.ErrNoQuestion) {
			t.Errorf("the old question took %+v: %v", answer, err)
		}
	}
	open := run.Questions()
	if len(open) != 1 || ids(open[0]) != "c1 c2 c3" || string(open[0].More[0].Arguments) != `{"path":"b.txt","content":"other\n"}` {
		t.Fatalf("asked %+v", open)
	}
	// A call that cannot run as it is, is asked about alone, and holds the others back no longer than its turn.
	if err := run.Revise("c2", nil); err != nil {
		t.Fatal(err)
	}
	open = run.Questions()
	if len(open) != 2 || ids(open[0]) != "c1 c3" || ids(open[1]) != "c2" || open[1].Blocked == "" {
		t.Fatalf("asked %+v", open)
	}
	if err := errors.Join(run.Answer(open[0].ID, event.Answer{Kind: event.Once}), run.Answer(open[1].ID, event.Answer{Kind: event.Deny})); err != nil {
		t.Fatal(err)
	}
	l.end(run)
	results := l.results()
	if results["c1"].Result.Failed || !results["c2"].Denied || results["c3"].Result.Failed || l.read("a.txt") != "a\n" {
		t.Errorf("the calls ended %s", fmt.Sprintf("%+v", results))
	}
}

// What a common question approved is done only while it is what was shown.
func TestACommonApprovalIsBound(t *testing.T) {
	l := newLab(t, callTools("edit_file", theEdit, "write_file", writeB), agenttest.Say("Done."))
	run := l.together()
	q := l.waits("c1")
	l.write("b.txt", "made meanwhile\n")
	if err := run.Answer(q.ID, event.Answer{Kind: event.Once}); err != nil {
		t.Fatal(err)
	}
	l.end(run)
	if text := l.read("b.txt"); text != "made meanwhile\n" {
		t.Errorf("b.txt is %q, which nobody approved", text)
	}
	if !strings.Contains(l.read("README.md"), "Hello") {
		t.Error("the other call, which did not change, was not done")
	}
}

// savingTool waits for a save until it is there.
type savingTool struct{ saved *atomic.Bool }

func (savingTool) Spec() tools.Spec {
	return tools.Spec{Name: "check", Description: "It checks.", Parameters: []byte(`{"type":"object"}`), Effect: effect.Edits}
}

func (s savingTool) Plan(context.Context, tools.Call) (tools.Plan, error) {
	run := func(text string) func(context.Context, tools.Reporter) tools.Result {
		return func(context.Context, tools.Reporter) tools.Result { return tools.Text(text) }
	}
	plan := tools.Plan{Target: "it", Run: run("after the save")}
	if !s.saved.Load() {
		plan.Waits, plan.RunAnyway = "Save it first.", run("anyway")
	}
	return plan, nil
}

// Who allows a call for longer has not said that it shall run before the save for which it waits.
func TestAnOfferDoesNotEndTheWaitForASave(t *testing.T) {
	l := newLab(t, agenttest.CallTool("check", "{}"), agenttest.Say("Done."))
	var saved atomic.Bool
	job := l.job(ask)
	job.Tools = l.only(savingTool{&saved})
	run := l.agent.Start(t.Context(), job)
	q := l.waits("c1")
	if len(q.Offers) == 0 || q.Waits == "" {
		t.Fatalf("asked %+v", q)
	}
	if err := run.Answer(q.ID, event.Answer{Offer: q.Offers[0].ID}); err != nil {
		t.Fatal(err)
	}
	again, err := agenttest.WaitFor(t.Context(), l.events, func(e event.CallWaiting) bool { return e.Question.ID != q.ID })
	if err != nil || again.Question.Waits == "" {
		t.Fatalf("%v: then asked %+v", err, again.Question)
	}
	saved.Store(true)
	if err := run.Recheck(); err != nil {
		t.Fatal(err)
	}
	l.end(run)
	if got := l.results()["c1"].Result.Text(); got != "after the save" {
		t.Errorf("it ran %q", got)
	}
}

// savedMeanwhile is a tool whose file is saved just after its plan has looked at it.
type savedMeanwhile struct {
	savingTool
	save func()
}

func (s savedMeanwhile) Plan(ctx context.Context, call tools.Call) (tools.Plan, error) {
	defer s.save()
	return s.savingTool.Plan(ctx, call)
}

// A save counts even if it comes while the call is planned, when nothing waits yet.
func TestASaveDuringThePlanIsNotMissed(t *testing.T) {
	l := newLab(t, agenttest.CallTool("check", "{}"))
	var saved atomic.Bool
	var run atomic.Pointer[agent.Run]
	started := make(chan struct{})
	job := l.job(ask)
	job.Tools = l.only(savedMeanwhile{savingTool{&saved}, func() {
		<-started
		if saved.CompareAndSwap(false, true) {
			if err := run.Load().Recheck(); err != nil {
				t.Error(err)
			}
		}
	}})
	var waits []string
	job.CanAsk = func(q event.Question) bool {
		waits = append(waits, q.Waits)
		return false
	}
	run.Store(l.agent.Start(t.Context(), job))
	close(started)
	l.end(run.Load())
	if len(waits) != 1 || waits[0] != "" {
		t.Errorf("after the save the questions wait for %q", waits)
	}
}
