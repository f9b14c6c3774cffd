//go:build linux && (amd64 || arm64)

package tools_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/shell/shelltest"
)

// person answers what a running call asks, and does something when the command prints, such as to stop it.
type person struct {
	yes    bool
	answer func(tools.Inquiry) tools.Reply // nil: yes
	asked  []tools.Inquiry
	prints func()
	halt   context.CancelFunc
}

func (p *person) Halting(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, p.halt = context.WithCancel(ctx)
	return ctx, p.halt
}

func (p *person) Output(string) {
	if p.prints != nil {
		p.prints()
		p.prints = nil
	}
}

func (*person) Progress(float64, float64, string) {}

func (p *person) Ask(_ context.Context, what tools.Inquiry) (tools.Reply, error) {
	p.asked = append(p.asked, what)
	if p.answer != nil {
		return p.answer(what), nil
	}
	return tools.Reply{Yes: p.yes}, nil
}

// confinedBench is a workspace, a repository of git, whose commands run in a sandbox.
func confinedBench(t *testing.T) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "gitconfig"))
	b := newBenchIn(t, filepath.Join(dir, "ws"))
	for name, text := range map[string]string{"a": "1\n", "sub/x": "x\n", ".gitignore": "build/\n", "AGENTS.md": "Use tabs.\n", ".env": "KEY=x\n"} {
		b.write(name, text)
	}
	b.git("init", "-q", "-b", "main")
	b.git("config", "user.name", "Test")
	b.git("config", "user.email", "test@example.org")
	b.git("add", "a", "sub", ".gitignore")
	b.git("commit", "-qm", "first")
	s := sandboxtest.New(t, "namespaces", b.ws.Root())
	b.d = tools.NewDispatcher(tools.NewSources(tools.Builtin(b.ws, tools.Options{Shell: shelltest.New(), Sandbox: s})).Known(), b.policy, b.ws)
	return b
}

func (b *bench) git(args ...string) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "git", args...)
	cmd.Dir = b.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// command runs an approved command, with somebody there.
