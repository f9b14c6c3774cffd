//go:build linux && (amd64 || arm64)

package background_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/background"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/toolstest"
)

// bench is a workspace whose commands run in a sandbox, also in the background.
type bench struct {
	*toolstest.Bench
	source *background.Source
	tries  bool
	mode   policy.Mode
}

func newBench(t *testing.T, confined bool) *bench {
	t.Helper()
	b := &bench{Bench: toolstest.ConfinedBench(t), mode: policy.ModeAsk}
	o := runcommand.Options{Shell: shelltest.New(), Background: true, Tries: func() bool { return b.tries }, Timeout: func() time.Duration { return time.Millisecond }}
	if confined {
		o.Sandbox = sandboxtest.New(t, "namespaces", b.Workspace.Root())
	}
	b.source = background.New(background.Options{
		Run: runcommand.New(b.Workspace, o), Decide: b.Policy.Decide, Key: b.Workspace.Key(),
	})
	sources := tools.NewSources(builtin.Tools(b.Workspace, builtin.Options{Shell: shelltest.New(), Sandbox: o.Sandbox}), b.source)
	r, err := sources.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.Dispatcher = tools.NewDispatcher(r, b.Policy, b.Workspace)
	t.Cleanup(sources.Close)
	return b
}

func (b *bench) prepare(id, tool string, arguments any) tools.Prepared {
	b.Helper()
	call := b.Call(tool, arguments)
	call.ID, call.Mode = id, func() policy.Mode { return b.mode }
	return b.Dispatcher.Prepare(b.Context(), call)
}

