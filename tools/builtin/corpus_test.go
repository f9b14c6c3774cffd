//go:build unix

package builtin_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/toolstest"
	"github.com/assent-ls/assent/tools/workspace/workspacetest"
)

// takers are calls with a path at each place where a tool takes one; none for a tool that takes no path. Every built-in
// tool is here.
var takers = map[string][]func(path string) map[string]any{
	"read_file":      {func(p string) map[string]any { return toolstest.Args("path", p) }},
	"list_directory": {func(p string) map[string]any { return toolstest.Args("path", p) }},
	"search_files":   {func(p string) map[string]any { return toolstest.Args("pattern", "can.ry", "path", p) }},
	"find_files":     {func(p string) map[string]any { return toolstest.Args("pattern", p) }},
	"write_file":     {func(p string) map[string]any { return toolstest.Args("path", p, "content", "changed\n") }},
	"edit_file":      {func(p string) map[string]any { return toolstest.Change(p, "a", "changed") }},
	"insert_text":    {func(p string) map[string]any { return toolstest.Args("path", p, "text", "changed", "at_end", true) }},
	"edit_files": {
		func(p string) map[string]any { return toolstest.Several(toolstest.Change(p, "a", "changed")) },
		func(p string) map[string]any {
			return toolstest.Several(toolstest.Change("edited.txt", "a", "x"), toolstest.Change(p, "a", "changed"))
		},
	},
	"delete_file": {func(p string) map[string]any { return toolstest.Args("path", p) }},
	"move_file": {
		func(p string) map[string]any { return toolstest.Args("from", p, "to", "moved.txt") },
		func(p string) map[string]any { return toolstest.Args("from", "other.txt", "to", p) },
	},
	"replace_everywhere": {func(p string) map[string]any {
		return toolstest.Args("old_text", "a", "new_text", "changed", "path", p)
	}},

	"run_command": nil, "get_time": nil, "calculator": nil, "tool_search": nil, "ask_user": nil, "todo": nil,
}

// known fails if a built-in tool is not in takers: a new one must be tried with paths, too.
func known(b *toolstest.Bench) []string {
	b.Helper()
	var names []string
	for _, s := range b.Dispatcher.Registry().Specs() {
		if _, ok := takers[s.Name]; !ok {
			b.Errorf("%s is not tried with the paths: put it into takers", s.Name)
		}
		names = append(names, s.Name)
	}
	for name := range takers {
		if !slices.Contains(names, name) {
			b.Errorf("there is no tool %s", name)
		}
	}
	return names
}

// tree is what a folder holds, with links and without following them.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			found[path] = string(data)
			return err
		case d.Type()&fs.ModeSymlink != 0:
			found[path], err = os.Readlink(path)
			return err
		}
		found[path] = d.Type().String()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// S10: whatever tool gets one of the paths that lead out of the workspace, it reads and changes nothing there.
func TestEveryToolRefusesThePathCorpus(t *testing.T) {
	tried := 0
	for _, tool := range known(toolstest.NewBench(t, nil)) {
		for _, taker := range takers[tool] {
			t.Run(tool, func(t *testing.T) {
				root, outside := workspacetest.Hostile(t)
				b := toolstest.NewBenchIn(t, root)
				was := tree(t, outside)
				for _, path := range workspacetest.RefusedPaths(root, outside) {
					tried++
					b.Write("other.txt", "x\n")
					b.Write("edited.txt", "a\n")
					b.ReadAll("other.txt", "edited.txt")
					call := taker(path)
					r := b.Do(tool, call)
					if r.Retry { // a file was shown that had to be read first
						r = b.Do(tool, call)
					}
					if text := r.Text(); strings.Contains(text, "canary") || strings.Contains(text, "root:") || strings.Contains(text, "secret.txt:") {
						t.Errorf("%q: %s", path, text)
					}
					// Blanks around a path are dropped, "/src" may be meant from the root of the workspace, and JSON
					// has no bytes that are not UTF-8.
					_, err := b.Workspace.Resolve(strings.ToValidUTF8(strings.Trim(path, "/ \n\r"), "\ufffd"))
					if !r.Failed && err != nil && tool != "find_files" {
						t.Errorf("%q: %s", path, r.Text())
					}
					if b.OnDisk("edited.txt") != "a\n" && r.Failed {
						t.Errorf("%q: the other edit was made", path)
					}
				}
				if diff := cmp.Diff(was, tree(t, outside)); diff != "" {
					t.Errorf("outside:\n%s", diff)
				}
			})
		}
	}
	t.Logf("%d calls", tried)
}

