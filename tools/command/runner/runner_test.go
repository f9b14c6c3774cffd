//go:build unix

package runner_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/command/runner"
)

// runLine is the first argument of a test program that runs a line.
const runLine = "run-a-line"

func TestMain(m *testing.M) {
	if len(os.Args) != 3 || os.Args[1] != runLine {
		os.Exit(m.Run())
	}
	status, err := runner.Main(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// prepared prepares a process that runs a line in a folder.
func prepared(t *testing.T, dir, text string) *exec.Cmd {
	t.Helper()
	line, err := command.Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	argument, err := runner.Argument(line)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, runLine, argument)
	cmd.Dir = dir
	return cmd
}

// ended is what can be told of a line that ran.
type ended struct {
	out, err string
	status   int
	signal   syscall.Signal
	files    string
}

func run(t *testing.T, cmd *exec.Cmd) ended {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	e := ended{out: out.String(), err: errs.String(), files: files(t, cmd.Dir)}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		status, _ := exit.Sys().(syscall.WaitStatus)
		if e.status = exit.ExitCode(); status.Signaled() {
			e.signal = status.Signal()
		}
	} else if err != nil {
		t.Fatal(err)
	}
	return e
}

// files tells the names and texts of all files in a folder.
func files(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s: %q\n", strings.TrimPrefix(path, dir), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// folder is a folder with a few things to run lines on.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"in": "b\na\nc\n", "sub/in": "below\n", "say-it": "#!/bin/sh\necho \"script $*\"\nexit 4\n", "text": "no program"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "say-it"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	return dir
}

// A line does what bash makes of it: output, files, exit status and signal.
func TestAsBashDoesIt(t *testing.T) {
	lines := []string{
		"true", "false", "echo a b", "cat in", "cat < in", "cat < missing", "cat missing", "./say-it 1 2", "say-it", "./text", "./missing", "no-such-program",
		"no-such-program 2>/dev/null", "no-such-program || echo then", "no-such-program; echo then", "cat missing && echo not", "cat missing || echo then",
		"true && false || echo a && echo b", "false && echo a; echo b", "false || false", "true | false", "false | true", "echo a | cat | cat",
		"sort < in | head -1", "sort in | uniq | wc -l", "cat missing | wc -l", "no-such-program | wc -l", "echo a | no-such-program", "cat in | ./say-it",
		"echo a > out", "echo a > out && cat out", "echo a >> in; cat in", "echo a > sub/out", "echo a > missing/out", "echo a > missing/out || echo then",
		"cat missing > out 2>&1", "cat missing 2>&1 > out", "cat missing in > out 2>&1", "cat missing in &> out", "cat missing in |& wc -l",
		"cat missing in 2>/dev/null | wc -l", "echo a >&2", "echo a >&2 2>/dev/null", "echo a > one > two", "> x echo a", "cat < in > out", "echo a 1>&2 | cat",
		"cd sub && cat in", "cd sub && cat in | cat > out", "cd sub && pwd | wc -l", "cd ./sub/ && cat in; echo a > out",
		"sh -c 'kill -9 $$'", "sh -c 'kill -TERM $$'", "sh -c 'exit 3' || sh -c 'exit 5'",
		"sh -c 'kill -9 $$' | true", "yes | head -2", "sh -c 'echo a; echo b >&2' 2>&1 | sort",
		"test -f in && echo yes", "[ -f missing ] || echo no", "printf '%s-' a b", "env PWD=x true",
	}
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same lines each time
	for range 60 {
		lines = append(lines, randomLine(r))
	}
	for _, text := range lines {
		if _, err := command.Parse(text); err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		ours, theirs := folder(t), folder(t)
		bash := exec.CommandContext(t.Context(), "/bin/bash", "--noprofile", "--norc", "-c", "--", text)
		bash.Dir = theirs
		want, got := run(t, bash), run(t, prepared(t, ours, text))
		if got.err = plain(got.err); got.err != plain(want.err) || got.out != want.out || got.status != want.status || got.signal != want.signal || got.files != want.files {
			t.Errorf("%q\nbash %+v\nwe   %+v", text, want, got)
		}
	}
}

// plain makes what a shell and we complain about the same.
func plain(text string) string {
	var out []string
	for l := range strings.Lines(text) {
		switch {
		case strings.Contains(l, "assent: "), strings.Contains(l, "bash: line"):
			l = "complaint\n"
		}
		out = append(out, l)
	}
	letters := []byte(strings.Join(out, ""))
	slices.Sort(letters) // programs side by side write into each other's lines
	return string(letters)
}

