package tools_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/toolstest"
	"github.com/assent-ls/assent/tools/usagelog"
	"github.com/assent-ls/assent/tools/userstate"
)

func newLog(t *testing.T) (usagelog.Log, string) {
	t.Helper()
	state, err := userstate.OpenState(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	return usagelog.New(state), state.Dir()
}

// fixed is a tool with one plan.
func fixed(s tools.Spec, p tools.Plan, r tools.Result) fake {
	return fake{s, func(json.RawMessage) (tools.Plan, error) {
		plan := p
		if plan.Answered == nil {
			plan.Run = func(context.Context, tools.Reporter) tools.Result { return r }
		}
		return plan, nil
	}}
}

func TestEveryCallHasItsLine(t *testing.T) {
	log, _ := newLog(t)
	answered := tools.Text("this is the file")
	d := dispatcherOf(t,
		fixed(tools.Spec{Name: "read", Effect: effect.Reads}, tools.Plan{Target: "a.txt", Paths: []string{"a.txt"}}, tools.Text("x")),
		fixed(tools.Spec{Name: "many", Effect: effect.Edits, Origin: tools.FromServer("s")}, tools.Plan{Paths: []string{"a", "b", "c", "d", "e"}}, tools.Failed("no")),
		fixed(tools.Spec{Name: "fetch", Effect: effect.Fetches}, tools.Plan{Target: "https://x.org/?key=1", Host: "x.org"}, tools.Text("page")),
		fixed(tools.Spec{Name: "unread", Effect: effect.Edits}, tools.Plan{Answered: &answered}, tools.Result{}),
		fixed(tools.Spec{Name: "kept", Effect: effect.Computes, KeepResult: 1 << 40}, tools.Plan{Target: "1+1"}, tools.Text("2")),
		fixed(tools.Spec{Name: "command", Effect: effect.Runs}, tools.Plan{Target: "cd x && /bin/go test", Command: &command.Line{Parts: []command.Part{
			{Argv: []string{"cd", "x"}}, {Joint: command.And, Argv: []string{"/bin/go", "test"}},
		}}}, tools.Text("ok")),
	).LogTo(log)
	for _, name := range []string{"read", "many", "fetch", "unread", "kept", "kept", "command", "nothing"} {
		p := d.Prepare(t.Context(), tools.Call{ID: "c-" + name, Name: name, Chat: "/w/a.chat.md", Caller: policy.Model})
		if _, err := d.Execute(t.Context(), p.Approved(), nil); err != nil {
			t.Fatal(name, err)
		}
	}
	d.Denied(d.Prepare(t.Context(), tools.Call{ID: "c-denied", Name: "command", Chat: "/w/a.chat.md", Caller: policy.Model}))
	entries, broken, err := log.Entries()
	if err != nil || broken > 0 {
		t.Fatal(broken, err)
	}
	var got []string
	for _, e := range entries {
		if e.Time.IsZero() || e.Chat != "/w/a.chat.md" || e.Caller != "model" || e.Call == "" {
			t.Errorf("%+v", e)
		}
		got = append(got, strings.Join([]string{e.Tool, e.Origin, e.Target, e.Verdict, e.Reason, string(e.Outcome)}, "|"))
	}
	want := []string{
		"read||a.txt|run|It changes nothing.|ok",
		"many|server s|a, b, c and 2 more|ask|It changes a file.|failed",
		"fetch||x.org|ask|It gets something from the network.|ok",
		"unread|||ask||answered",
		"kept|||run|It changes nothing.|ok",
		"kept|||run|It changes nothing.|kept",
		"command||cd, go|ask|It starts a program.|ok",
		"nothing|||ask||wrong",
		"command||cd, go|ask|It starts a program.|denied",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestAForbiddenCallIsLoggedAsRefused: by which rule, too.
func TestAForbiddenCallIsLoggedAsRefused(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "x\n"})
	log, _ := newLog(t)
	b.Dispatcher.LogTo(log)
	b.Do("read_file", toolstest.Args("path", "a.txt"))
	p := b.Prepare("edit_file", toolstest.Change("a.txt", "x", "y"))
	b.Forbid(p)
	b.Do("edit_file", toolstest.Change("a.txt", "x", "y"))
	entries, _, err := log.Entries()
	if err != nil || len(entries) != 2 {
		t.Fatal(entries, err)
	}
	if e := entries[1]; e.Outcome != usagelog.Refused || e.Verdict != "refuse" || !strings.HasPrefix(e.Reason, "You denied edit_file") || e.Workspace != b.Workspace.Root() {
		t.Errorf("%+v", e)
	}
}

// S21: no argument, text, output or command line is in the log, whatever a call is about; S19: nothing in it acts on a
// terminal.
// Promise 9.
func TestTheLogHoldsNoSecrets(t *testing.T) {
	const canary = "canary-6f1c"
	log, dir := newLog(t)
	secret := tools.Result{Parts: content.Texts(canary)}
	quoted := "curl -H 'Authorization: " + canary + "' https://u:" + canary + "@x.org/?k=" + canary
	line := &command.Line{Text: quoted, Parts: []command.Part{{Argv: []string{"curl", "-H", "Authorization: " + canary, "https://x.org/?k=" + canary}}}}
	var list []tools.Tool
	for name, e := range map[string]effect.Effect{
		"computes": effect.Computes, "reads": effect.Reads, "edits": effect.Edits, "deletes": effect.Deletes, "runs": effect.Runs,
		"fetches": effect.Fetches, "queries": effect.Queries, "calls": effect.Calls, "recalls": effect.Recalls, "unknown": "",
	} {
		plan := tools.Plan{Target: quoted, Preview: canary, Binding: canary, Notice: canary, Paths: []string{"a\x1b[2J\u202e.txt"}}
		list = append(list, fixed(tools.Spec{Name: name, Effect: e, Description: canary}, plan, secret))
		plan.Command, plan.Protected, plan.Paths = line, "It is protected.", nil
		list = append(list, fixed(tools.Spec{Name: name + "_understood", Effect: e, Origin: "o\x1b]52;c;x\x07"}, plan, tools.Failed(canary)))
	}
	allowed := policy.New(nil)
	d := tools.NewDispatcher(tools.NewSources(list).Known(), allowed, nil).LogTo(log)
	for _, tool := range list {
		for _, caller := range []policy.Caller{policy.Model, ""} {
			call := tools.Call{Name: tool.Spec().Name, Chat: "/w/a\u202e.chat.md", Caller: caller, Arguments: json.RawMessage(`{"x":"` + canary + `"}`)}
			p := d.Prepare(t.Context(), call)
			if len(p.Decision.Offers) > 0 { // the rule that is given names the whole command
				if _, err := allowed.Accept(p.Decision.Offers[0], "test"); err != nil {
					t.Fatal(err)
				}
				p = d.Prepare(t.Context(), call)
			}
			if _, err := d.Execute(t.Context(), p.Approved(), nil); err != nil {
				t.Fatal(err)
			}
			d.Denied(p)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "usage.jsonl"))
	if err != nil || len(data) == 0 {
		t.Fatal(err)
	}
	if strings.Contains(string(data), canary) {
		t.Errorf("a secret is in the log:\n%s", data)
	}
	if strings.ContainsAny(string(data), "\x1b\x07\u202e") || !strings.Contains(string(data), "U+202E") {
		t.Errorf("hidden characters are in the log:\n%s", data)
	}
}
