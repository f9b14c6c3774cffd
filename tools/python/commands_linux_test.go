//go:build amd64 || arm64

package python_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/python"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/toolstest"
	"github.com/assent-ls/assent/tools/workspace"
)

// confined is a bench in a sandbox in which a program runs.
func confined(t *testing.T, run script) *toolstest.Bench {
	t.Helper()
	b := toolstest.ConfinedBench(t)
	f := &fake{t: t, run: run}
	source := python.New(python.Options{
		Workspace: b.Workspace, Files: builtin.Files, On: func() bool { return true },
		Interpreter: func() (python.Interpreter, error) { return f, nil },
		Commands: func(ctx context.Context, draft *workspace.Workspace) tools.Tool {
			if !b.Sandbox.State(ctx).Proven {
				t.Fatal("the sandbox does not hold")
			}
			return runcommand.New(draft, runcommand.Options{
				Shell: shelltest.New(), Sandbox: b.Sandbox, Tries: func() bool { return b.Tries },
				Timeout: func() time.Duration { return 0 },
			})
		},
	})
	registry, err := tools.NewSources(
		builtin.Tools(b.Workspace, builtin.Options{Shell: shelltest.New(), Sandbox: b.Sandbox}), source,
	).Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.Dispatcher = tools.NewDispatcher(registry, b.Policy, b.Workspace)
	return b
}

// A command of a program sees what the program changed, and what the command changes the program sees; none of it is on
// the disk before a person has kept it.
// Promise 4.
func TestCommandsRunOnTheDraft(t *testing.T) {
	for _, yes := range []bool{true, false} {
		var b *toolstest.Bench
		b = confined(t, func(_ context.Context, h host) string {
			do := func(name string, arguments map[string]any) string {
				got := h.call(name, arguments)
				if got.Error != "" {
					t.Errorf("%s: %s", name, got.Error)
				}
				return string(got.Value)
			}
			do("write_file", toolstest.Args("path", "a", "content", "2\n"))
			do("write_file", toolstest.Args("path", "new/b", "content", "b\n"))
			do("delete_file", toolstest.Args("path", "sub/x"))
			said := do("run_command", toolstest.Args("command", "cat a new/b; ls sub; echo 3 >>a; rm new/b; echo c >c; mkdir -p build; echo o >build/o"))
			if !strings.Contains(said, `2\nb\n`) || strings.Contains(said, `x\n`) {
				t.Errorf("the command said %s", said)
			}
			if !strings.Contains(said, "build/o (git ignores it)") {
				t.Errorf("it is not told what is dropped: %s", said)
			}
			for path, want := range map[string]string{"a": `"2\n3\n"`, "c": `"c\n"`} {
				if got := do("read_file", toolstest.Args("path", path)); got != want {
					t.Errorf("%s is %s", path, got)
				}
			}
			if got := h.call("read_file", toolstest.Args("path", "new/b")); got.Error == "" {
				t.Error("new/b is there after the command removed it")
			}
			if got := b.OnDisk("a") + b.OnDisk("sub/x"); got != "1\nx\n" {
				t.Errorf("on the disk there is %q", got)
			}
			return ""
		})
		p := &toolstest.Person{}
		p.Answer = func(q tools.Inquiry) tools.Reply { return tools.Reply{Yes: yes || len(p.Asked) == 1} }
		r := execute(b, p)
		if len(p.Asked) != 2 || !strings.Contains(p.Asked[0].Target, "run cat a") || p.Asked[1].Yes != "Keep all" {
			t.Fatalf("asked %+v", p.Asked)
		}
		want, there := "1\n", false
		if yes {
			want, there = "2\n3\n", true
		}
		_, err := os.Stat(filepath.Join(b.Dir, "c"))
		if b.OnDisk("a") != want || (err == nil) != there {
			t.Errorf("yes %v: a holds %q, c: %v\n%s", yes, b.OnDisk("a"), err, r.Text())
		}
		if _, err := os.Stat(filepath.Join(b.Dir, "sub/x")); (err != nil) != yes {
			t.Errorf("sub/x: %v", err)
		}
		b.Gone("new", "build")
	}
}

// A command that takes back what the program did leaves none of it in the draft, and secrets that the program wrote
// stay out of its sight.
func TestACommandTakesBackWhatTheProgramDid(t *testing.T) {
	b := confined(t, func(_ context.Context, h host) string {
		h.call("write_file", toolstest.Args("path", "a", "content", "2\n"))
		h.call("delete_file", toolstest.Args("path", "sub/x"))
		h.call("write_file", toolstest.Args("path", ".env", "content", "KEY=new\n"))
		return string(h.call("run_command", toolstest.Args("command", "cat .env; echo 1 >a; echo x >sub/x")).Value)
	})
	p := &toolstest.Person{Yes: true}
	r := execute(b, p)
	if strings.Contains(r.Text(), "KEY=") {
		t.Errorf("the command saw a secret: %s", r.Text())
	}
	if got := b.OnDisk("a") + b.OnDisk("sub/x"); got != "1\nx\n" {
		t.Errorf("the files hold %q", got)
	}
	for _, c := range r.Changes {
		if filepath.Base(c.Path) == "a" || filepath.Base(c.Path) == "x" {
			t.Errorf("%s counts as changed", c.Path)
		}
	}
}

// Where commands are tried without a question, those of a program are, too: only what they change is asked about.
func TestTriedCommandsOfAProgram(t *testing.T) {
	b := confined(t, func(_ context.Context, h host) string {
		return h.call("run_command", toolstest.Args("command", "echo 2 >>a")).Error
	})
	b.Tries = true
	p := &toolstest.Person{Yes: true}
	execute(b, p)
	if len(p.Asked) != 1 || p.Asked[0].Yes != "Keep all" || b.OnDisk("a") != "1\n2\n" {
		t.Errorf("asked %+v, a holds %q", p.Asked, b.OnDisk("a"))
	}
}
