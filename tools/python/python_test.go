package python_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/python"
	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/python/interpreter/interpretertest"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/toolstest"
)

// script is a program as a function of the test: what it prints.
type script func(ctx context.Context, h host) string

// host makes calls as a program does.
type host struct {
	interpreter.Host
	t   *testing.T
	ctx context.Context //nolint:containedctx // of one run
}

func (h host) call(name string, arguments map[string]any) interpreter.Answer {
	return h.parallel(call{name, arguments})[0]
}

type call struct {
	name      string
	arguments map[string]any
}

func (h host) parallel(calls ...call) []interpreter.Answer {
	h.t.Helper()
	var list []interpreter.Call
	for i, c := range calls {
		text, err := json.Marshal(c.arguments)
		if err != nil {
			h.t.Fatal(err)
		}
		list = append(list, interpreter.Call{Tool: c.name, Arguments: text, Line: i + 1})
	}
	return h.Call(h.ctx, list)
}

// fake is an interpreter whose programs are functions.
type fake struct {
	t     *testing.T
	run   script
	limit string // the program ends at this limit
	error string // the program fails with this error
	got   interpreter.Program
}

func (f *fake) Run(ctx context.Context, p interpreter.Program, h interpreter.Host) (interpreter.Result, error) {
	f.got = p
	out := f.run(ctx, host{h, f.t, ctx})
	return interpreter.Result{Output: out, Limit: f.limit, Error: f.error}, ctx.Err()
}

// bench is a workspace in which a program runs.
func bench(t *testing.T, files map[string]string, run script) (*toolstest.Bench, *fake) {
	t.Helper()
	b := toolstest.NewBench(t, files)
	f := &fake{t: t, run: run}
	source := python.New(python.Options{
		Workspace: b.Workspace, Files: builtin.Files, On: func() bool { return true },
		Interpreter: func() (python.Interpreter, error) { return f, nil },
	})
	all := tools.NewSources(builtin.Tools(b.Workspace, builtin.Options{Shell: shelltest.New()}), source)
	registry, err := all.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.Dispatcher = tools.NewDispatcher(registry, b.Policy, b.Workspace)
	return b, f
}

func execute(b *toolstest.Bench, p tools.Reporter) tools.Result {
	b.Helper()
	return executeWithin(b.Context(), b, p)
}