// S10: a file whose other name may lie outside is read, and neither changed, moved nor deleted.
func TestNoToolWritesAHardLink(t *testing.T) {
	for _, tool := range known(toolstest.NewBench(t, nil)) {
		for _, taker := range takers[tool] {
			root, outside := workspacetest.Hostile(t)
			if err := os.Link(outside+"/secret.txt", root+"/hard.txt"); err != nil {
				t.Fatal(err)
			}
			b := toolstest.NewBenchIn(t, root)
			b.Write("other.txt", "x\n")
			b.Write("edited.txt", "a\n")
			b.ReadAll("hard.txt", "other.txt", "edited.txt")
			r := b.Do(tool, taker("hard.txt"))
			if spec := b.Prepare(tool, taker("hard.txt")).Spec; r.Failed != spec.Effect.Changes() && tool != "list_directory" {
				t.Errorf("%s: %+v", tool, r)
			}
			if got, err := os.ReadFile(outside + "/secret.txt"); err != nil || string(got) != "canary\n" {
				t.Errorf("%s: the other name holds %q, %v", tool, got, err)
			}
		}
	}
}

// S03: what is protected asks by a sentence of its own, through every tool, in every mode, after every "always" that is
// offered for other files, and whether it exists or not. Nothing of it is shown or changed before.
func TestEveryToolAsksForWhatIsProtected(t *testing.T) {
	tried := 0
	for _, mode := range []policy.Mode{policy.ModeAsk, policy.ModeEdits, policy.ModePlan, policy.ModeFull} {
		for _, tool := range known(toolstest.NewBench(t, nil)) {
			for _, taker := range takers[tool] {
				root := workspacetest.Guarded(t)
				b := toolstest.NewBenchIn(t, root)
				b.Write("other.txt", "x\n")
				b.Write("edited.txt", "a\n")
				b.Write(".git/config", "canary\n")
				b.ReadAll("other.txt", "edited.txt")
				ordinary := b.Prepare(tool, taker("edited.txt"))
				for _, offer := range ordinary.Decision.Offers {
					if !offer.Denies {
						if _, err := b.Policy.Accept(offer, "test"); err != nil {
							t.Fatal(err)
						}
					}
				}
				was := tree(t, root)
				for _, path := range workspacetest.ProtectedPaths(root) {
					tried++
					call := b.Call(tool, taker(path))
					call.Mode = func() policy.Mode { return mode }
					p := b.Dispatcher.Prepare(t.Context(), call)
					asks := p.Answered == nil && p.Protected != "" && p.Decision.Verdict == policy.Ask && len(p.Decision.Offers) == 0
					_, err := b.Dispatcher.Execute(t.Context(), p, nil)
					switch {
					case tool == "find_files" && !strings.Contains(path, "*"): // it names files, and shows nothing of them
					case p.Answered == nil && (!asks || err == nil):
						t.Errorf("%s %q in mode %s: %+v, %v", tool, path, mode, p.Decision, err)
					case p.Answered != nil && (!p.Answered.Failed || strings.Contains(p.Answered.Text(), "canary")):
						t.Errorf("%s %q in mode %s: %s", tool, path, mode, p.Answered.Text())
					}
				}
				if diff := cmp.Diff(was, tree(t, root)); diff != "" {
					t.Errorf("%s in mode %s:\n%s", tool, mode, diff)
				}
			}
		}
	}
	t.Logf("%d calls", tried)
}

// S03: a model changes nothing that tells models what to do unless a person is asked, by whatever tool, name and mode,
// and after every "always" that is offered for other files. It reads it as any other file.
// Promise 5.
func TestAModelDoesNotChangeItsPromptUnasked(t *testing.T) {
	tried := 0
	for _, mode := range []policy.Mode{policy.ModeAsk, policy.ModeEdits, policy.ModePlan, policy.ModeFull} {
		for _, tool := range known(toolstest.NewBench(t, nil)) {
			for _, taker := range takers[tool] {
				b := toolstest.NewBench(t, map[string]string{
					"AGENTS.md": "a\n", "sub/AGENTS.md": "a\n", "notes.txt": "a\n", "other.txt": "x\n", "edited.txt": "a\n", "below/edited.txt": "a\n", "Agents.Md": "a\n",
				})
				for name, target := range map[string]string{"innocent.txt": "AGENTS.md", "CLAUDE.md": "notes.txt", "folder": "sub"} {
					if err := os.Symlink(target, filepath.Join(b.Dir, name)); err != nil {
						t.Fatal(err)
					}
				}
				b.ReadAll("other.txt", "edited.txt", "below/edited.txt", "AGENTS.md", "sub/AGENTS.md", "notes.txt", "Agents.Md")
				for _, ordinary := range []string{"edited.txt", "below/edited.txt"} {
					for _, offer := range b.Prepare(tool, taker(ordinary)).Decision.Offers {
						if _, err := b.Policy.Accept(offer, "test"); !offer.Denies && err != nil {
							t.Fatal(err)
						}
					}
				}
				was := tree(t, b.Dir)
				for _, path := range workspacetest.GuardedPaths(b.Dir) {
					tried++
					call := b.Call(tool, taker(path))
					call.Mode = func() policy.Mode { return mode }
					p := b.Dispatcher.Prepare(t.Context(), call)
					asks := p.Protected != "" && len(p.Decision.Offers) == 0 && (p.Decision.Verdict == policy.Ask || mode == policy.ModePlan && p.Decision.Verdict == policy.Refuse)
					switch changes := p.Spec.Effect.Changes(); {
					case p.Answered != nil: // it is refused, or shown first
					case changes && !asks:
						t.Errorf("%s %q in mode %s: %+v", tool, path, mode, p.Decision)
					case !changes && p.Decision.Verdict != policy.Run:
						t.Errorf("%s %q asks: %+v", tool, path, p.Decision)
					}
					if _, err := b.Dispatcher.Execute(t.Context(), p, nil); p.Answered == nil && p.Spec.Effect.Changes() && err == nil {
						t.Errorf("%s %q in mode %s ran", tool, path, mode)
					}
				}
				if diff := cmp.Diff(was, tree(t, b.Dir)); diff != "" {
					t.Errorf("%s in mode %s:\n%s", tool, mode, diff)
				}
			}
		}
	}
	t.Logf("%d calls", tried)
}

