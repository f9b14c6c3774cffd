package builtin_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/toolstest"
)

const canary = "canary-7391"

// S05: a path that a rule denies is read by no tool, by none of 12 spellings, and stays as it is: 15 tools and forms ×
// 12 paths. It is in no list and no search, and among what a sandbox hides.
// Promise 6. Invariant 25.
func TestADeniedPathIsReadByNoRoute(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{
		"secret/key.txt": canary + "\n", "secret/sub/b.txt": canary + "\n", "private.txt": canary + "\n", "src/main.go": "package main\n", "Notes.pem": canary + "\n",
		".gitignore": "secret/sub/\n",
	})
	for link, to := range map[string]string{"open": "secret", "link.txt": "secret/key.txt"} {
		if err := os.Symlink(to, filepath.Join(b.Dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	b.Rules(`{"deny":[{"paths":["secret/**","PRIVATE.txt"]},{"tool":"*","effect":"reads","paths":["**/*.pem"]}],"allow":[{"tool":"*"},{"effect":"edits"}]}`)
	before := everyFile(t, b.Dir)
	names := []string{
		"secret/key.txt", "./secret/key.txt", "secret//key.txt", "secret/sub/../key.txt", "secret/sub/b.txt", b.Dir + "/secret/key.txt", "/secret/key.txt",
		"open/key.txt", "link.txt", "private.txt", "Notes.pem", "secret/new.txt",
	}
	forms := map[string]string{
		"read_file": `{"path":%q}`, "edit_file": `{"path":%q,"old_text":"canary","new_text":"x"}`, "write_file": `{"path":%q,"content":"x"}`,
		"insert_text": `{"path":%q,"text":"x","at_end":true}`, "delete_file": `{"path":%q}`, "move_file": `{"from":%q,"to":"out.txt"}`,
		"search_files": `{"pattern":"canary","path":%q}`, "edit_files": `{"edits":[{"path":%q,"old_text":"canary","new_text":"x"}]}`,
		"list_directory": `{"path":%q}`, "find_files": `{"pattern":%q}`,
		"replace_everywhere": `{"old_text":"anary","new_text":"x","path":%q}`,
	}
	for name := range forms {
		if !slices.ContainsFunc(b.Dispatcher.Registry().Specs(), func(s tools.Spec) bool { return s.Name == name }) {
			t.Errorf("there is no %s", name)
		}
	}
	for _, mode := range []policy.Mode{policy.ModeAsk, policy.ModeFull} {
		for tool, form := range forms {
			for _, name := range names {
				call := b.Call(tool, fmt.Sprintf(form, name))
				call.Mode = func() policy.Mode { return mode }
				r, err := b.Dispatcher.Execute(b.Context(), b.Dispatcher.Prepare(b.Context(), call).Approved(), nil)
				if err != nil || strings.Contains(r.Text(), canary) || !r.Failed {
					t.Errorf("%s of %s: %s, %v", tool, name, r.Text(), err)
				}
			}
		}
		if r := b.Do("move_file", `{"from":"src/main.go","to":"secret/main.go"}`); !r.Failed {
			t.Errorf("moved into it: %s", r.Text())
		}
	}
	for tool, arguments := range map[string]string{
		"search_files": `{"pattern":"canary"}`, "find_files": `{"pattern":"**/*"}`, "list_directory": `{"path":"."}`, "read_file": `{"path":"key.txt"}`,
	} {
		r := b.Do(tool, arguments)
		if text := r.Text(); strings.Contains(text, canary) || strings.Contains(text, "key.txt ") || strings.Contains(text, "secret/key") || strings.Contains(text, "private.txt") ||
			tool != "read_file" && !strings.Contains(text, "Left out, because rules of the user deny it: secret/**, PRIVATE.txt, **/*.pem.") {
			t.Errorf("%s: %s", tool, text)
		}
	}
	hidden := b.Workspace.DeniedPaths(t.Context())
	slices.Sort(hidden)
	if want := []string{"Notes.pem", "private.txt", "secret"}; !slices.Equal(hidden, want) {
		t.Errorf("a sandbox hides %q; want %q", hidden, want)
	}
	if after := everyFile(t, b.Dir); after != before {
		t.Error(cmp.Diff(before, after))
	}
	// What is to be asked about is read by tools that can ask, and never seen by a command.
	b.Rules(`{"ask":[{"paths":["private.txt"]}]}`)
	if hidden := b.Workspace.DeniedPaths(t.Context()); !slices.Equal(hidden, []string{"private.txt"}) || b.Workspace.LeftOut() != "" {
		t.Errorf("a sandbox hides %q", hidden)
	}
	if p := b.Prepare("read_file", `{"path":"private.txt"}`); p.Answered != nil || p.Decision.Verdict != policy.Ask {
		t.Errorf("%+v", p.Decision)
	}
	// Without the rules they are read.
	b.Rules(`{}`)
	if r := b.Do("read_file", `{"path":"secret/key.txt"}`); r.Failed || !strings.Contains(r.Text(), canary) || b.Workspace.LeftOut() != "" {
		t.Errorf("without rules: %s", r.Text())
	}
}

// everyFile is all that is in a folder.
func everyFile(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %q\n", path, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// What planning alone would answer, such as the text of a file that was not read yet, does not pass by a rule.
func TestAnAnswerOfPlanningIsJudged(t *testing.T) {
	for rule, want := range map[string]string{
		`{"ask":[{"paths":["a.txt"]}]}`:                                      "wants to be asked",
		`{"deny":[{"tool":"edit_file","effect":"edits","paths":["a.txt"]}]}`: "Refused: A rule in your permissions file denies edit_file",
		`{}`: canary,
	} {
		b := toolstest.NewBench(t, map[string]string{"a.txt": canary + "\n"})
		b.Rules(rule)
		p := b.Prepare("edit_file", `{"path":"a.txt","old_text":"canary","new_text":"x"}`)
		if p.Answered == nil || !strings.Contains(p.Answered.Text(), want) || (want == canary) != strings.Contains(p.Answered.Text(), canary) {
			t.Errorf("%s: %+v", rule, p.Answered)
		}
	}
}

// S09: a tool of any kind that is registered without a word about rules is judged by them: 9 effects and one unknown ×
// 3 origins.
func TestEveryToolIsJudged(t *testing.T) {
	b := toolstest.NewBench(t, nil)
	for _, c := range everyKind() {
		d := tools.NewDispatcher(tools.NewSources([]tools.Tool{c}).Known(), b.Policy, b.Workspace)
		spec := c.Spec()
		p := d.Prepare(t.Context(), tools.Call{Name: spec.Name, Arguments: []byte(`{}`), Caller: policy.Model, Chat: "chat"})
		if (p.Decision.Verdict == policy.Run) != spec.Effect.Free() {
			t.Errorf("%s of %q: %+v", spec.Effect, spec.Origin, p.Decision)
		}
		b.Rules(`{"deny":[{"tool":"` + spec.Name + `"}]}`)
		if p := d.Prepare(t.Context(), tools.Call{Name: spec.Name, Arguments: []byte(`{}`), Caller: policy.Model, Chat: "chat"}); p.Answered == nil || !strings.HasPrefix(p.Answered.Text(), "Refused: ") {
			t.Errorf("%s of %q is not refused: %+v", spec.Effect, spec.Origin, p.Decision)
		}
		b.Rules(`{}`)
	}
}

// kindTool is a tool that does nothing.
type kindTool struct{ spec tools.Spec }

func (k kindTool) Spec() tools.Spec { return k.spec }

func (k kindTool) Plan(context.Context, tools.Call) (tools.Plan, error) {
	plan := tools.Plan{Target: "x"}
	if !k.spec.Effect.ByPerson() {
		plan.Run = func(context.Context, tools.Reporter) tools.Result { return tools.Text("done") }
	}
	return plan, nil
}

// everyKind are tools of all effects from all origins.
func everyKind() []kindTool {
	var all []kindTool
	for _, word := range append(effect.Words(), "sings") {
		for _, origin := range []tools.Origin{tools.BuiltIn, tools.FromUser, tools.FromServer("x")} {
			all = append(all, kindTool{tools.Spec{Name: "kind", Description: "It.", Parameters: []byte(`{"type":"object"}`), Effect: effect.Effect(word), Origin: origin}})
		}
	}
	return all
}
