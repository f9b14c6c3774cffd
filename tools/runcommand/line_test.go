package runcommand_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/command/commandtest"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/toolstest"
)

// unproven is a sandbox whose self-test failed.
type unproven struct{ sandboxtest.Pretended }

func (unproven) State(context.Context) sandbox.State {
	return sandbox.State{Sentence: "Commands are not confined: it was not proven."}
}

// S11, S11b: through the whole dispatcher, under the built-in rules and in a sandbox that holds, none of the corpus of
// commands that ask runs by itself, and each of the ordinary reading ones does. Outside the sandbox, and in one that is
// not proven, none of either does.
// Promise 4. Invariant 24.
func TestWhichCommandsRunByThemselves(t *testing.T) {
	t.Setenv("PATH", filepath.Join(runtime.GOROOT(), "bin")+":/usr/bin:/bin") //nolint:staticcheck // programs that no version manager chooses, and Go
	confined, outside := toolstest.CommandBench(t, sandboxtest.Pretended{}), []*toolstest.Bench{toolstest.CommandBench(t, unproven{}), toolstest.CommandBench(t, nil)}
	for _, text := range commandtest.Corpus(t, "../command/testdata/asks.txt") {
		if p := confined.Prepare("run_command", toolstest.Args("command", text)); p.Answered == nil && p.Decision.Verdict == policy.Run {
			t.Errorf("%q runs by itself: %s", text, p.Decision.Reason)
		}
	}
	for _, text := range commandtest.Corpus(t, "../command/testdata/harmless.txt") {
		if p := confined.Prepare("run_command", toolstest.Args("command", text)); p.Decision.Verdict != policy.Run {
			t.Errorf("%q asks: %s", text, p.Decision.Reason)
		}
		call := confined.Call("run_command", toolstest.Args("command", text))
		call.Outside = true
		if p := confined.Dispatcher.Prepare(t.Context(), call); p.Decision.Verdict != policy.Ask || len(p.Decision.Offers) > 0 {
			t.Errorf("%q outside the sandbox: %+v", text, p.Decision)
		}
		for _, b := range outside {
			if p := b.Prepare("run_command", toolstest.Args("command", text)); p.Decision.Verdict != policy.Ask {
				t.Errorf("%q runs by itself without a sandbox: %s", text, p.Decision.Reason)
			}
		}
	}
}

// S20: what is shown before a command runs says where it runs, and where its redirections lead.
func TestAPreviewSaysWhereACommandRuns(t *testing.T) {
	for _, tt := range []struct {
		sandbox runcommand.Sandbox
		outside bool
		want    string
	}{
		{sandboxtest.Pretended{}, false, "It runs in the sandbox: without network, and on a view of the workspace. What it changes there is checked and applied when it has ended. Undo turn takes that back, but for files that are ignored, binary or above 1 MB."},
		{sandboxtest.Pretended{}, true, "It runs outside the sandbox: with network"},
		{unproven{}, false, "Commands are not confined: it was not proven."},
		{unproven{}, true, "Commands are not confined: it was not proven."},
	} {
		b := toolstest.CommandBench(t, tt.sandbox)
		call := b.Call("run_command", toolstest.Args("command", "make all"))
		call.Outside = tt.outside
		b.Contains(b.Dispatcher.Prepare(t.Context(), call).Preview, "$ make all\n\nin "+b.Workspace.Root()+"\n\n"+tt.want)
	}
	b := toolstest.CommandBench(t, sandboxtest.Pretended{})
	link := func(to string) {
		t.Helper()
		_ = os.Remove(filepath.Join(b.Dir, "link"))
		if err := os.Symlink(to, filepath.Join(b.Dir, "link")); err != nil {
			t.Fatal(err)
		}
	}
	link("sub/x")
	p := b.Prepare("run_command", toolstest.Args("command", "make > link"))
	b.Contains(p.Preview, "$ make > link\n", "link leads to sub/x\n")
	link("tools/shell/x")
	if _, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil); err == nil {
		t.Error("the link was swapped after the question, and the command ran")
	}
}