// S03: so it is with a tool that finds the files itself: in every folder that holds such a file, by every name of it,
// in every mode and under a rule that allows all edits. Without such a file in it the call runs.
// F01.
func TestAToolThatFindsItsFilesAsksForAPrompt(t *testing.T) {
	finds := func(path string) map[string]any {
		return toolstest.Args("old_text", "a", "new_text", "changed", "path", path)
	}
	for _, rule := range []string{"", `{"allow":[{"effect":"edits"}]}`, `{"allow":[{"tool":"replace_everywhere","paths":["**"]}]}`} {
		for _, mode := range []policy.Mode{policy.ModeAsk, policy.ModeEdits, policy.ModePlan, policy.ModeFull} {
			for _, name := range []string{"edited.txt", "AGENTS.md", "CLAUDE.md", "Agents.Md", "AGENTS.md.", "AGENTS.md:stream", "AGENTS.m\uff44", "AGENTS\ufe0f.md"} {
				b := toolstest.NewBench(t, map[string]string{"other.txt": "a\n", "sub/other.txt": "a\n", "sub/" + name: "a\n"})
				if err := os.Symlink("sub", filepath.Join(b.Dir, "folder")); err != nil {
					t.Fatal(err)
				}
				if rule != "" {
					b.Rules(rule)
				}
				for _, path := range []string{"", "sub", "folder", "./sub/", "sub/" + name} {
					call := b.Call("replace_everywhere", finds(path))
					call.Mode = func() policy.Mode { return mode }
					p := b.Dispatcher.Prepare(t.Context(), call)
					if p.Answered != nil {
						if mode != policy.ModePlan {
							t.Errorf("%q in %q: %s", name, path, p.Answered.Text())
						}
						continue
					}
					guarded := name != "edited.txt"
					runs := p.Decision.Verdict == policy.Run
					wantRun := !guarded && (mode == policy.ModeEdits || mode == policy.ModeFull || rule != "" && mode != policy.ModePlan)
					if runs != wantRun || (p.Protected != "") != guarded || guarded && len(p.Decision.Offers) > 0 {
						t.Errorf("%q in %q, mode %s, rules %q: %q %+v", name, path, mode, rule, p.Protected, p.Decision)
					}
				}
			}
		}
	}
}

// S03: a command that redirects into such a file is asked about, and one that reads it is not.
// Promise 5.
func TestACommandDoesNotChangeThePromptUnasked(t *testing.T) {
	b := toolstest.CommandBench(t, sandboxtest.Pretended{})
	b.Write("AGENTS.md", "a\n")
	if err := os.Symlink("AGENTS.md", filepath.Join(b.Dir, "innocent")); err != nil {
		t.Fatal(err)
	}
	for text, asks := range map[string]bool{
		"echo x >AGENTS.md": true, "echo x >>agents.MD": true, "echo x >innocent": true, "cat in >sub/CLAUDE.md": true,
		"cat <in >AGENTS.md": true, "cat AGENTS.md": false, "sort <AGENTS.md": false, "wc -l <innocent": false, "echo x >ordinary.txt": false,
	} {
		call := b.Call("run_command", toolstest.Args("command", text))
		call.Mode = func() policy.Mode { return policy.ModeFull }
		p := b.Dispatcher.Prepare(t.Context(), call)
		if got := p.Decision.Verdict == policy.Ask && p.Protected != ""; got != asks || !asks && p.Decision.Verdict != policy.Run {
			t.Errorf("%q: %+v", text, p.Decision)
		}
	}
}

// Every tool that takes a path gives it to policy, which judges it by rule.
func TestEveryToolGivesItsPathsToPolicy(t *testing.T) {
	for tool, places := range takers {
		for _, taker := range places {
			b := toolstest.NewBench(t, map[string]string{"other.txt": "x\n", "edited.txt": "a\n", "src/a.txt": "a\n"})
			b.ReadAll("other.txt", "edited.txt", "src/a.txt")
			path := "src/a.txt"
			if taker(path)["to"] == path {
				path = "src/new.txt"
			} else if tool == "list_directory" {
				path = "src"
			}
			paths := b.Plan(tool, taker(path)).Paths
			if tool == "find_files" {
				path = "." // it looks at all names
			}
			if !slices.Contains(paths, path) {
				t.Errorf("%s: %q has no %q", tool, paths, path)
			}
		}
	}
}
