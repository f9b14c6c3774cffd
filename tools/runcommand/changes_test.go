//go:build linux && (amd64 || arm64)

package runcommand_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/toolstest"
)

// What an approved command does to ordinary files is applied when it ends, can be undone, and is told.
// Promise 4.
func TestOrdinaryChangesAreApplied(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	p := &toolstest.Person{}
	r := b.Command("echo 2 >>a; mkdir -p build n; echo o >build/o; echo f >n/f; rm sub/x; echo x >large; head -c 3000000 /dev/zero >large", p)
	if len(p.Asked) > 0 || r.Failed {
		t.Errorf("asked %v: %s", p.Asked, r.Text())
	}
	b.Contains(r.Text(), "[Changed: a.]", "[Made: build/o, large, n/f.]", "[Removed: sub/x.]", "does not cover what this command did to large")
	if got := b.OnDisk("a") + b.OnDisk("build/o") + b.OnDisk("n/f"); got != "1\n2\no\nf\n" {
		t.Errorf("the files hold %q", got)
	}
	var undo []string
	for _, c := range r.Changes {
		rel, _ := filepath.Rel(b.Dir, c.Path)
		undo = append(undo, fmt.Sprintf("%s %v %v %v", rel, c.Before != nil, c.After != nil, c.Mode))
	}
	if got := strings.Join(undo, ", "); got != "a true true ----------, n/f false true ----------, sub/x true false -rw-r--r--" {
		t.Errorf("undo knows %s", got)
	}
}

// What Undo turn does not cover is kept: large files, and ignored ones.
// Promise 4.
func TestWhatIsReplacedIsKept(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Write("large", strings.Repeat("x", 3<<20))
	b.Write("build/o/out", "built\n")
	r := b.Command("echo small >large; rm -r build; rm sub/x", &toolstest.Person{})
	_, said, ok := strings.Cut(r.Text(), "What was there is kept in ")
	folder, _, _ := strings.Cut(said, ".]")
	if !ok {
		t.Fatal(r.Text())
	}
	for name, want := range map[string]string{"large": strings.Repeat("x", 3<<20), "build/o/out": "built\n"} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(text) != want {
			t.Errorf("%s: %v, %d bytes", name, err, len(text))
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "sub")); err == nil {
		t.Error("what Undo turn covers is kept twice")
	}
}

// A command that runs unasked because it only reads changes nothing, whatever its program does.
// Promise 4.
func TestAReadingCommandChangesNothing(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	for _, reads := range []bool{true, false} {
		r := runcommand.RunReading(t.Context(), b.Workspace, shelltest.New(), sandboxtest.New(t, "namespaces", b.Workspace.Root()), "echo x >made; echo y >>a; cat a", reads)
		if _, err := os.Stat(filepath.Join(b.Dir, "made")); (err == nil) == reads || (b.OnDisk("a") == "1\n") != reads || (len(r.Changes) == 0) != reads {
			t.Errorf("a command that only reads: %v, and what it did was applied: %v", reads, r.Changes)
		}
		b.Contains(r.Text(), "1\ny\n")
	}
}

// S11, A11: what is protected or guarded is asked about when the command has run, all in one question that shows it;
// without a yes none of it is applied, and the rest is.
// F04. Promise 4, 5. Invariant 24.
func TestProtectedChangesAreAskedAbout(t *testing.T) {
	const line = "echo 2 >>a; echo 'Use spaces.' >AGENTS.md; mkdir -p .vscode .git/hooks; echo '{}' >.vscode/tasks.json; echo 'evil' >.git/hooks/pre-commit; git config core.fsmonitor evil; mkdir -p n/.git; echo x >.envrc"
	protected := []string{".vscode/tasks.json", ".git/hooks/pre-commit", ".envrc"}
	for _, yes := range []bool{true, false} {
		b := toolstest.ConfinedBench(t)
		p := &toolstest.Person{Yes: yes}
		r := b.Command(line, p)
		if len(p.Asked) != 1 {
			t.Fatalf("asked %d times: %s", len(p.Asked), r.Text())
		}
		b.Contains(p.Asked[0].Text, "+Use spaces.", "-Use tabs.", "+evil", "fsmonitor", ".envrc", "tasks.json")
		for _, name := range protected {
			if _, err := os.Stat(filepath.Join(b.Dir, name)); (err == nil) != yes {
				t.Errorf("yes: %v, and %s: %v", yes, name, err)
			}
		}
		if got := strings.Contains(b.OnDisk("AGENTS.md")+b.OnDisk(".git/config"), "spaces"); got != yes || strings.Contains(b.OnDisk(".git/config"), "evil") != yes {
			t.Errorf("yes: %v, and the files hold %s", yes, b.OnDisk("AGENTS.md"))
		}
		if b.OnDisk("a") != "1\n2\n" {
			t.Error("an ordinary change was not applied")
		}
		if !yes {
			b.Contains(r.Text(), "Not applied:", "the user said no", ".envrc")
		}
	}
	b := toolstest.ConfinedBench(t)
	r := b.Do("run_command", toolstest.Args("command", line)) // nobody is there
	b.Contains(r.Text(), "Not applied:", "nobody was there")
	if strings.Contains(b.OnDisk("AGENTS.md")+b.OnDisk(".git/config"), "evil") {
		t.Error("applied without an answer")
	}
}