func executeWithin(ctx context.Context, b *toolstest.Bench, p tools.Reporter) tools.Result {
	b.Helper()
	prepared := b.Prepare(python.Name, toolstest.Args("program", "go()"))
	r, err := b.Dispatcher.Execute(ctx, prepared, p)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// What a program writes is in its draft, which it reads, and nowhere else until a person has kept it.
func TestAProgramReadsWhatItWroteAndIsAskedOnce(t *testing.T) {
	files := map[string]string{"a.txt": "one\ntwo\n", "b.txt": "three\n"}
	for _, yes := range []bool{true, false} {
		var b *toolstest.Bench
		b, _ = bench(t, files, func(_ context.Context, h host) string {
			for _, name := range []string{"a.txt", "b.txt"} {
				got := h.call("read_file", toolstest.Args("path", name))
				var text string
				if err := json.Unmarshal(got.Value, &text); err != nil || text != files[name] {
					t.Errorf("%s is %s: %v", name, got.Value, got.Error)
				}
				wrote := h.call("write_file", toolstest.Args("path", name, "content", strings.ToUpper(text)))
				if wrote.Error != "" {
					t.Error(wrote.Error)
				}
			}
			h.call("write_file", toolstest.Args("path", "new/c.txt", "content", "made\n"))
			if got := h.call("read_file", toolstest.Args("path", "a.txt")); string(got.Value) != `"ONE\nTWO\n"` {
				t.Errorf("it reads %s %s", got.Value, got.Error)
			}
			if got := h.call("list_directory", toolstest.Args("path", ".")); string(got.Value) != `["new/","a.txt","b.txt"]` {
				t.Errorf("it lists %s %s", got.Value, got.Error)
			}
			if b.OnDisk("a.txt") != files["a.txt"] {
				t.Error("the disk was changed before anybody was asked")
			}
			return "done\n"
		})
		p := &toolstest.Person{Answer: func(tools.Inquiry) tools.Reply { return tools.Reply{Yes: yes, Why: "not these"} }}
		r := execute(b, p)
		if len(p.Asked) != 1 || r.Failed {
			t.Fatalf("asked %d times: %s", len(p.Asked), r.Text())
		}
		if q := p.Asked[0]; q.Yes != "Keep all" || q.Other == "" || !q.Why || len(q.Files) != 3 {
			t.Errorf("the question is %+v", q)
		}
		want := files["a.txt"]
		if yes {
			want = "ONE\nTWO\n"
			if len(r.Changes) != 3 {
				t.Errorf("Undo turn knows %d changes", len(r.Changes))
			}
		} else {
			b.Contains(r.Text(), "not these")
			b.Gone("new")
		}
		if got := b.OnDisk("a.txt"); got != want {
			t.Errorf("yes %v: a.txt holds %q", yes, got)
		}
		b.Contains(r.Text(), "done", "It called read_file 3 times, write_file 3 times, list_directory once.")
	}
}

// A program that fails, or reaches a limit, changes nothing, and nobody is asked.
func TestAProgramThatFailsChangesNothing(t *testing.T) {
	for _, ends := range []fake{{limit: "time"}, {error: "line 3: ValueError: x"}} {
		b, f := bench(t, map[string]string{"a": "1\n"}, func(_ context.Context, h host) string {
			h.call("write_file", toolstest.Args("path", "a", "content", "2\n"))
			return "half"
		})
		f.limit, f.error = ends.limit, ends.error
		p := &toolstest.Person{Yes: true}
		r := execute(b, p)
		if !r.Failed || len(p.Asked) != 0 || b.OnDisk("a") != "1\n" || len(r.Changes) != 0 {
			t.Errorf("failed %v, asked %d: %s", r.Failed, len(p.Asked), r.Text())
		}
		b.Contains(r.Text(), "half", ends.limit+ends.error, "Nothing of what it changed is kept (a)")
	}
}

// noter keeps what a person reads below the call.
type noter struct {
	*toolstest.Person

	notes strings.Builder
}

func (n *noter) Note(kind, text string) { n.notes.WriteString(kind + ": " + text) }

// A program that is stopped says what it had printed and run, and that its changes are not kept.
func TestAStoppedProgramSaysWhatItRan(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	b, _ := bench(t, map[string]string{"a": "1\n"}, func(_ context.Context, h host) string {
		h.call("run_command", toolstest.Args("command", "echo one"))
		if got := h.call("run_command", toolstest.Args("command", "echo two")); got.Error == "" {
			t.Error("a denied command ran")
		}
		h.call("write_file", toolstest.Args("path", "a", "content", "2\n"))
		stop()
		return "half"
	})
	p := &noter{Person: &toolstest.Person{}}
	p.Answer = func(tools.Inquiry) tools.Reply { return tools.Reply{Yes: len(p.Asked) == 1} }
	r := executeWithin(ctx, b, p)
	if !r.Failed || b.OnDisk("a") != "1\n" {
		t.Error(r.Text())
	}
	b.Contains(
		r.Text(), "half\n[Stopped by the user.]\n",
		"It called run_command 2 times, write_file once; 1 of these failed.",
		"What it ran stays done: run_command echo one.\n", "Nothing of what it changed is kept (a)",
	)
	b.Contains(
		p.notes.String(), "calls: line 1: run_command echo one, ",
		"run_command echo two, not run: The user denied",
	)
}

// An edit of a file that nobody read works, since the program has no turn in which it would read the answer.
func TestAProgramEditsAFileThatItDidNotRead(t *testing.T) {
	b, _ := bench(t, map[string]string{"a": "1\n"}, func(_ context.Context, h host) string {
		return h.call("edit_file", toolstest.Args("path", "a", "old_text", "1", "new_text", "2")).Error
	})
	if r := execute(b, &toolstest.Person{Yes: true}); r.Failed || b.OnDisk("a") != "2\n" {
		t.Error(r.Text())
	}
	if read, _ := b.Reads.Knows(b.Workspace.Root()+"/a", "2\n"); read {
		t.Error("the model counts as having read what its program read")
	}
}

// What reaches beyond files is asked about when the program gets to it; a denial and its reason are its error.
func TestACommandOfAProgramIsAskedAbout(t *testing.T) {
	for _, c := range []struct {
		reply tools.Reply
		error string
	}{
		{tools.Reply{Yes: true}, ""},
		{tools.Reply{Why: "too slow"}, `The user denied this call, and says: "too slow"`},
	} {
		b, _ := bench(t, map[string]string{"a": "1\n"}, func(_ context.Context, h host) string {
			got := h.call("run_command", toolstest.Args("command", "cat a"))
			if got.Error != c.error {
				t.Errorf("the error is %q", got.Error)
			}
			return string(got.Value)
		})
		p := &toolstest.Person{Answer: func(tools.Inquiry) tools.Reply { return c.reply }}
		r := execute(b, p)
		if len(p.Asked) != 1 || !strings.Contains(p.Asked[0].Target, "cat a") {
			t.Fatalf("asked %+v", p.Asked)
		}
		if strings.Contains(r.Text(), `1\n`) != c.reply.Yes {
			t.Error(r.Text())
		}
	}
}

// A command sees what the program has changed only once that is kept, so that is asked about first.
func TestChangesAreSettledBeforeACommand(t *testing.T) {
	b, _ := bench(t, map[string]string{"a": "1\n"}, func(_ context.Context, h host) string {
		h.call("write_file", toolstest.Args("path", "a", "content", "2\n"))
		return string(h.call("run_command", toolstest.Args("command", "cat a")).Value)
	})
	p := &toolstest.Person{Yes: true}
	r := execute(b, p)
	if len(p.Asked) != 2 || !strings.Contains(p.Asked[1].Target, "cat a") {
		t.Fatalf("asked %+v", p.Asked)
	}
	b.Contains(r.Text(), `2\n`)
	if len(r.Changes) != 1 {
		t.Errorf("Undo turn knows %d changes", len(r.Changes))
	}
}

// Calls that the program makes side by side are asked about in one question, or one by one.
func TestCallsSideBySideAreAskedAboutTogether(t *testing.T) {
	lines := []call{
		{"run_command", toolstest.Args("command", "echo 1")},
		{"read_file", toolstest.Args("path", "a")},
		{"run_command", toolstest.Args("command", "echo 2")},
	}
	for _, c := range []struct {
		first  tools.Reply
		asked  int
		denied int
	}{{tools.Reply{Yes: true}, 1, 0}, {tools.Reply{Why: "no"}, 1, 2}, {tools.Reply{Other: true}, 3, 1}} {
		b, _ := bench(t, map[string]string{"a": "x\n"}, func(_ context.Context, h host) string {
			answers := h.parallel(lines...)
			denied := 0
			for _, a := range answers {
				if a.Error != "" {
					denied++
				}
			}
			if denied != c.denied || string(answers[1].Value) != `"x\n"` {
				t.Errorf("the answers are %+v", answers)
			}
			return ""
		})
		p := &toolstest.Person{}
		p.Answer = func(q tools.Inquiry) tools.Reply {
			if len(p.Asked) == 1 {
				return c.first
			}
			return tools.Reply{Yes: len(p.Asked) == 2} // Person appends before it answers
		}
		execute(b, p)
		if len(p.Asked) != c.asked || p.Asked[0].Yes != "Approve all 2" || p.Asked[0].Other != "Approve each…" {
			t.Errorf("asked %d times: %+v", len(p.Asked), p.Asked[0])
		}
		b.Contains(p.Asked[0].Text, "echo 1", "echo 2")
	}
}

// Nobody who could be asked means that nothing runs that needs an answer.
func TestNobodyIsThere(t *testing.T) {
	b, _ := bench(t, map[string]string{"a": "1\n"}, func(_ context.Context, h host) string {
		h.call("write_file", toolstest.Args("path", "a", "content", "2\n"))
		return h.call("run_command", toolstest.Args("command", "touch made")).Error
	})
	r := execute(b, nil)
	b.Contains(r.Text(), "Nobody is there who could be asked")
	b.Gone("made")
	if b.OnDisk("a") != "1\n" {
		t.Error("a file was changed although nobody was asked")
	}
}

// What a rule denies is an error in the program, and what is protected is asked about by itself.
func TestRulesHoldInAProgram(t *testing.T) {
	b, _ := bench(t, map[string]string{"a": "1\n", ".env": "KEY=secret\n"}, func(_ context.Context, h host) string {
		if got := h.call("write_file", toolstest.Args("path", "a", "content", "2\n")); got.Error == "" {
			t.Error("a rule was ignored")
		}
		return h.call("read_file", toolstest.Args("path", ".env")).Error
	})
	b.Rules(`{"deny":[{"effect":"edits","paths":["a"]}]}`)
	p := &toolstest.Person{}
	r := execute(b, p)
	if len(p.Asked) != 1 || !strings.Contains(p.Asked[0].Target, ".env") || strings.Contains(r.Text(), "secret") {
		t.Errorf("asked %+v: %s", p.Asked, r.Text())
	}
}

// A search in a program gives functions.
func TestASearchGivesFunctions(t *testing.T) {
	b, f := bench(t, nil, func(_ context.Context, h host) string {
		return string(h.call("tool_search", toolstest.Args("query", "delete a file")).Value)
	})
	r := execute(b, nil)
	b.Contains(r.Text(), `def delete_file(path: str) -\u003e str:`)
	for _, g := range f.got.Functions {
		if g.Tool == python.Name {
			t.Error("a program can run a program")
		}
	}
}

// A program that writes calls by itself, where programs only compute, calls nothing.
func TestProgramsThatOnlyComputeCallNothing(t *testing.T) {
	b, f := bench(t, map[string]string{"a": "1\n"}, func(_ context.Context, h host) string {
		return h.call("read_file", toolstest.Args("path", "a")).Error
	})
	source := python.New(python.Options{
		Workspace: b.Workspace, Files: builtin.Files, On: func() bool { return true },
		Interpreter: func() (python.Interpreter, error) { return f, nil }, CallsTools: func() bool { return false },
	})
	registry, err := tools.NewSources(builtin.Tools(b.Workspace, builtin.Options{}), source).Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.Dispatcher = tools.NewDispatcher(registry, b.Policy, b.Workspace)
	b.Contains(execute(b, nil).Text(), "This program cannot call tools.")
	if len(f.got.Functions) > 0 {
		t.Errorf("it has functions: %+v", f.got.Functions)
	}
}

// An interpreter that is installed while the program runs is found by the next program.
func TestAnInterpreterThatIsInstalledMeanwhile(t *testing.T) {
	installed := interpretertest.Options(t).Files.Folder
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	folder := filepath.Join(t.TempDir(), "python")
	get := python.Installed("python", folder)
	if _, err := get(); !errors.Is(err, interpreter.ErrMissing) {
		t.Fatalf("the error is %v", err)
	}
	if err := os.Symlink(installed, folder); err != nil {
		t.Fatal(err)
	}
	first, err := get()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := get(); err != nil || again != first {
		t.Errorf("another one: %v", err)
	}
}
