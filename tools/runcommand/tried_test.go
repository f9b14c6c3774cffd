//go:build linux && (amd64 || arm64)

package runcommand_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/toolstest"
)

// keeping answers the form of pieces: those whose field has one of these texts in it are kept.
func keeping(t *testing.T, what ...string) func(tools.Inquiry) tools.Reply {
	t.Helper()
	return func(q tools.Inquiry) tools.Reply {
		if len(q.Form) == 0 {
			return tools.Reply{Other: true}
		}
		fields, err := arguments.FormFields(q.Form)
		if err != nil {
			t.Error(err)
		}
		chosen := map[string]string{}
		for _, f := range fields {
			chosen[f.Name] = f.Default
			if slices.ContainsFunc(what, func(w string) bool { return strings.Contains(f.Name, w) }) {
				chosen[f.Name] = "keep"
			}
		}
		form, err := json.Marshal(chosen)
		if err != nil || arguments.CheckForm(q.Form, form) != nil {
			t.Error(err)
		}
		return tools.Reply{Yes: true, Form: form}
	}
}

const tenLines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

// Nothing that a tried command did is in the workspace before a person says so, and then all of it is, or nothing.
// Promise 4.
func TestATriedCommandWaitsForAnAnswer(t *testing.T) {
	const line = "echo 2 >>a; mkdir n; echo f >n/f; rm sub/x; mkdir -p build; echo o >build/o; echo said"
	for _, yes := range []bool{true, false} {
		b := toolstest.ConfinedBench(t)
		p := &toolstest.Person{Answer: func(tools.Inquiry) tools.Reply {
			if got := b.OnDisk("a") + b.OnDisk("sub/x"); got != "1\nx\n" {
				t.Errorf("before the answer the files hold %q", got)
			}
			return tools.Reply{Yes: yes, Why: "wrong folder"}
		}}
		r := b.Try(line, p)
		if len(p.Asked) != 1 || r.Failed {
			t.Fatalf("asked %d times: %s", len(p.Asked), r.Text())
		}
		q := p.Asked[0]
		b.Contains(q.Text, "on a copy", "+2", "Made n/f", "Removed sub/x")
		if q.Yes != "Keep all" || q.No != "Discard" || !q.Why || len(q.Files) != 3 || strings.Contains(q.Text, "build") {
			t.Errorf("the question is %+v", q)
		}
		b.Contains(r.Text(), "said\n[Exit status 0.]")
		_, made := os.Stat(filepath.Join(b.Dir, "n/f"))
		_, gone := os.Stat(filepath.Join(b.Dir, "sub/x"))
		if (made == nil) != yes || errors.Is(gone, os.ErrNotExist) != yes || (b.OnDisk("a") == "1\n2\n") != yes {
			t.Errorf("yes: %v, and a holds %q", yes, b.OnDisk("a"))
		}
		if yes {
			b.Contains(r.Text(), "[Changed: a.]", "n/f")
			if len(r.Changes) != 3 {
				t.Errorf("Undo turn knows %d changes", len(r.Changes))
			}
		} else {
			b.Contains(r.Text(), "Not applied:", `the user discarded it, and says: "wrong folder"`)
			if len(r.Changes) != 0 {
				t.Errorf("Undo turn knows %v", r.Changes)
			}
		}
	}
}

// A tried command that changed nothing asks nothing, and so does one that only gave a file another time.
func TestATriedCommandThatChangedNothingAsksNothing(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	p := &toolstest.Person{}
	for _, line := range []string{"cat a", "touch a", "echo x >tmp; rm tmp", "cp a b; mv b a"} {
		if r := b.Try(line, p); len(p.Asked) > 0 || r.Failed {
			t.Errorf("%s: asked %v: %s", line, p.Asked, r.Text())
		}
	}
	if b.OnDisk("a") != "1\n" {
		t.Errorf("a holds %q", b.OnDisk("a"))
	}
}

