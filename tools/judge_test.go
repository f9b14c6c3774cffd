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
)

// becomes is what becomes of a call that a model makes, and makes again for what it lacked: whether it runs, needs a
// person or is refused. It is stopped before it has effects. answered says that planning alone answers it.
func becomes(b *bench, c tools.Call) (v policy.Verdict, answered bool) {
	b.Helper()
	last := "none"
	for {
		p := b.d.Prepare(b.Context(), c)
		errStopped := errors.New("stopped")
		r, err := b.d.Execute(b.Context(), p.BeforeRun(func() error { return errStopped }), nil)
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

// The dry run says of every call what becomes of it when a model makes it: whatever the tool, the files, the mode and
// the rules are.
func TestADryRunSaysWhatBecomesOfACall(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	files := []string{"a.txt", "src/b.go", "AGENTS.md", "sub/CLAUDE.md", ".env", ".git/config", ".vscode/settings.json", ".assent/tools/x.json"}
	decided := map[policy.Verdict]int{}
	for range 60 {
		b := newBench(t, map[string]string{"long.txt": strings.Repeat("one\ntwo\n", 20), "link": "x"})
		for _, f := range files {
			b.write(f, "alpha\nbeta\n")
		}
		_ = os.Remove(filepath.Join(b.dir, "link"))
		if err := os.Symlink("AGENTS.md", filepath.Join(b.dir, "link")); err != nil {
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
		b.policy.UseFiles(file, nil)
		for range 40 {
			f, other := pick(paths...), pick(paths...)
			calls := []tools.Call{
				b.call("read_file", args("path", f)), b.call("list_directory", args("path", f)), b.call("search_files", args("pattern", "alpha", "path", f)),
				b.call("write_file", args("path", f, "content", pick("x", "alpha\nbeta\n"))), b.call("edit_file", args("path", f, "old_text", pick("alpha", "gamma"), "new_text", "delta")),
				b.call("insert_text", args("path", f, "line", 1, "text", "new")), b.call("delete_file", args("path", f)), b.call("move_file", args("from", f, "to", other)),
				b.call("edit_files", args("edits", []any{args("path", f, "old_text", "alpha", "new_text", "x"), args("path", other, "old_text", "beta", "new_text", "y")})),
				b.call("replace_everywhere", args("old_text", "alpha", "new_text", "x", "path", f)), b.call("run_command", args("command", "cat "+f+pick("", " > b.txt", " | sort"))),
				b.call("ask_user", args("question", "Which?")), b.call("get_time", `{}`), b.call("nothing", `{}`),
			}
			c := calls[random.IntN(len(calls))]
			mode := policy.Mode(pick("ask", "edits", "plan", "full"))
			c.Mode = func() policy.Mode { return mode }
			dry := c
			dry.Reads, c.Reads = tools.NewReadSet(), tools.NewReadSet()
			p, d := b.d.Judge(t.Context(), dry)
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