func (b *bench) run(id, tool string, arguments any, p tools.Reporter) tools.Result {
	b.Helper()
	r, err := b.Dispatcher.Execute(b.Context(), b.prepare(id, tool, arguments).Approved(), p)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func (b *bench) start(id, line string) tools.Result {
	b.Helper()
	return b.run(id, background.Start, toolstest.Args("command", line), nil)
}

// until reads output until it has a text, which each call waits for.
func (b *bench) until(id, text string) string {
	b.Helper()
	said := ""
	for range 50 { // a call waits only while nothing is new
		now := b.run("", background.Output, toolstest.Args("id", id), nil).Text() + "\n"
		if said += now; strings.Contains(said, text) {
			return said
		}
	}
	b.Fatalf("%s never said %q:\n%s", id, text, said)
	return ""
}

const lives = "; exec sleep 1000"

// A command in the background works on a copy: what it writes is not in the workspace, a change of the workspace is
// seen after it was started again, and what it wrote before is gone then.
// Promise 1, 4.
func TestACommandInTheBackgroundWorksOnACopy(t *testing.T) {
	b := newBench(t, true)
	b.Contains(b.start("c1", "cat a made; echo mine >made; cat made"+lives).Text(), "1\n", "No such file", "mine\n", "[Runs in the background as c1")
	b.Gone("made")
	b.Write("a", "two\n")
	b.source.Changed()
	b.Contains(b.until("c1", "mine"), "started again on a fresh copy", "two\n", "No such file")
	p := &toolstest.Person{Yes: true}
	r := b.run("", background.Output, toolstest.Args("stop", true), p)
	b.Contains(r.Text(), "[Stopped, with everything it had started.]", "[Made: made.]")
	if len(p.Asked) != 1 || b.OnDisk("made") != "mine\n" || len(r.Changes) != 1 {
		t.Errorf("%+v, %+v", p.Asked, r.Changes)
	}
}

// What a command wrote is dropped without a question if the user stops it.
func TestStopDropsWhatItWrote(t *testing.T) {
	b := newBench(t, true)
	b.start("c1", "echo mine >made; echo 2 >>a; echo go"+lives)
	b.source.Stop("chat", "")
	p := &toolstest.Person{Yes: true}
	b.Contains(b.run("", background.Output, toolstest.Args(), p).Text(), "[It was ended by the user.]")
	b.Gone("made")
	if len(p.Asked) > 0 || b.OnDisk("a") != "1\n" {
		t.Errorf("%+v; a holds %q", p.Asked, b.OnDisk("a"))
	}
}

// Two commands run at once, each on its own copy, and one that ignores signals ends all the same.
func TestTwoCommandsAtOnce(t *testing.T) {
	b := newBench(t, true)
	b.start("c1", "echo one >made; echo go; trap '' TERM; while :; do sleep 1000; done")
	b.Contains(b.start("c2", "cat made; echo two"+lives).Text(), "No such file", "two\n", "as c2")
	if all := b.source.Commands("chat"); len(all) != 2 || all[0].State != background.Runs || all[1].State != background.Runs {
		t.Errorf("%+v", all)
	}
	for _, id := range []string{"c1", "c2"} {
		b.Contains(b.run("", background.Output, toolstest.Args("id", id, "stop", true), nil).Text(), "[Stopped, with everything it had started.]")
	}
}

// A command that prints without end holds nothing up, and takes no memory for it.
func TestAFloodOfOutput(t *testing.T) {
	b := newBench(t, true)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.start("c1", "echo first; yes | head -c 30000000; echo last"+lives)
	text := ""
	for range 10_000 { // what a call reads may end in the middle of a word
		if text, _ = b.source.Output("chat", "c1"); strings.Contains(text, "\nlast\n") {
			break
		}
		if r := b.run("", background.Output, toolstest.Args(), nil).Text(); len(r) > 10<<10 {
			t.Fatalf("%d bytes are read at once", len(r))
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 10<<20 {
		t.Errorf("%d bytes of memory", grown)
	}
	if !strings.HasPrefix(text, "first\ny\n") || !strings.Contains(text, "\nlast\n") || !strings.Contains(text, " bytes left out]") {
		t.Errorf("%.100s", text)
	}
}

// Without a sandbox, and outside of one, a command works on the files themselves, and says so.
func TestOutsideOfASandbox(t *testing.T) {
	for _, confined := range []bool{false, true} {
		b := newBench(t, confined)
		r := b.run("c1", background.Start, toolstest.Args("command", "echo mine >made; echo go"+lives, "outside", confined), nil)
		b.Contains(r.Text(), "outside the sandbox, on the files themselves")
		if b.OnDisk("made") != "mine\n" {
			t.Error("it did not write the file")
		}
		b.Contains(b.run("", background.Output, toolstest.Args("stop", true), nil).Text(), "[Stopped, with everything it had started.]")
	}
}

// Rules and modes are about commands in the background as about others.
// Promise 1, 6.
func TestRulesAreAboutThem(t *testing.T) {
	decide := func(b *bench, line string) policy.Decision {
		return b.prepare("c1", background.Start, toolstest.Args("command", line)).Decision
	}
	b := newBench(t, true)
	if d := decide(b, "touch x"); d.Verdict != policy.Ask {
		t.Errorf("%+v", d)
	}
	b.mode = policy.ModePlan
	if p := b.prepare("c1", background.Start, toolstest.Args("command", "touch x")); p.Answered == nil || !strings.Contains(p.Answered.Text(), "the mode plan") {
		t.Errorf("%+v", p)
	}
	b.tries = true
	if d := decide(b, "touch x"); d.Verdict != policy.Run || !d.Tried {
		t.Errorf("%+v", d)
	}
	b.mode, b.tries = policy.ModeAsk, false
	b.Rules(`{"allow":[{"tool":"run_command","command":"touch **"}],"deny":[{"tool":"run_command","command":"sleep **"}]}`)
	if d := decide(b, "touch x"); d.Verdict != policy.Run || d.Rule == "" {
		t.Errorf("%+v", d)
	}
	if p := b.prepare("c1", background.Start, toolstest.Args("command", "sleep 1")); p.Answered == nil || !strings.Contains(p.Answered.Text(), "Refused") {
		t.Errorf("%+v", p)
	}
	if d := b.prepare("c1", background.Start, toolstest.Args("command", "touch x", "outside", true)).Decision; d.Verdict != policy.Ask {
		t.Errorf("outside: %+v", d)
	}
}

// In the mode plan what a tried command wrote is dropped; a rule that denies it later keeps it from being started
// again.
func TestPlanAndLaterRules(t *testing.T) {
	b := newBench(t, true)
	b.mode, b.tries = policy.ModePlan, true
	call := b.prepare("c1", background.Start, toolstest.Args("command", "echo mine >made; echo go"+lives))
	if _, err := b.Dispatcher.Execute(t.Context(), call, nil); err != nil {
		t.Fatal(err)
	}
	p := &toolstest.Person{Yes: true}
	b.Contains(b.run("", background.Output, toolstest.Args("stop", true), p).Text(), "Not applied: made", "the mode plan")
	b.Gone("made")
	if len(p.Asked) > 0 {
		t.Errorf("%+v", p.Asked)
	}
	b.mode = policy.ModeAsk
	b.start("c2", "sleep 1000")
	b.Rules(`{"deny":[{"tool":"run_command","command":"sleep **"}]}`)
	b.source.Changed()
	b.Contains(b.until("c2", "not started again"), "It was ended, since files changed")
}

// A run that is stopped while a command is being started leaves nothing half done.
func TestACallThatIsGivenUp(t *testing.T) {
	b := newBench(t, true)
	ctx, cancel := context.WithCancel(t.Context())
	p := b.prepare("c1", background.Start, toolstest.Args("command", "echo go"+lives)).Approved()
	cancel()
	if _, err := b.Dispatcher.Execute(ctx, p, nil); err == nil {
		t.Error("it was begun")
	}
	if all := b.source.Commands("chat"); len(all) > 0 {
		t.Errorf("something runs: %+v", all)
	}
}

// The definitions are short, since they are in prompts once they are found.
func TestTheDefinitionsAreShort(t *testing.T) {
	s := background.New(background.Options{Run: runcommand.New(toolstest.NewBench(t, nil).Workspace, runcommand.Options{Background: true})})
	for _, tool := range s.List() {
		spec := tool.Spec()
		text, err := json.Marshal(map[string]any{"name": spec.Name, "description": spec.Description, "parameters": spec.Parameters})
		if err != nil || len(text) > 600 || !spec.Defer {
			t.Errorf("%d bytes, %v: %s", len(text), err, text)
		}
	}
}