// Redirections are writes: to a protected file they have its question, and outside of the workspace no rule judges
// them.
// Promise 4.
func TestRedirectionsAreWrites(t *testing.T) {
	b := toolstest.CommandBench(t, sandboxtest.Pretended{})
	for text, protected := range map[string]bool{
		"echo x > .env": true, "echo x >> .git/hooks/pre-commit": true, "cd sub && echo x 2> .vscode/settings.json": true, "echo x > new": false,
		"echo x > ../x": false, "echo x > /etc/x": false, "sort < .env": true,
	} {
		p := b.Prepare("run_command", toolstest.Args("command", text))
		if p.Decision.Verdict != policy.Ask || (p.Protected != "") != protected {
			t.Errorf("%q: %q, %+v", text, p.Protected, p.Decision)
		}
	}
}

// What no edit may write no redirection writes either: a hard link has another name, which may lie anywhere.
// Promise 5.
func TestRedirectionsWriteNoHardLinks(t *testing.T) {
	b := toolstest.CommandBench(t, sandboxtest.Pretended{})
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("canary\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(outside, filepath.Join(b.Dir, "hard")); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"echo x > hard", "ls && echo x >> ./hard", "ls 2> " + b.Dir + "/hard"} {
		p := b.Prepare("run_command", toolstest.Args("command", text))
		if p.Answered == nil || !strings.Contains(p.Answered.Text(), "hard link") {
			t.Errorf("%q: %+v", text, p.Decision)
		}
	}
	if p := b.Prepare("run_command", toolstest.Args("command", "sort < hard")); p.Decision.Verdict != policy.Run {
		t.Errorf("reading it: %+v", p.Decision)
	}
}

// A program of that name in the workspace is never what a rule was about.
func TestAProgramOfTheWorkspaceIsNotTheOneOfARule(t *testing.T) {
	b := toolstest.CommandBench(t, sandboxtest.Pretended{})
	b.Write("bin/ls", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(b.Dir, "bin/ls"), 0o755); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	if p := b.Prepare("run_command", toolstest.Args("command", "ls")); p.Decision.Verdict != policy.Run {
		t.Fatalf("%+v", p.Decision)
	}
	t.Setenv("PATH", filepath.Join(b.Dir, "bin")+":"+os.Getenv("PATH"))
	if p := b.Prepare("run_command", toolstest.Args("command", "ls")); p.Decision.Verdict != policy.Ask {
		t.Errorf("%+v", p.Decision)
	}
}

// What a command does to files is in its result, and what is not known of it is named.
func TestWhatACommandChanged(t *testing.T) {
	b := toolstest.CommandBench(t, nil)
	b.Write("large", strings.Repeat("x", 2<<20))
	if err := os.Chmod(filepath.Join(b.Dir, "sub/x"), 0o750); err != nil { //nolint:gosec // a mode that is made again
		t.Fatal(err)
	}
	r := b.Do("run_command", toolstest.Args("command", "cp in new; rm sub/x; echo more >> in; echo y >> large"))
	got := ""
	for _, ch := range r.Changes {
		got += filepath.Base(filepath.Dir(ch.Path)) + "/" + filepath.Base(ch.Path) + " "
	}
	if got != "ws/in ws/new sub/x " {
		t.Errorf("changes: %s", got)
	} else if mode := r.Changes[2].Mode; mode != 0o750 {
		t.Errorf("the file that was deleted had the mode 0750, not %v", mode)
	}
	b.Contains(r.Text(), "[Exit status 0.]\n[Undo turn does not cover what this command did to \"large\"")
	if r := b.Do("run_command", toolstest.Args("command", "cat in")); len(r.Changes) > 0 || r.Text() != "b\na\nmore\n[Exit status 0.]" {
		t.Errorf("%+v", r)
	}
	b = toolstest.CommandBench(t, sandboxtest.Pretended{})
	const fails = "sh -c 'echo Network is unreachable; exit 3'"
	if r := b.Do("run_command", toolstest.Args("command", fails)); !strings.Contains(r.Blocked, "network") {
		t.Errorf("%+v", r)
	}
	if r := toolstest.CommandBench(t, nil).Do("run_command", toolstest.Args("command", fails)); r.Blocked != "" {
		t.Errorf("there was no sandbox: %q", r.Blocked)
	}
}
