//go:build linux && (amd64 || arm64)

package runcommand_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/toolstest"
)

const hiddenText = "canary-2846"

// marked is in every file whose contents a command must not print unasked.
const marked = "hunter2"

// secretive is a workspace whose repository once held secrets, and holds what read_file asks about.
func secretive(t *testing.T) (b *toolstest.Bench, blob, tree, first string) {
	t.Helper()
	b = toolstest.ConfinedBench(t)
	for name, text := range map[string]string{
		".npmrc": "//registry/:_authToken=" + marked + "\n", ".envrc": "export A=" + marked + "\n", ".mcp.json": `{"token":"` + marked + `"}`,
		"etc/pip.conf": "password=" + marked + "\n", "plan.chat.md": "## You\n\n" + marked + "\n", "sub/.env": "A=" + marked + "\n", ".aws/credentials": marked + "\n",
		".github/workflows/ci.yml": "token: " + marked + "\n", "main.go": "package main // needle\n",
	} {
		b.Write(name, text)
	}
	b.Git("add", "-A")
	b.Git("commit", "-qm", "second")
	blob, tree, first = b.Git("rev-parse", "HEAD:.npmrc"), b.Git("rev-parse", "HEAD:.aws"), b.Git("rev-parse", "HEAD")
	b.Git("mv", "sub/.env", "sub/plain.txt")
	b.Write("sub/plain.txt", "A=nothing\n")
	b.Git("rm", "-q", "--cached", ".env")
	b.Git("add", "-A", "sub")
	b.Git("commit", "-qm", "third")
	b.Git("remote", "add", "origin", "https://me:"+marked+"@example.org/x.git")
	b.Git("config", "http.extraHeader", "Authorization: "+marked)
	b.Git("config", "credential.helper", "!echo "+marked)
	for _, setting := range []string{"core.fsmonitor", "filter.evil.clean", "filter.evil.process", "diff.evil.textconv", "diff.evil.command", "gpg.program"} {
		b.Git("config", setting, "sh -c 'echo "+marked+" >&2; cat'")
	}
	b.Write(".git/info/attributes", "* filter=evil diff=evil\n")
	b.Write("main.go", "package main // needle\n") // git has to look at it again
	b.Write(".npmrc", "//registry/:_authToken="+marked+"2\n")
	return b, blob, tree, first
}

// unasked runs a command if nobody is asked about it, and says whether it ran.
func unasked(b *toolstest.Bench, line string) (out string, ran bool) {
	b.Helper()
	p := b.Prepare("run_command", toolstest.Args("command", line))
	if p.Answered != nil {
		return p.Answered.Text(), true
	}
	if p.Decision.Verdict != policy.Run {
		return "", false
	}
	r, err := b.Dispatcher.Execute(b.Context(), p, nil)
	if err != nil {
		b.Fatalf("%s: %v", line, err)
	}
	return r.Text(), true
}

// TestNothingIsPrintedUnaskedThatReadingAsksAbout: commands that run without an approval print nothing of what
// read_file asks about, from no file, object or setting, however they name it.
// Promise 4.
func TestNothingIsPrintedUnaskedThatReadingAsksAbout(t *testing.T) {
	b, blob, tree, first := secretive(t)
	b.Write("link", "")
	b.Git("config", "core.logAllRefUpdates", "true")
	lines := strings.Split(strings.NewReplacer("BLOB", blob, "SHORT", blob[:9], "UPPER", strings.ToUpper(blob[:9]), "TREE", tree, "FIRST", first).Replace(`cat .npmrc
cat ./.npmrc main.go
cat sub/../.envrc
head -n 3 etc/pip.conf
grep -r hunter .
grep -rn . .mcp.json
grep --file=.npmrc -r . main.go
rg --hidden --no-ignore hunter
rg -uuu hunter
diff -r . sub
diff .npmrc main.go
sort plan.chat.md
sed -n 1,5p .github/workflows/ci.yml
cat .git/config
grep -rn hunter .git
strings .npmrc
git show
git show HEAD
git show HEAD~1
git show FIRST
git show FIRST..HEAD
git show BLOB
git show SHORT
git show UPPER
git show x-gSHORT
git show TREE:credentials
git show HEAD:.npmrc
git show HEAD~1:sub/.env
git show :.npmrc
git show BLOB^{blob}
git show BLOB^0
git cat-file -p BLOB
git cat-file blob BLOB
git log -p
git log -p --all
git log -p -- sub
git log --patch --follow sub/plain.txt
git log -p --follow sub/plain.txt
git log -p -M -C --find-copies-harder
git log -L 1,1:.npmrc
git log -u
git log -U3
git log -p -m -c
git log -G hunter -p
git diff
git diff FIRST
git diff BLOB
git diff BLOB FIRST
git diff BLOB..HEAD
git diff FIRST HEAD -- .npmrc
git diff FIRST HEAD -- '*rc'
git diff FIRST HEAD -- ':(icase).NPMRC'
git diff --no-index .npmrc main.go
git diff --no-index sub .
git blame .npmrc
git blame FIRST -- .envrc
git grep hunter
git grep hunter HEAD~1
git grep hunter FIRST
git grep hunter TREE
git grep -e hunter TREE
git grep --untracked hunter
git grep --no-index hunter
git -C .aws show HEAD:./credentials
git -C sub log -p
git status -v
git config --list
git config --get remote.origin.url
git config http.extraHeader
git config credential.helper
git remote -v
git stash list -p
git branch -vv
git ls-files -s
git reflog
go env`), "\n")
	asked := 0
	for _, line := range lines {
		out, ran := unasked(b, line)
		if !ran {
			asked++
		}
		if strings.Contains(out, marked) {
			t.Errorf("%s prints it:\n%s", line, out)
		}
	}
	if asked == 0 || asked > len(lines)*2/3 {
		t.Errorf("%d of %d are asked about", asked, len(lines))
	}
	if out, _ := unasked(b, "grep -rn needle ."); !strings.Contains(out, "main.go") || !strings.Contains(out, "Left out, since reading it is asked about: .aws") && !strings.Contains(out, ".envrc") {
		t.Errorf("what may be searched is not found:\n%s", out)
	}
	r := b.Command("cat .npmrc", &toolstest.Person{})
	b.Contains(r.Text(), marked)
}

