package agent_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/shell/shelltest"
)

// needsTheNetwork is a lab whose model runs a command that fails in the sandbox.
func needsTheNetwork(t *testing.T) *lab {
	t.Helper()
	l := newLab(t, agenttest.CallTool("run_command", `{"command":"sh fetch.sh"}`), agenttest.Say("Done."))
	l.env.Tools = tools.NewSources(builtin.Tools(l.env.Workspace, builtin.Options{Shell: shelltest.New(), Sandbox: sandboxtest.New(t, "namespaces", l.env.Workspace.Root())}))
	l.write("fetch.sh", "echo once >> runs\nif [ -e /run/assent ]; then echo 'Network is unreachable'; exit 7; fi\necho fetched\n")
	return l
}

// outside answers the two questions of the command that fails in the sandbox: the first with yes.
func outside(t *testing.T, l *lab, second event.Answer) (event.Question, event.CallEnded) {
	t.Helper()
	run := l.agent.Start(t.Context(), l.job("## You\n\nFetch it.\n"))
	first := l.waits("c1")
	if first.Outside != "" || !strings.Contains(first.Preview, "It runs in the sandbox") {
		t.Errorf("the first question: %+v", first)
	}
	if err := run.Answer(first.ID, event.Answer{Kind: event.Once}); err != nil {
		t.Fatal(err)
	}
	asked, err := agenttest.WaitFor(t.Context(), l.events, func(e event.CallWaiting) bool { return e.Question.Outside != "" })
	if err != nil {
		t.Fatal(err)
	}
	if got := l.read("runs"); got != "once\n" {
		t.Errorf("it ran outside before anybody said yes: %q", got)
	}
	if err := run.Answer(asked.Question.ID, second); err != nil {
		t.Fatal(err)
	}
	if end := l.end(run); end.Outcome != event.Completed {
		t.Errorf("the run ended %+v", end)
	}
	return asked.Question, l.results()["c1"]
}

// A command that the sandbox may have stopped gets a question of its own, with no offers, whether it runs outside.
// Promise 4.
func TestRunOutsideTheSandbox(t *testing.T) {
	l := needsTheNetwork(t)
	q, ended := outside(t, l, event.Answer{Kind: event.Once})
	if len(q.Offers) > 0 || !strings.Contains(q.Outside, "network") || !strings.Contains(q.Preview, "outside the sandbox") {
		t.Errorf("the question: %+v", q)
	}
	if text := ended.Result.Text(); ended.Result.Failed || !strings.HasPrefix(text, "fetched\n") {
		t.Errorf("the result: %q", text)
	}
	if got := l.read("runs"); got != "once\nonce\n" {
		t.Errorf("runs: %q", got)
	}
	if n := len(ended.Result.Changes); n != 2 {
		t.Errorf("%d changes, of two runs", n)
	}
}

// A denial leaves what happened in the sandbox, and says that it was denied.
func TestADenialLeavesTheResultOfTheSandbox(t *testing.T) {
	l := needsTheNetwork(t)
	_, ended := outside(t, l, event.Answer{Kind: event.Deny, Text: "no network here"})
	text := ended.Result.Text()
	if ended.Denied || !ended.Result.Failed || !strings.HasPrefix(text, "Network is unreachable\n[Exit status 7.]") ||
		!strings.Contains(text, "did not let it run outside the sandbox.] The user says: no network here") {
		t.Errorf("the result: %+v %q", ended, text)
	}
	if got := l.read("runs"); got != "once\n" {
		t.Errorf("runs: %q", got)
	}
}

// Where nobody can be asked, and when the run is stopped, what happened in the sandbox is the result.
// Promise 4.
func TestNobodyToAskAboutTheSandbox(t *testing.T) {
	l := needsTheNetwork(t)
	job := l.job("## You\n\nFetch it.\n")
	job.CanAsk = func(q event.Question) bool { return q.Outside == "" }
	run := l.agent.Start(t.Context(), job)
	if err := run.Answer(l.waits("c1").ID, event.Answer{Kind: event.Once}); err != nil {
		t.Fatal(err)
	}
	if end := l.end(run); end.Outcome != event.Completed || l.results()["c1"].Result.Text() == "" || l.read("runs") != "once\n" {
		t.Errorf("%+v, %+v", end, l.results())
	}

	l = needsTheNetwork(t)
	run = l.agent.Start(t.Context(), l.job("## You\n\nFetch it.\n"))
	if err := run.Answer(l.waits("c1").ID, event.Answer{Kind: event.Once}); err != nil {
		t.Fatal(err)
	}
	if _, err := agenttest.WaitFor(t.Context(), l.events, func(e event.CallWaiting) bool { return e.Question.Outside != "" }); err != nil {
		t.Fatal(err)
	}
	run.Stop()
	l.end(run)
	if ended := l.results()["c1"]; ended.NotRun || !strings.HasPrefix(ended.Result.Text(), "Network is unreachable") {
		t.Errorf("the result of a run that was stopped: %+v", ended)
	}
}