// A person keeps hunks and files, and discards others.
// Promise 4.
func TestWhatIsKeptOfATriedCommand(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Write("list", tenLines)
	p := &toolstest.Person{Answer: keeping(t, "list line 10", "n/f")}
	r := b.Try("sed -i 's/^1$/one/; s/10/ten/' list; mkdir -p n m; echo f >n/f; echo g >m/g; echo 2 >>a", p)
	if len(p.Asked) != 2 {
		t.Fatalf("asked %d times: %s", len(p.Asked), r.Text())
	}
	if got := b.OnDisk("list"); got != strings.Replace(tenLines, "10", "ten", 1) {
		t.Errorf("list holds %q", got)
	}
	if got := b.OnDisk("n/f") + b.OnDisk("a"); got != "f\n1\n" {
		t.Errorf("the files hold %q", got)
	}
	if _, err := os.Stat(filepath.Join(b.Dir, "m")); err == nil {
		t.Error("a folder was made for a discarded file")
	}
	b.Contains(r.Text(), "The user kept a part of these: list (1 of 2 hunks).", "[Changed: list.]", "[Made: n/f.]", "Not applied: a, m/g (the user discarded it)")
	b.Contains(p.Asked[1].Text, "list line 10\n-10\n+ten\n")
}

// Names in the layer that are one file: a part of one name's text must not get into the other.
// Promise 4.
func TestHunksOfAFileWithTwoNamesAreOneWhole(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Write("list", tenLines)
	b.Write("copy", tenLines)
	p := &toolstest.Person{Answer: keeping(t, "copy", "list line 10")}
	b.Try("sed -i 's/^1$/one/; s/10/ten/' list; ln -f list copy", p)
	if got := b.OnDisk("list"); got != tenLines {
		t.Errorf("list holds %q", got)
	}
	if got := b.OnDisk("copy"); got != strings.Replace(strings.Replace(tenLines, "10", "ten", 1), "1\n", "one\n", 1) {
		t.Errorf("copy holds %q", got)
	}
}

// What needs a question of its own has it after the other, and not if all else was discarded.
// Promise 5.
func TestProtectedChangesOfATriedCommand(t *testing.T) {
	for _, keep := range []bool{true, false} {
		b := toolstest.ConfinedBench(t)
		p := &toolstest.Person{}
		p.Answer = func(tools.Inquiry) tools.Reply { return tools.Reply{Yes: keep && len(p.Asked) == 1} }
		r := b.Try("echo 2 >>a; echo x >AGENTS.md; mkdir -p .vscode; echo {} >.vscode/tasks.json", p)
		if want := map[bool]int{true: 2, false: 1}[keep]; len(p.Asked) != want {
			t.Fatalf("keep: %v, asked %d times: %s", keep, len(p.Asked), r.Text())
		}
		if strings.Contains(p.Asked[0].Text, "Use tabs") {
			t.Error("the protected file is in the question about ordinary ones")
		}
		if b.OnDisk("AGENTS.md") != "Use tabs.\n" || (b.OnDisk("a") == "1\n2\n") != keep {
			t.Errorf("AGENTS.md holds %q, a %q", b.OnDisk("AGENTS.md"), b.OnDisk("a"))
		}
		if _, err := os.Stat(filepath.Join(b.Dir, ".vscode/tasks.json")); err == nil {
			t.Error("a protected file was made without a yes")
		}
	}
}

