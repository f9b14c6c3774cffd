package tools_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/toolstest"
)

// becomes is what becomes of a call that a model makes, and makes again for what it lacked: whether it runs, needs a
// person or is refused. It is stopped before it has effects. answered says that planning alone answers it.
func becomes(b *toolstest.Bench, c tools.Call) (v policy.Verdict, answered bool) {
	b.Helper()
	last := "none"
	for {
		p := b.Dispatcher.Prepare(b.Context(), c)
		errStopped := errors.New("stopped")
		r, err := b.Dispatcher.Execute(b.Context(), p.BeforeRun(func() error { return errStopped }), nil)
		switch {
		case errors.Is(err, errStopped):
			return policy.Run, false
		case errors.Is(err, tools.ErrNotApproved), errors.Is(err, tools.ErrWaits):
			return policy.Ask, false
		case err != nil:
			b.Fatal(err)
		case p.Answered == nil:
			b.Fatalf("%+v ran", p.Call)
		case r.Text() == last && strings.HasPrefix(last, "Refused: "):
			return policy.Refuse, true
		case r.Text() == last:
			return policy.Run, true
		}
		last = r.Text()
	}
}

// The dry run says about every call what becomes of it when a model makes it: whatever the tool, the files, the mode
// and the rules are. F12.
func TestADryRunSaysWhatBecomesOfACall(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	files := []string{"a.txt", "src/b.go", "AGENTS.md", "sub/CLAUDE.md", ".env", ".git/config", ".vscode/settings.json", ".assent/tools/x.json"}
	decided := map[policy.Verdict]int{}
	for range 60 {
		b := toolstest.NewBench(t, map[string]string{"long.txt": strings.Repeat("one\ntwo\n", 20), "link": "x"})
		for _, f := range files {
			b.Write(f, "alpha\nbeta\n")
		}
		_ = os.Remove(filepath.Join(b.Dir, "link"))
		if err := os.Symlink("AGENTS.md", filepath.Join(b.Dir, "link")); err != nil {
			t.Fatal(err)
		}
		paths := append([]string{"new.txt", "docs/AGENTS.md", "link", "long.txt", "missing/../a.txt", "../out", ".", "src"}, files...)
		rule := func() string {
			return pick(`{"tool":"edit_file"}`, `{"tool":"write_file"}`, `{"effect":"edits"}`, `{"effect":"reads"}`, `{"tool":"*"}`, `{"tool":"delete_file"}`,
				fmt.Sprintf(`{"paths":[%q]}`, pick("src/**", "*.md", "**", "a.txt")), fmt.Sprintf(`{"effect":"edits","paths":[%q]}`, pick("src/**", "**/*.md", "**")))
		}
		rules := map[string][]json.RawMessage{}
		for range random.IntN(4) {
			list := pick("deny", "ask", "allow", "allow")
			rules[list] = append(rules[list], json.RawMessage(rule()))
		}
		text, err := json.Marshal(rules)
		file := filepath.Join(t.TempDir(), "permissions.json")
		if err = errors.Join(err, os.WriteFile(file, text, 0o600)); err != nil {
			t.Fatal(err)
		}
		b.Policy.UseFiles(file, nil)
		for range 40 {
			f, other := pick(paths...), pick(paths...)
			calls := []tools.Call{
				b.Call("read_file", toolstest.Args("path", f)), b.Call("list_directory", toolstest.Args("path", f)), b.Call("search_files", toolstest.Args("pattern", "alpha", "path", f)),
				b.Call("write_file", toolstest.Args("path", f, "content", pick("x", "alpha\nbeta\n"))), b.Call("edit_file", toolstest.Args("path", f, "old_text", pick("alpha", "gamma"), "new_text", "delta")),
				b.Call("insert_text", toolstest.Args("path", f, "line", 1, "text", "new")), b.Call("delete_file", toolstest.Args("path", f)), b.Call("move_file", toolstest.Args("from", f, "to", other)),
				b.Call("edit_files", toolstest.Args("edits", []any{toolstest.Args("path", f, "old_text", "alpha", "new_text", "x"), toolstest.Args("path", other, "old_text", "beta", "new_text", "y")})),
				b.Call("replace_everywhere", toolstest.Args("old_text", "alpha", "new_text", "x", "path", f)), b.Call("run_command", toolstest.Args("command", "cat "+f+pick("", " > b.txt", " | sort"))),
				b.Call("ask_user", toolstest.Args("question", "Which?")), b.Call("get_time", `{}`), b.Call("nothing", `{}`),
			}
			c := calls[random.IntN(len(calls))]
			mode := policy.Mode(pick("ask", "edits", "plan", "full"))
			c.Mode = func() policy.Mode { return mode }
			dry := c
			dry.Reads, c.Reads = tools.NewReadSet(), tools.NewReadSet()
			p, d := b.Dispatcher.Judge(t.Context(), dry)
			said := d.Verdict
			does, answered := becomes(b, c)
			wrong := answered && p.Judged().Reason == "" && said == policy.Refuse                  // policy is not asked about a wrong call
			cannotAsk := answered && p.Answered != nil && said == policy.Ask && does == policy.Run // it is told that it cannot ask
			if said != does && !wrong && !cannotAsk {
				t.Errorf("mode %s, rules %s: %s %s: the dry run says %v, and a run %v (%+v)", mode, text, c.Name, c.Arguments, said, does, p.Decision)
			}
			if !answered {
				decided[said]++
			} else if said == policy.Refuse && !wrong {
				decided[said]++
			}
		}
	}
	for _, v := range []policy.Verdict{policy.Run, policy.Ask, policy.Refuse} {
		if decided[v] < 100 {
			t.Errorf("only %d calls were decided so: %v", decided[v], v)
		}
	}
}