// randomLine makes a line of programs that do the same each time: what is written in one pipeline is not read in it.
func randomLine(r *rand.Rand) string {
	programs := []string{"true", "false", "echo a", "echo b c", "cat in", "cat missing", "cat", "wc -l", "sort", "sort in", "./say-it x", "cat out0", "cat out1"}
	joints := []string{" && ", " || ", "; ", " | ", " |& "}
	var b strings.Builder
	for i, n := 0, 1+r.IntN(6); i < n; i++ {
		if i > 0 {
			b.WriteString(joints[r.IntN(len(joints))])
		}
		b.WriteString(programs[r.IntN(len(programs))])
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "%s out%d", []string{" >", " >>", " 2>", " &>", " < in >"}[r.IntN(5)], i+2)
		}
		if r.IntN(4) == 0 {
			b.WriteString([]string{" 2>&1", " >&2", " 2>/dev/null"}[r.IntN(3)])
		}
	}
	return b.String()
}

// A program is looked up in the absolute folders of PATH; one of the workspace is run by its path alone.
func TestFind(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	program := func(path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
	}
	program(filepath.Join(root, "bin/inside"))
	program(filepath.Join(other, "bin/outside"))
	program(filepath.Join(other, "bin/both"))
	program(filepath.Join(root, "bin/both"))
	for to, from := range map[string]string{filepath.Join(root, "bin"): "links", filepath.Join(root, "bin/inside"): "bin/link"} {
		if err := os.Symlink(to, filepath.Join(other, from)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	for _, tt := range []struct {
		name, path, want string
		err              error
	}{
		{"outside", other + "/bin", other + "/bin/outside", nil},
		{"outside", root + "/bin:" + other + "/bin", other + "/bin/outside", nil},
		{"both", other + "/bin:" + root + "/bin", other + "/bin/both", nil},
		{"both", root + "/bin:" + other + "/bin", "", runner.ErrInside},
		{"inside", root + "/bin", "", runner.ErrInside},
		{"inside", other + "/links", "", runner.ErrInside},
		{"link", other + "/bin", "", runner.ErrInside},
		{"inside", "bin", "", runner.ErrNotFound},
		{"inside", ".", "", runner.ErrNotFound},
		{"inside", "", "", runner.ErrNotFound},
		{"./bin/inside", "", "./bin/inside", nil},
	} {
		if got, err := runner.Find(tt.name, tt.path, root); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("Find(%q, %q) = %q, %v", tt.name, tt.path, got, err)
		}
	}
}

// S13: what a repository configures does not run for a harmless command of git.
// Promise 4.
func TestGitRunsNothingOfTheRepository(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "evil")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntouch "+dir+"/ran\ncat\n"), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	if err := os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("* diff=x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	git("add", ".gitattributes")
	git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x")
	for _, key := range []string{"core.fsmonitor", "diff.external", "diff.x.textconv", "diff.x.command", "core.pager", "gpg.program", "core.editor"} {
		git("config", key, script)
	}
	git("config", "log.showSignature", "true")
	if err := os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("* diff=x\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"git status", "git diff", "git diff HEAD", "git log -p", "git log --format='%G?'", "git show", "git show HEAD:.gitattributes",
		"git blame .gitattributes", "git grep diff", "git --no-pager log -p", "git -C . diff", "git stash list -5", "git ls-files -m", "git describe --always",
	} {
		line, err := command.Parse(text)
		if err != nil || !command.Harmless(line.Parts[0].Argv) {
			t.Errorf("%q is not harmless: %v", text, err)
			continue
		}
		run(t, prepared(t, dir, text))
		if os.Remove(filepath.Join(dir, "ran")) == nil {
			t.Errorf("%q ran a program of the repository", text)
		}
	}
}

// TestGoStartsNoOtherGo: a module that names another Go does not make one start that is in PATH.
// F05.
func TestGoStartsNoOtherGo(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(dir, "go.mod"):     "module example.org/m\n\ngo 1.99.0\n",
		filepath.Join(other, "go1.99.0"): "#!/bin/sh\necho chosen by the module\n",
		filepath.Join(dir, "package.go"): "package m\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", os.Getenv("PATH")+":"+other)
	t.Setenv("GOTOOLCHAIN", "path")
	for text, chosen := range map[string]bool{"go version": false, "go list .": false, "go vet . | cat": false, "go env GOTOOLCHAIN": false, "go build .": true} {
		cmd := prepared(t, dir, text)
		if out, _ := cmd.CombinedOutput(); strings.Contains(string(out), "chosen by the module") != chosen {
			t.Errorf("%s: %s", text, out)
		}
	}
}