// A commit is one change: it is applied without a question, and hooks and settings are none of it.
// Promise 4.
func TestCommits(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	p := &toolstest.Person{}
	r := b.Command("echo 2 >>a && git commit -qam second && git branch side && git stash list", p)
	if len(p.Asked) > 0 || b.Git("log", "--format=%s") != "second\nfirst" || b.Git("status", "--short", "-uno") != "" || b.Git("fsck") != "" {
		t.Errorf("asked %v, %s: %s", p.Asked, b.Git("log", "--oneline"), r.Text())
	}
	b.Write("a", "uncommitted\n")
	b.Command("git stash", p)
	if b.OnDisk("a") != "1\n2\n" || b.Git("stash", "list") == "" {
		t.Errorf("after git stash a holds %q, and the stash %q", b.OnDisk("a"), b.Git("stash", "list"))
	}
}

// Trap: git takes a tracked file that the view hides for deleted. Nothing of what such a command did is applied, the
// working tree included.
// Promise 4.
func TestHiddenTrackedFiles(t *testing.T) {
	for _, line := range []string{"echo 2 >>a; git add -A; git commit -qm second", "git commit -qam second", "echo 2 >>a; git stash", "git rm -q --cached .env", "git reset -q --hard"} {
		b := toolstest.ConfinedBench(t)
		b.Git("add", "-f", ".env")
		b.Git("commit", "-qm", "tracked")
		b.Write("a", "uncommitted\n")
		head := b.Git("rev-parse", "HEAD")
		r := b.Command(line, &toolstest.Person{Yes: true})
		if b.Git("rev-parse", "HEAD") != head || b.Git("ls-files", ".env") == "" || b.OnDisk(".env") != "KEY=x\n" || b.OnDisk("a") != "uncommitted\n" || b.Git("stash", "list") != "" {
			t.Errorf("%s: a holds %q, .env %q: %s", line, b.OnDisk("a"), b.OnDisk(".env"), r.Text())
		}
		b.Contains(r.Text(), "Not applied:")
	}
}

// What a person writes while a command runs stays.
// Promise 4.
func TestAPersonsWorkStays(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	p := &toolstest.Person{Prints: func() {
		b.Write("a", "by a person\n")
		b.Write("new", "by a person\n")
		b.Git("commit", "-qm", "theirs", "--allow-empty")
	}}
	const wait = "echo ready; until grep -q person a; do sleep 0.01; done; "
	r := b.Command(wait+"echo 2 >a; echo 2 >new; echo 3 >sub/x", p)
	if b.OnDisk("a") != "by a person\n" || b.OnDisk("new") != "by a person\n" || b.OnDisk("sub/x") != "3\n" {
		t.Errorf("the files hold %q, %q, %q", b.OnDisk("a"), b.OnDisk("new"), b.OnDisk("sub/x"))
	}
	b.Contains(r.Text(), "Not applied: a, new (it was changed by somebody else while the command ran).")

	p.Prints = func() { b.Git("commit", "-qm", "theirs too", "--allow-empty"); b.Write("a", "person again\n") }
	r = b.Command("echo ready; until grep -q again a; do sleep 0.01; done; echo 4 >sub/x; git commit -qm model sub/x", p)
	if got := b.Git("log", "--format=%s"); got != "theirs too\ntheirs\nfirst" || b.OnDisk("sub/x") != "3\n" {
		t.Errorf("the log is %q, sub/x %q: %s", got, b.OnDisk("sub/x"), r.Text())
	}
}