// Where nobody can be asked nothing is kept.
// Promise 1, 4.
func TestATriedCommandWithoutAPerson(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	r, err := b.Dispatcher.Execute(t.Context(), b.Prepare("run_command", toolstest.Args("command", "echo 2 >>a; git commit -qam second")).Tried(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Contains(r.Text(), "Not applied:", "nobody was there")
	if b.OnDisk("a") != "1\n" || b.Git("log", "--format=%s") != "first" {
		t.Errorf("a holds %q", b.OnDisk("a"))
	}
}

// A commit is kept or discarded whole.
// Promise 4.
func TestACommitOfATriedCommand(t *testing.T) {
	for _, keep := range []string{"repository", "none"} {
		b := toolstest.ConfinedBench(t)
		r := b.Try("echo 2 >>a; git commit -qam second", &toolstest.Person{Answer: keeping(t, keep)})
		want, status := "second\nfirst", "M a"
		if keep == "none" {
			want, status = "first", ""
		}
		if got := b.Git("log", "--format=%s"); got != want || b.Git("status", "--short", "-uno") != status || b.OnDisk("a") != "1\n" || b.Git("fsck") != "" {
			t.Errorf("%s: %s, %q: %s", keep, got, b.Git("status", "--short", "-uno"), r.Text())
		}
	}
}

// Many files are decided on by folder, and the question is not too long to be asked.
func TestManyFilesAreGroupedByFolder(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	p := &toolstest.Person{Answer: keeping(t, "gen/7/")}
	r := b.Try("mkdir gen; for d in 1 2 3 4 5 6 7 8 9; do mkdir gen/$d; for f in `seq 100`; do echo $d >gen/$d/$f; done; done", p)
	if len(p.Asked) != 2 {
		t.Fatalf("asked %d times: %s", len(p.Asked), r.Text())
	}
	b.Contains(p.Asked[0].Text, "gen/3/ (100 files)")
	if got, err := os.ReadDir(filepath.Join(b.Dir, "gen")); err != nil || len(got) != 1 || b.OnDisk("gen/7/100") != "7\n" {
		t.Errorf("gen has %v: %v\n%s", got, err, r.Text())
	}
}

// What somebody types in a file meanwhile stays: the command's version is left out.
// Promise 10.
func TestAFileThatThePersonTypesIn(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	r := b.Try("echo 2 >>a; echo y >>sub/x", &toolstest.Person{Answer: func(tools.Inquiry) tools.Reply {
		b.Buffers.Mu.Lock()
		b.Buffers.Texts[filepath.Join(b.Dir, "a")] = "typed\n"
		b.Buffers.Mu.Unlock()
		return tools.Reply{Yes: true}
	}})
	if b.OnDisk("a") != "1\n" || b.OnDisk("sub/x") != "x\ny\n" {
		t.Errorf("a holds %q, x %q", b.OnDisk("a"), b.OnDisk("sub/x"))
	}
	b.Contains(r.Text(), "a (it has unsaved changes in the editor)")
}

// A call can be tried only where a sandbox holds, and never outside of one.
// Promise 4.
func TestWhatCanBeTried(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	call := b.Call("run_command", toolstest.Args("command", "echo 2 >>a"))
	call.Outside = true
	outside := b.Dispatcher.Prepare(t.Context(), call)
	if outside.CanTry || !b.Prepare("run_command", toolstest.Args("command", "echo 2 >>a")).CanTry {
		t.Error("what runs outside can be tried on a copy")
	}
	for _, p := range []tools.Prepared{outside, b.Prepare("write_file", toolstest.Args("path", "new", "content", "x"))} {
		if _, err := b.Dispatcher.Execute(t.Context(), p.Tried(), nil); !errors.Is(err, tools.ErrChanged) {
			t.Errorf("%s: %v", p.Call.Name, err)
		}
	}
	if b.OnDisk("a") != "1\n" {
		t.Error("it ran")
	}
}

// Odd things that a tried command leaves: very many files, names that differ in case or normalisation form alone, and a
// file that is written and removed again and again.
// Promise 4, 10.
func TestOddThingsThatATriedCommandLeaves(t *testing.T) {
	for name, c := range map[string]struct{ line, asks, keeps, want string }{
		"many empty files": {
			"mkdir many; cd many; seq 20000 | xargs touch", "many/ (20000 files)", "", "",
		},
		"names of another case": {"echo x >A; echo y >Sub", "Made A", "A", "a 1\nA x\n"},
		"two forms of a name": {
			"printf c >\"$(printf 'caf\\303\\251')\"; printf d >\"$(printf 'cafe\\314\\201')\"", "caf", "cafe", "a 1\ncafe\u0301 d",
		},
		"a file that comes and goes": {"for i in `seq 2000`; do echo $i >a; rm a; done", "Removed a", "", "a 1\n"},
	} {
		b := toolstest.ConfinedBench(t)
		p := &toolstest.Person{Answer: func(q tools.Inquiry) tools.Reply {
			if c.keeps == "" {
				return tools.Reply{}
			}
			return keeping(t, c.keeps)(q)
		}}
		r := b.Try(c.line, p)
		if len(p.Asked) == 0 {
			t.Errorf("%s: nothing was asked: %s", name, r.Text())
			continue
		}
		b.Contains(p.Asked[0].Text, c.asks)
		got := ""
		for _, file := range []string{"a", "A", "Sub", "caf\u00e9", "cafe\u0301", "many"} {
			if text, err := os.ReadFile(filepath.Join(b.Dir, file)); err == nil {
				got += file + " " + string(text)
			}
		}
		if c.want != "" && got != c.want {
			t.Errorf("%s: the files hold %q", name, got)
		}
		if _, err := os.Stat(filepath.Join(b.Dir, "many")); err == nil {
			t.Errorf("%s: what was discarded is there", name)
		}
	}
}