func (b *bench) command(line string, p *person) tools.Result {
	b.Helper()
	r, err := b.d.Execute(b.Context(), b.prepare("run_command", args("command", line)).Approved(), p)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// What an approved command does to ordinary files is applied when it ends, can be undone, and is told.
func TestOrdinaryChangesAreApplied(t *testing.T) {
	b := confinedBench(t)
	p := &person{}
	r := b.command("echo 2 >>a; mkdir -p build n; echo o >build/o; echo f >n/f; rm sub/x; echo x >large; head -c 3000000 /dev/zero >large", p)
	if len(p.asked) > 0 || r.Failed {
		t.Errorf("asked %v: %s", p.asked, r.Text())
	}
	b.contains(r.Text(), "[Changed: a.]", "[Made: build/o, large, n/f.]", "[Removed: sub/x.]", "does not cover what this command did to large")
	if got := b.onDisk("a") + b.onDisk("build/o") + b.onDisk("n/f"); got != "1\n2\no\nf\n" {
		t.Errorf("the files hold %q", got)
	}
	var undo []string
	for _, c := range r.Changes {
		rel, _ := filepath.Rel(b.dir, c.Path)
		undo = append(undo, fmt.Sprintf("%s %v %v %v", rel, c.Before != nil, c.After != nil, c.Mode))
	}
	if got := strings.Join(undo, ", "); got != "a true true ----------, n/f false true ----------, sub/x true false -rw-r--r--" {
		t.Errorf("undo knows %s", got)
	}
}

// What Undo turn does not cover is kept: large files, and ignored ones.
func TestWhatIsReplacedIsKept(t *testing.T) {
	b := confinedBench(t)
	b.write("large", strings.Repeat("x", 3<<20))
	b.write("build/o/out", "built\n")
	r := b.command("echo small >large; rm -r build; rm sub/x", &person{})
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
func TestAReadingCommandChangesNothing(t *testing.T) {
	b := confinedBench(t)
	for _, reads := range []bool{true, false} {
		r := tools.RunReading(t.Context(), b.ws, shelltest.New(), sandboxtest.New(t, "namespaces", b.ws.Root()), "echo x >made; echo y >>a; cat a", reads)
		if _, err := os.Stat(filepath.Join(b.dir, "made")); (err == nil) == reads || (b.onDisk("a") == "1\n") != reads || (len(r.Changes) == 0) != reads {
			t.Errorf("a command that only reads: %v, and what it did was applied: %v", reads, r.Changes)
		}
		b.contains(r.Text(), "1\ny\n")
	}
}

// S11, A11: what is protected or guarded is asked about when the command has run, all in one question that shows it;
// without a yes none of it is applied, and the rest is.
func TestProtectedChangesAreAskedAbout(t *testing.T) {
	const line = "echo 2 >>a; echo 'Use spaces.' >AGENTS.md; mkdir -p .vscode .git/hooks; echo '{}' >.vscode/tasks.json; echo 'evil' >.git/hooks/pre-commit; git config core.fsmonitor evil; mkdir -p n/.git; echo x >.envrc"
	protected := []string{".vscode/tasks.json", ".git/hooks/pre-commit", ".envrc"}
	for _, yes := range []bool{true, false} {
		b := confinedBench(t)
		p := &person{yes: yes}
		r := b.command(line, p)
		if len(p.asked) != 1 {
			t.Fatalf("asked %d times: %s", len(p.asked), r.Text())
		}
		b.contains(p.asked[0].Text, "+Use spaces.", "-Use tabs.", "+evil", "fsmonitor", ".envrc", "tasks.json")
		for _, name := range protected {
			if _, err := os.Stat(filepath.Join(b.dir, name)); (err == nil) != yes {
				t.Errorf("yes: %v, and %s: %v", yes, name, err)
			}
		}
		if got := strings.Contains(b.onDisk("AGENTS.md")+b.onDisk(".git/config"), "spaces"); got != yes || strings.Contains(b.onDisk(".git/config"), "evil") != yes {
			t.Errorf("yes: %v, and the files hold %s", yes, b.onDisk("AGENTS.md"))
		}
		if b.onDisk("a") != "1\n2\n" {
			t.Error("an ordinary change was not applied")
		}
		if !yes {
			b.contains(r.Text(), "Not applied:", "the user said no", ".envrc")
		}
	}
	b := confinedBench(t)
	r := b.do("run_command", args("command", line)) // nobody is there
	b.contains(r.Text(), "Not applied:", "nobody was there")
	if strings.Contains(b.onDisk("AGENTS.md")+b.onDisk(".git/config"), "evil") {
		t.Error("applied without an answer")
	}
}

// A commit is one change: it is applied without a question, and hooks and settings are none of it.
func TestCommits(t *testing.T) {
	b := confinedBench(t)
	p := &person{}
	r := b.command("echo 2 >>a && git commit -qam second && git branch side && git stash list", p)
	if len(p.asked) > 0 || b.git("log", "--format=%s") != "second\nfirst" || b.git("status", "--short", "-uno") != "" || b.git("fsck") != "" {
		t.Errorf("asked %v, %s: %s", p.asked, b.git("log", "--oneline"), r.Text())
	}
	b.write("a", "uncommitted\n")
	b.command("git stash", p)
	if b.onDisk("a") != "1\n2\n" || b.git("stash", "list") == "" {
		t.Errorf("after git stash a holds %q, and the stash %q", b.onDisk("a"), b.git("stash", "list"))
	}
}

// Trap: git takes a tracked file that the view hides for deleted. Nothing of what such a command did is applied, the
// working tree included.
func TestHiddenTrackedFiles(t *testing.T) {
	for _, line := range []string{"echo 2 >>a; git add -A; git commit -qm second", "git commit -qam second", "echo 2 >>a; git stash", "git rm -q --cached .env", "git reset -q --hard"} {
		b := confinedBench(t)
		b.git("add", "-f", ".env")
		b.git("commit", "-qm", "tracked")
		b.write("a", "uncommitted\n")
		head := b.git("rev-parse", "HEAD")
		r := b.command(line, &person{yes: true})
		if b.git("rev-parse", "HEAD") != head || b.git("ls-files", ".env") == "" || b.onDisk(".env") != "KEY=x\n" || b.onDisk("a") != "uncommitted\n" || b.git("stash", "list") != "" {
			t.Errorf("%s: a holds %q, .env %q: %s", line, b.onDisk("a"), b.onDisk(".env"), r.Text())
		}
		b.contains(r.Text(), "Not applied:")
	}
}

// What a person writes while a command runs stays.
func TestAPersonsWorkStays(t *testing.T) {
	b := confinedBench(t)
	p := &person{prints: func() {
		b.write("a", "by a person\n")
		b.write("new", "by a person\n")
		b.git("commit", "-qm", "theirs", "--allow-empty")
	}}
	const wait = "echo ready; until grep -q person a; do sleep 0.01; done; "
	r := b.command(wait+"echo 2 >a; echo 2 >new; echo 3 >sub/x", p)
	if b.onDisk("a") != "by a person\n" || b.onDisk("new") != "by a person\n" || b.onDisk("sub/x") != "3\n" {
		t.Errorf("the files hold %q, %q, %q", b.onDisk("a"), b.onDisk("new"), b.onDisk("sub/x"))
	}
	b.contains(r.Text(), "Not applied: a, new (it was changed by somebody else while the command ran).")

	p.prints = func() { b.git("commit", "-qm", "theirs too", "--allow-empty"); b.write("a", "person again\n") }
	r = b.command("echo ready; until grep -q again a; do sleep 0.01; done; echo 4 >sub/x; git commit -qm model sub/x", p)
	if got := b.git("log", "--format=%s"); got != "theirs too\ntheirs\nfirst" || b.onDisk("sub/x") != "3\n" {
		t.Errorf("the log is %q, sub/x %q: %s", got, b.onDisk("sub/x"), r.Text())
	}
}

// Of a file that both the command and a person changed, the person takes the one or the other, or both if the last
// commit shows that they can be joined.
func TestBothChangedAFile(t *testing.T) {
	for answer, want := range map[string]string{"no": "0\n2\n3\n4\n", "yes": "1\n2\n3\n5\n", "both": "0\n2\n3\n5\n", "too late": "once more\n"} {
		b := confinedBench(t)
		b.write("a", "1\n2\n3\n4\n")
		b.git("commit", "-qam", "four lines")
		p := &person{prints: func() { b.write("a", "0\n2\n3\n4\n") }}
		p.answer = func(what tools.Inquiry) tools.Reply {
			b.contains(what.Text, "+5", "-4")
			if answer == "too late" {
				b.write("a", want)
			}
			return tools.Reply{Yes: answer == "yes" || answer == "too late", Other: answer == "both"}
		}
		r := b.command("echo ready; until grep -q 0 a; do sleep 0.01; done; printf '1\\n2\\n3\\n5\\n' >a", p)
		taken := answer == "yes" || answer == "both"
		if len(p.asked) != 1 || b.onDisk("a") != want || strings.Contains(r.Text(), "Not applied") == taken || (len(r.Changes) == 1) != taken {
			t.Errorf("%s: asked %d times, a holds %q, undo knows %v: %s", answer, len(p.asked), b.onDisk("a"), r.Changes, r.Text())
		}
		if taken && (*r.Changes[0].Before != "0\n2\n3\n4\n" || *r.Changes[0].After != want) {
			t.Errorf("undo would leave %q", *r.Changes[0].Before)
		}
	}
}

// Of a file that an editor has open it is known what it held, committed or not.
func TestTheOriginalIsThatOfTheEditor(t *testing.T) {
	b := confinedBench(t)
	b.write("draft", "1\n2\n3\n4\n")
	shows := func(text string) {
		b.buffers.mu.Lock()
		defer b.buffers.mu.Unlock()
		b.buffers.text[filepath.Join(b.dir, "draft")] = text
	}
	shows("1\n2\n3\n4\n")
	p := &person{prints: func() { shows("0\n2\n3\n4\n"); b.write("draft", "0\n2\n3\n4\n") }}
	p.answer = func(what tools.Inquiry) tools.Reply { return tools.Reply{Other: what.Other == "Take both changes"} }
	r := b.command("echo ready; until grep -q 0 draft; do sleep 0.01; done; printf '1\\n2\\n3\\n5\\n' >draft", p)
	if got := b.onDisk("draft"); got != "0\n2\n3\n5\n" {
		t.Errorf("the file holds %q: %+v %s", got, p.asked, r.Text())
	}
}

// Where both changed the same lines, both changes can be taken all the same: with the command's lines there, which can
// be rejected later.
func TestBothChangedTheSameLines(t *testing.T) {
	b := confinedBench(t)
	b.write("a", "1\n2\n3\n4\n5\n6\n")
	b.git("commit", "-qam", "six lines")
	p := &person{prints: func() { b.write("a", "zero\n2\n3\n4\n5\nsix\n") }}
	p.answer = func(what tools.Inquiry) tools.Reply {
		b.contains(what.Text, "in 1 place, where the command's are taken", "hunk by hunk")
		return tools.Reply{Other: what.Other == "Take both changes"}
	}
	b.command("echo ready; until grep -q zero a; do sleep 0.01; done; printf '0\\n2\\n3\\n4\\n5\\n6\\n' >a", p)
	if got := b.onDisk("a"); got != "0\n2\n3\n4\n5\nsix\n" || len(p.asked) != 1 {
		t.Errorf("asked %d times, a holds %q", len(p.asked), got)
	}
}

// What a rule denies is not applied, and what a rule asks about is asked about.
func TestRulesHoldForWhatACommandDoes(t *testing.T) {
	b := confinedBench(t)
	b.rules(`{"deny":[{"paths":["secret/**"]}], "ask":[{"paths":["sub/**"],"effect":"edits"}]}`)
	p := &person{}
	r := b.command("mkdir secret; echo x >secret/y; echo 2 >sub/x; echo 3 >a", p)
	if _, err := os.Stat(filepath.Join(b.dir, "secret/y")); err == nil || b.onDisk("sub/x") != "x\n" || b.onDisk("a") != "3\n" || len(p.asked) != 1 {
		t.Errorf("asked %v: %s", p.asked, r.Text())
	}
}

// What a command did that did not come to its end is asked about, all of it.
func TestAnUnfinishedCommandIsAskedAbout(t *testing.T) {
	b := confinedBench(t)
	p := &person{yes: true}
	b.command("echo 2 >a; kill -9 $$", p)
	if len(p.asked) != 1 || b.onDisk("a") != "2\n" {
		t.Errorf("asked %d times, a holds %q", len(p.asked), b.onDisk("a"))
	}
	p.yes = false
	b.command("echo 3 >a; kill -9 $$", p)
	if b.onDisk("a") != "2\n" {
		t.Errorf("a holds %q", b.onDisk("a"))
	}
}

// So is what a command did that had too much memory, whether it ended by that or went on without what was killed.
func TestTooMuchMemoryIsTold(t *testing.T) {
	b := confinedBench(t)
	s := sandbox.New(sandbox.Options{Helper: sandboxtest.Helper(), Root: b.ws.Root(), Cache: t.TempDir(), Memory: 200 << 20})
	if state := s.State(t.Context()); !state.Proven {
		t.Skipf("NOT TESTED: no sandbox here: %v", state.Details)
	}
	b.d = tools.NewDispatcher(tools.NewSources(tools.Builtin(b.ws, tools.Options{Shell: shelltest.New(), Sandbox: s})).Known(), b.policy, b.ws)
	p := &person{}
	r := b.command("echo 2 >a; sort /dev/zero; echo over", p)
	if b.contains(r.Text(), "it used more than 200 MB of memory"); !r.Failed || len(p.asked) != 1 || b.onDisk("a") != "1\n" {
		t.Errorf("failed %v, asked %d times, a holds %q: %s", r.Failed, len(p.asked), b.onDisk("a"), r.Text())
	}
}

// A person who stops a command is asked what becomes of its changes, and may decide on each file.
func TestAStoppedCommandIsAskedAbout(t *testing.T) {
	b := confinedBench(t)
	p := &person{}
	p.prints = func() { p.halt() }
	p.answer = func(what tools.Inquiry) tools.Reply {
		return tools.Reply{Other: what.Other != "", Yes: what.Other == "" && !strings.Contains(what.Target, "sub/x")}
	}
	r := b.command("echo 2 >a; echo y >sub/x; mkdir -p n/m e; echo z >n/m/z; echo ready; sleep 600", p)
	b.contains(r.Text(), "by the user", "[Changed: a.]", "[Made: n/m/z.]", "Not applied: sub/x (the user said no)")
	if b.onDisk("a")+b.onDisk("sub/x")+b.onDisk("n/m/z") != "2\nx\nz\n" || len(p.asked) != 5 || !strings.Contains(p.asked[0].Text, "+2") {
		t.Errorf("asked %d times: %+v", len(p.asked), p.asked)
	}
}

// A secret that somebody makes while a command runs stops the command.
func TestASecretThatAppearsStopsACommand(t *testing.T) {
	b := confinedBench(t)
	p := &person{yes: true, prints: func() { b.write("n/.env", "KEY=y\n") }}
	r := b.command("echo 2 >a; echo ready; sleep 600", p)
	b.contains(r.Text(), "n/.env is there since it began")
	if len(p.asked) != 1 || strings.Contains(r.Text(), "by the user") {
		t.Errorf("asked %d times: %s", len(p.asked), r.Text())
	}
}

// A git that runs unasked starts nothing that the repository names, and fetches nothing that it lacks.
func TestAReadingGitStartsNothing(t *testing.T) {
	b := confinedBench(t)
	b.write("a", "2\n")
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
		b.git("config", setting[0], setting[1])
	}
	blob := b.git("rev-parse", "HEAD:sub/x")
	if err := os.Remove(filepath.Join(b.dir, ".git/objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"git status --short", "git diff", "git log -1", "git show HEAD", "git show HEAD:sub/x"} {
		r, err := b.d.Execute(t.Context(), b.prepare("run_command", args("command", line)), &person{})
		if err != nil || strings.Contains(r.Text(), "started") {
			t.Errorf("%s: %v %s", line, err, r.Text())
		}
	}
}