// Of a file that both the command and a person changed, the person takes the one or the other, or both if the last
// commit shows that they can be joined.
// Promise 4.
func TestBothChangedAFile(t *testing.T) {
	for answer, want := range map[string]string{"no": "0\n2\n3\n4\n", "yes": "1\n2\n3\n5\n", "both": "0\n2\n3\n5\n", "too late": "once more\n"} {
		b := toolstest.ConfinedBench(t)
		b.Write("a", "1\n2\n3\n4\n")
		b.Git("commit", "-qam", "four lines")
		p := &toolstest.Person{Prints: func() { b.Write("a", "0\n2\n3\n4\n") }}
		p.Answer = func(what tools.Inquiry) tools.Reply {
			b.Contains(what.Text, "+5", "-4")
			if answer == "too late" {
				b.Write("a", want)
			}
			return tools.Reply{Yes: answer == "yes" || answer == "too late", Other: answer == "both"}
		}
		r := b.Command("echo ready; until grep -q 0 a; do sleep 0.01; done; printf '1\\n2\\n3\\n5\\n' >a", p)
		taken := answer == "yes" || answer == "both"
		if len(p.Asked) != 1 || b.OnDisk("a") != want || strings.Contains(r.Text(), "Not applied") == taken || (len(r.Changes) == 1) != taken {
			t.Errorf("%s: asked %d times, a holds %q, undo knows %v: %s", answer, len(p.Asked), b.OnDisk("a"), r.Changes, r.Text())
		}
		if taken && (*r.Changes[0].Before != "0\n2\n3\n4\n" || *r.Changes[0].After != want) {
			t.Errorf("undo would leave %q", *r.Changes[0].Before)
		}
	}
}

// Of a file that an editor has open it is known what it held, committed or not.
func TestTheOriginalIsThatOfTheEditor(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Write("draft", "1\n2\n3\n4\n")
	shows := func(text string) {
		b.Buffers.Mu.Lock()
		defer b.Buffers.Mu.Unlock()
		b.Buffers.Texts[filepath.Join(b.Dir, "draft")] = text
	}
	shows("1\n2\n3\n4\n")
	p := &toolstest.Person{Prints: func() { shows("0\n2\n3\n4\n"); b.Write("draft", "0\n2\n3\n4\n") }}
	p.Answer = func(what tools.Inquiry) tools.Reply { return tools.Reply{Other: what.Other == "Take both changes"} }
	r := b.Command("echo ready; until grep -q 0 draft; do sleep 0.01; done; printf '1\\n2\\n3\\n5\\n' >draft", p)
	if got := b.OnDisk("draft"); got != "0\n2\n3\n5\n" {
		t.Errorf("the file holds %q: %+v %s", got, p.Asked, r.Text())
	}
}

// Where both changed the same lines, both changes can be taken all the same: with the command's lines there, which can
// be rejected later.
// Promise 4.
func TestBothChangedTheSameLines(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Write("a", "1\n2\n3\n4\n5\n6\n")
	b.Git("commit", "-qam", "six lines")
	p := &toolstest.Person{Prints: func() { b.Write("a", "zero\n2\n3\n4\n5\nsix\n") }}
	p.Answer = func(what tools.Inquiry) tools.Reply {
		b.Contains(what.Text, "in 1 place, where the command's are taken", "hunk by hunk")
		return tools.Reply{Other: what.Other == "Take both changes"}
	}
	b.Command("echo ready; until grep -q zero a; do sleep 0.01; done; printf '0\\n2\\n3\\n4\\n5\\n6\\n' >a", p)
	if got := b.OnDisk("a"); got != "0\n2\n3\n4\n5\nsix\n" || len(p.Asked) != 1 {
		t.Errorf("asked %d times, a holds %q", len(p.Asked), got)
	}
}

// What a rule denies is not applied, and what a rule asks about is asked about.
// Promise 4.
func TestRulesHoldForWhatACommandDoes(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Rules(`{"deny":[{"paths":["secret/**"]}], "ask":[{"paths":["sub/**"],"effect":"edits"}]}`)
	p := &toolstest.Person{}
	r := b.Command("mkdir secret; echo x >secret/y; echo 2 >sub/x; echo 3 >a", p)
	if _, err := os.Stat(filepath.Join(b.Dir, "secret/y")); err == nil || b.OnDisk("sub/x") != "x\n" || b.OnDisk("a") != "3\n" || len(p.Asked) != 1 {
		t.Errorf("asked %v: %s", p.Asked, r.Text())
	}
}