// TestReadingCommandsOfGitWork: what is left out changes nothing else of what git says.
// Promise 4.
func TestReadingCommandsOfGitWork(t *testing.T) {
	b, _, _, first := secretive(t)
	b.Git("branch", "old", first)
	b.Git("update-ref", "refs/remotes/origin/main", first)
	b.Git("config", "branch.main.remote", "origin")
	b.Git("config", "branch.main.merge", "refs/heads/main")
	for line, says := range map[string]string{
		"git status --short --branch":        "## main...origin/main [ahead 1]",
		"git log --oneline":                  "second",
		"git log -p":                         "needle",
		"git show " + first:                  "needle",
		"git show " + first[:8] + " --stat":  "main.go",
		"git show " + first[:8] + ":main.go": "needle",
		"git show HEAD:main.go":              "needle",
		"git diff " + first + "..HEAD":       "sub/plain.txt",
		"git diff HEAD~1 HEAD":               "+A=nothing",
		"git grep -n needle":                 "main.go:1",
		"git grep needle main.go":            "needle",
		"git grep -e needle -- main.go":      "needle",
		"git ls-files":                       ".github/workflows/ci.yml",
		"git describe --all --always":        "heads/main\n",
		"git log --follow --oneline main.go": "second",
		"git blame -s main.go":               "needle",
		"git config user.name":               "",
		"git remote":                         "origin",
	} {
		out, ran := unasked(b, line)
		if !ran || !strings.Contains(out, says) || strings.Contains(out, "fatal") {
			t.Errorf("%s: ran %v:\n%s", line, ran, out)
		}
	}
	out, _ := unasked(b, "git status --short")
	out, _, _ = strings.Cut(out, "[")
	if out != " D .aws/credentials\n M .npmrc\n" { // a secret is not there, and .npmrc was changed
		t.Errorf("other files are taken for changed:\n%s", out)
	}
}

// What a rule denies is in no view, by whatever name: its own, that of a link to it or to its folder, or another one of
// the same file.
// Promise 4.
func TestDeniedFilesAreInNoView(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	for _, name := range []string{"plain.txt", "real/by-folder.txt", "real/target.txt", "real/twice.txt", "deep/er/x.txt"} {
		b.Write(name, hiddenText+"\n")
	}
	for link, to := range map[string]string{"d": "real", "link.txt": "real/target.txt", "up": "deep"} {
		if err := os.Symlink(to, filepath.Join(b.Dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(b.Dir, "real/twice.txt"), filepath.Join(b.Dir, "other-name.txt")); err != nil {
		t.Fatal(err)
	}
	b.Rules(`{"deny":[{"paths":["plain.txt","d/by-folder.txt","link.txt","real/twice.txt","up/*/x.txt"]}]}`)
	s := sandbox.New(sandbox.Options{Helper: sandboxtest.Helper(), Root: b.Workspace.Root(), Cache: t.TempDir(), Hidden: func() []string { return b.Workspace.DeniedPaths(t.Context()) }})
	if state := s.State(t.Context()); !state.Proven {
		t.Skipf("NOT TESTED: no sandbox here: %v", state.Details)
	}
	r := runcommand.RunReading(t.Context(), b.Workspace, shelltest.New(), s, "grep -rs canary . ; cat plain.txt real/* d/* link.txt other-name.txt deep/er/x.txt up/er/x.txt; echo done", false)
	if strings.Contains(r.Text(), hiddenText) || !strings.Contains(r.Text(), "done") {
		t.Error(r.Text())
	}
}

// Programs that are asked for their versions run where no file can choose another one; what else the line does runs
// where it is.
// F05.
func TestVersionsAreAskedInAnEmptyFolder(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "node"), []byte("#!/bin/sh\necho $PWD; pwd; ls -A\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	b := toolstest.ConfinedBench(t)
	s := sandboxtest.New(t, "namespaces", b.Workspace.Root())
	for text, want := range map[string]string{
		"node --version":               "/run/empty\n/run/empty\n",
		"cd sub && node -v":            "/run/empty\n/run/empty\n",
		"node --version | cat && ls a": "/run/empty\n/run/empty\na\n",
		"cat <sub/x; node -v":          "x\n/run/empty\n/run/empty\n",
	} {
		line, err := command.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := runcommand.RunUnderstood(t.Context(), b.Workspace, shelltest.New(), s, line).Text(); got != want+"[Exit status 0.]" {
			t.Errorf("%s: %q", text, got)
		}
	}
}
