//go:build linux && (amd64 || arm64)

package runcommand_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/toolstest"
	"github.com/assent-ls/assent/tools/workspace"
)

// drafted is what a draft changed, in lines.
func drafted(t *testing.T, d *workspace.Workspace) (lines []string) {
	t.Helper()
	for _, c := range d.Drafted(t.Context()) {
		text := "none"
		if c.After != nil {
			text = fmt.Sprintf("%q", *c.After)
		}
		lines = append(lines, c.Rel+" "+text)
	}
	return lines
}

// onDraft has a bench's tools work on a draft of its workspace, with some changes in it; a nil text deletes the file.
func onDraft(t *testing.T, b *toolstest.Bench, changes map[string]any) *workspace.Workspace {
	t.Helper()
	d := b.Workspace.Draft()
	all := builtin.Tools(d, builtin.Options{Shell: shelltest.New(), Sandbox: b.Sandbox})
	b.Dispatcher = tools.NewDispatcher(tools.NewSources(all).Known(), b.Policy, d)
	for name, text := range changes {
		p, err := d.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		was, readErr := d.Read(t.Context(), p)
		before := was.Content()
		switch after, is := text.(string); {
		case !is:
			err = d.Delete(t.Context(), p, before)
		case readErr != nil:
			err = d.Replace(t.Context(), p, nil, after)
		default:
			err = d.Replace(t.Context(), p, &before, after)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// A command on a draft finds what is drafted, and what it changes is drafted, too: nobody is asked, and the disk stays
// as it is.
func TestACommandOnADraft(t *testing.T) {
	start := map[string]any{"a": "drafted\n", "new/deep/f": "new\n", "sub/x": nil, "run": "#!/bin/sh\n", ".env": "KEY=y\n"}
	all := []string{`.env "KEY=y\n"`, `a "drafted\n"`, `new/deep/f "new\n"`, `run "#!/bin/sh\n"`, `sub/x none`}
	for name, tt := range map[string]struct {
		line string
		says []string
		then map[string]string // by path: how the line of the draft differs; empty: it is gone
	}{
		"looks":                  {line: "cat a new/deep/f; ls sub; git diff --stat", says: []string{"drafted\nnew\n", "sub/x | 1 -"}},
		"sees no secret":         {line: "cat .env; ls -A | grep env", says: []string{"Exit status 1"}},
		"changes a drafted file": {line: "echo more >>a; echo more >>new/deep/f", says: []string{"Changed: a, new/deep/f."}, then: map[string]string{"a": `"drafted\nmore\n"`, "new/deep/f": `"new\nmore\n"`}},
		"puts back what was":     {line: "echo 1 >a; mkdir -p sub; echo x >sub/x", says: []string{"Changed: a.", "Made: sub/x."}, then: map[string]string{"a": "", "sub/x": ""}},
		"removes a new file":     {line: "rm new/deep/f", says: []string{"Removed: new/deep/f."}, then: map[string]string{"new/deep/f": ""}},
		"removes a new folder":   {line: "rm -r new; mkdir new; echo g >new/g", says: []string{"Removed: new/deep/f.", "Made: new/g."}, then: map[string]string{"new/deep/f": "", "new/g": `"g\n"`}},
		"removes a file":         {line: "rm a", says: []string{"Removed: a."}, then: map[string]string{"a": "none"}},
		"makes others":           {line: "echo m >m; mkdir -p build; echo o >build/o; ln -s a l", says: []string{"Made: m.", "build/o (git ignores it)", "l (it is no file"}, then: map[string]string{"m": `"m\n"`}},
		"commits":                {line: "git commit -qam second", says: []string{"repositories of git are not changed"}},
		"does not end":           {line: "echo more >>a; kill -9 $$", says: []string{"did not come to its end"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := toolstest.ConfinedBench(t)
			d := onDraft(t, b, start)
			p := &toolstest.Person{}
			r := b.Command(tt.line, p)
			b.Contains(r.Text(), tt.says...)
			if len(p.Asked) > 0 || len(r.Changes) > 0 {
				t.Errorf("asked %v, and Undo turn knows %v", p.Asked, r.Changes)
			}
			want := slices.Clone(all)
			for rel, text := range tt.then {
				want = slices.DeleteFunc(want, func(line string) bool { return strings.HasPrefix(line, rel+" ") })
				if text != "" {
					want = append(want, rel+" "+text)
				}
			}
			slices.Sort(want)
			if diff := cmp.Diff(want, drafted(t, d)); diff != "" {
				t.Errorf("%s\n%s", diff, r.Text())
			}
			if b.OnDisk("a") != "1\n" || b.OnDisk("sub/x") != "x\n" || b.Git("log", "--format=%s") != "first" {
				t.Error("the disk changed")
			}
			b.Gone("new", "m", "build", "l", "run")
		})
	}
}

// A command that only reads, and one that is tried, are on the draft as well.
func TestWhatReadsOrIsTriedIsOnTheDraft(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	d := onDraft(t, b, map[string]any{"a": "drafted\n"})
	r, err := b.Dispatcher.Execute(t.Context(), b.Prepare("run_command", toolstest.Args("command", "cat a")), nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Contains(r.Text(), "drafted\n[Exit status 0.]")
	p := &toolstest.Person{}
	b.Try("echo more >>a", p)
	if diff := cmp.Diff([]string{`a "drafted\nmore\n"`}, drafted(t, d)); diff != "" || len(p.Asked) > 0 || b.OnDisk("a") != "1\n" {
		t.Errorf("%s: asked %v", diff, p.Asked)
	}
}

// What is typed and not saved no command sees, so it does not change it.
func TestACommandOnADraftLeavesWhatIsNotSaved(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	d := onDraft(t, b, nil)
	b.Buffers.Mu.Lock()
	b.Buffers.Texts[b.Workspace.Root()+"/a"] = "typed\n"
	b.Buffers.Mu.Unlock()
	r := b.Command("echo more >>a", &toolstest.Person{})
	b.Contains(r.Text(), "a (it has unsaved changes in the editor)")
	if got := drafted(t, d); got != nil {
		t.Errorf("changes: %v", got)
	}
}