// What a command did that did not come to its end is asked about, all of it.
// Promise 4.
func TestAnUnfinishedCommandIsAskedAbout(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	p := &toolstest.Person{Yes: true}
	b.Command("echo 2 >a; kill -9 $$", p)
	if len(p.Asked) != 1 || b.OnDisk("a") != "2\n" {
		t.Errorf("asked %d times, a holds %q", len(p.Asked), b.OnDisk("a"))
	}
	p.Yes = false
	b.Command("echo 3 >a; kill -9 $$", p)
	if b.OnDisk("a") != "2\n" {
		t.Errorf("a holds %q", b.OnDisk("a"))
	}
}

// So is what a command did that had too much memory, whether it ended by that or went on without what was killed.
func TestTooMuchMemoryIsTold(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	s := sandbox.New(sandbox.Options{Helper: sandboxtest.Helper(), Root: b.Workspace.Root(), Cache: t.TempDir(), Memory: 200 << 20})
	if state := s.State(t.Context()); !state.Proven {
		t.Skipf("NOT TESTED: no sandbox here: %v", state.Details)
	}
	b.Dispatcher = tools.NewDispatcher(tools.NewSources(builtin.Tools(b.Workspace, builtin.Options{Shell: shelltest.New(), Sandbox: s})).Known(), b.Policy, b.Workspace)
	p := &toolstest.Person{}
	r := b.Command("echo 2 >a; sort /dev/zero; echo over", p)
	if b.Contains(r.Text(), "it used more than 200 MB of memory"); !r.Failed || len(p.Asked) != 1 || b.OnDisk("a") != "1\n" {
		t.Errorf("failed %v, asked %d times, a holds %q: %s", r.Failed, len(p.Asked), b.OnDisk("a"), r.Text())
	}
}

// A person who stops a command is asked what becomes of its changes, and may decide on each file.
// Promise 4.
func TestAStoppedCommandIsAskedAbout(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	p := &toolstest.Person{}
	p.Prints = func() { p.Halt() }
	p.Answer = func(what tools.Inquiry) tools.Reply {
		return tools.Reply{Other: what.Other != "", Yes: what.Other == "" && !strings.Contains(what.Target, "sub/x")}
	}
	r := b.Command("echo 2 >a; echo y >sub/x; mkdir -p n/m e; echo z >n/m/z; echo ready; sleep 600", p)
	b.Contains(r.Text(), "by the user", "[Changed: a.]", "[Made: n/m/z.]", "Not applied: sub/x (the user said no)")
	if b.OnDisk("a")+b.OnDisk("sub/x")+b.OnDisk("n/m/z") != "2\nx\nz\n" || len(p.Asked) != 5 || !strings.Contains(p.Asked[0].Text, "+2") {
		t.Errorf("asked %d times: %+v", len(p.Asked), p.Asked)
	}
}

// A secret that somebody makes while a command runs stops the command.
// Promise 4.
func TestASecretThatAppearsStopsACommand(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	p := &toolstest.Person{Yes: true, Prints: func() { b.Write("n/.env", "KEY=y\n") }}
	r := b.Command("echo 2 >a; echo ready; sleep 600", p)
	b.Contains(r.Text(), "n/.env is there since it began")
	if len(p.Asked) != 1 || strings.Contains(r.Text(), "by the user") {
		t.Errorf("asked %d times: %s", len(p.Asked), r.Text())
	}
}

// A git that runs unasked starts nothing that the repository names, and fetches nothing that it lacks.
func TestAReadingGitStartsNothing(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Write("a", "2\n")
	for _, setting := range [][2]string{
		{"core.fsmonitor", "echo started >&2; false"},
		{"diff.external", "echo started"},
		{"core.pager", "echo started"},
		{"diff.x.textconv", "echo started"},
		{"filter.x.clean", "cat"},
		{"remote.origin.url", "ext::echo started"},
		{"remote.origin.promisor", "true"},
		{"remote.origin.partialclonefilter", "blob:none"},
		{"extensions.partialClone", "origin"},
		{"core.repositoryformatversion", "1"},
		{"protocol.ext.allow", "always"},
	} {
		b.Git("config", setting[0], setting[1])
	}
	blob := b.Git("rev-parse", "HEAD:sub/x")
	if err := os.Remove(filepath.Join(b.Dir, ".git/objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"git status --short", "git diff", "git log -1", "git show HEAD", "git show HEAD:sub/x"} {
		r, err := b.Dispatcher.Execute(t.Context(), b.Prepare("run_command", toolstest.Args("command", line)), &toolstest.Person{})
		if err != nil || strings.Contains(r.Text(), "started") {
			t.Errorf("%s: %v %s", line, err, r.Text())
		}
	}
}
