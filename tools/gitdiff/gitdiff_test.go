package gitdiff_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/diskfile/diskfiletest"
	"github.com/assent-ls/assent/tools/gitdiff"
	"github.com/assent-ls/assent/tools/workspace"
)

// repository is a folder with a git repository, made by git itself.
type repository struct {
	t  *testing.T
	ws *workspace.Workspace
}

func newRepository(t *testing.T, files map[string]string) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git to make a repository")
	}
	ws, err := workspace.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	r := repository{t, ws}
	r.git("init", "-q", "-b", "main")
	if files != nil {
		r.write(files)
		r.git("add", ".")
		r.git("commit", "-qm", "First")
	}
	return r
}

func (r repository) git(args ...string) {
	r.t.Helper()
	args = append([]string{"-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"}, args...)
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = r.ws.Root(), append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func (r repository) path(name string) string { return filepath.Join(r.ws.Root(), name) }

func (r repository) write(files map[string]string) {
	r.t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(r.path(name), []byte(text), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r repository) since() string {
	r.t.Helper()
	text, err := gitdiff.Since(r.t.Context(), r.ws, 10_000)
	if err != nil {
		r.t.Fatal(err)
	}
	return text
}

func TestSince(t *testing.T) {
	t.Parallel()
	r := newRepository(t, map[string]string{
		"a.txt": "one\ntwo\n", "sub/deep/b.txt": "b\n", "gone.txt": "x\n", "same.txt": "same\n", "bin": "\x00\x01", "dos.txt": "a\nb\n", ".gitignore": "*.log\n",
	})
	if got := r.since(); got != "" {
		t.Errorf("nothing changed: %q", got)
	}
	r.write(map[string]string{"a.txt": "one\n2\n", "sub/deep/b.txt": "B\n", "bin": "\x00\x02", "new.txt": "n\n", "staged.txt": "s\n", "x.log": "x", "dos.txt": "a\r\nb\r\n", "same.txt": "same\n"})
	r.git("add", "staged.txt", "a.txt")
	if err := os.Remove(r.path("gone.txt")); err != nil {
		t.Fatal(err)
	}
	want := `--- a.txt
+++ a.txt
@@ -1,2 +1,2 @@
 one
-two
+2
changed, and no text: bin
deleted: gone.txt
--- staged.txt
+++ staged.txt
@@ -0,0 +1 @@
+s
--- sub/deep/b.txt
+++ sub/deep/b.txt
@@ -1 +1 @@
-b
+B
New, and not known to git: new.txt
`
	if diff := cmp.Diff(want, r.since()); diff != "" {
		t.Error(diff)
	}
	r.git("gc", "-q")
	if diff := cmp.Diff(want, r.since()); diff != "" {
		t.Error("packed: ", diff)
	}
	r.git("checkout", "-q", "--detach")
	if diff := cmp.Diff(want, r.since()); diff != "" {
		t.Error("without a branch: ", diff)
	}
}

func TestSinceIsBounded(t *testing.T) {
	t.Parallel()
	r := newRepository(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	files := map[string]string{"a.txt": strings.Repeat("long line\n", 5000), "b.txt": "B\n"}
	for i := range 80 {
		files[fmt.Sprintf("new%02d", i)] = "x"
	}
	r.write(files)
	got := r.since()
	if len(got) > 2000 || !strings.Contains(got, "+B\nChanged too, and not shown here: a.txt\nNew, and not known to git: new00, ") || !strings.HasSuffix(got, "new49, …\n") {
		t.Errorf("%q", got)
	}
}

// TestNothingDeniedOrProtectedIsShown also where git knows an older text of it.
func TestNothingDeniedOrProtectedIsShown(t *testing.T) {
	t.Parallel()
	r := newRepository(t, map[string]string{".env": "canary-1\n", "private.txt": "canary-2\n", "gone.txt": "canary-3\n", "link/x.txt": "canary-4\n"})
	r.write(map[string]string{".env": "canary-5\n", "private.txt": "canary-6\n", "open.txt": "o\n", "id_rsa": "canary-7"})
	outside := t.TempDir()
	for name, text := range map[string]string{"x.txt": "canary-8\n"} {
		if err := os.WriteFile(filepath.Join(outside, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{os.Remove(r.path("gone.txt")), os.RemoveAll(r.path("link")), os.Symlink(outside, r.path("link"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r.ws.Deny(func() *workspace.Denials {
		return &workspace.Denials{Why: func(rel string) string {
			if rel == "private.txt" || rel == "gone.txt" {
				return "A rule says so."
			}
			return ""
		}}
	})
	got := r.since()
	if strings.Contains(got, "canary") || strings.Contains(got, "private") || strings.Contains(got, "gone") || strings.Contains(got, "id_rsa") {
		t.Error(got)
	}
	if !strings.Contains(got, "open.txt") || !strings.Contains(got, "Left out, because they are denied or protected: 3 of the changed files.") {
		t.Error(got)
	}
}

// TestARepositoryRunsNothing: what it configures to be run by git is only data here.
func TestARepositoryRunsNothing(t *testing.T) {
	t.Parallel()
	r := newRepository(t, map[string]string{"a.txt": "a\n"})
	ran := filepath.Join(t.TempDir(), "ran")
	for _, key := range []string{"core.fsmonitor", "diff.external", "filter.x.clean", "filter.x.smudge", "diff.x.textconv", "core.pager"} {
		r.git("config", key, "touch "+ran)
	}
	r.write(map[string]string{"a.txt": "A\n", ".gitattributes": "* filter=x diff=x\n", ".git/hooks/pre-commit": "touch " + ran})
	if got := r.since(); !strings.Contains(got, "+A") {
		t.Error(got)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("something ran")
	}
}

func TestBadRepositories(t *testing.T) {
	t.Parallel()
	other := newRepository(t, map[string]string{"a.txt": "canary\n"})
	for name, tt := range map[string]struct {
		files map[string]string
		make  func(r repository) error
		want  string
	}{
		"none":           {nil, func(r repository) error { return os.RemoveAll(r.path(".git")) }, "not the root of a git repository"},
		"no commit":      {nil, func(repository) error { return nil }, "has no commit yet"},
		"a broken head":  {map[string]string{"a.txt": "a\n"}, func(r repository) error { return os.WriteFile(r.path(".git/HEAD"), []byte("x"), 0o600) }, ""},
		"a broken index": {map[string]string{"a.txt": "a\n"}, func(r repository) error { return os.WriteFile(r.path(".git/index"), []byte("DIRC....."), 0o600) }, "cannot be read"},
		"lost objects":   {map[string]string{"a.txt": "a\n"}, func(r repository) error { return os.RemoveAll(r.path(".git/objects")) }, "cannot be read"},
		"elsewhere": {nil, func(r repository) error {
			if err := os.RemoveAll(r.path(".git")); err != nil {
				return err
			}
			return os.WriteFile(r.path(".git"), []byte("gitdir: "+other.path(".git")+"\n"), 0o600)
		}, "lies outside"},
		"a link elsewhere": {nil, func(r repository) error {
			if err := os.RemoveAll(r.path(".git")); err != nil {
				return err
			}
			return os.Symlink(other.path(".git"), r.path(".git"))
		}, "lies outside"},
		"objects elsewhere": {map[string]string{"b.txt": "b\n"}, func(r repository) error {
			if err := os.RemoveAll(r.path(".git/objects")); err != nil {
				return err
			}
			return os.Symlink(other.path(".git/objects"), r.path(".git/objects"))
		}, "cannot be read"},
	} {
		r := newRepository(t, tt.files)
		if err := tt.make(r); err != nil {
			t.Fatal(err)
		}
		text, err := gitdiff.Since(t.Context(), r.ws, 1000)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(text, "canary") {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// Whatever is in the place of git's files, there is an answer, and nothing is read without end.
// F02.
func TestOddFilesOfARepository(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"HEAD", "refs/heads/main", "packed-refs", "index", "objects/pack/pack-1.idx", "objects/pack/pack-1.pack", "objects/pack", "objects"} {
		for odd, make := range diskfiletest.Odd {
			r := newRepository(t, map[string]string{"a.txt": "a\n"})
			if name == "packed-refs" {
				if err := os.Remove(r.path(".git/refs/heads/main")); err != nil {
					t.Fatal(err)
				}
			}
			if strings.HasSuffix(name, ".pack") {
				r.git("gc", "-q")
				packs, err := filepath.Glob(r.path(".git/objects/pack/*.pack"))
				if err != nil || len(packs) != 1 {
					t.Fatalf("%q, %v", packs, err)
				}
				name = strings.TrimPrefix(packs[0], r.path(".git")+"/")
			}
			if err := diskfiletest.Replace(r.path(".git/"+name), make); err != nil {
				t.Fatal(err)
			}
			text, err := gitdiff.Since(t.Context(), r.ws, 1000)
			if empty := name == "objects/pack" && odd == "a folder"; (err == nil) != empty {
				t.Errorf("%s is %s: %q, %v", name, odd, text, err)
			}
		}
	}
}

// TestBytesOfARepositoryAreWrong: whatever is in git's files, there is an answer.
func TestBytesOfARepositoryAreWrong(t *testing.T) {
	t.Parallel()
	r := newRepository(t, map[string]string{"a.txt": strings.Repeat("line\n", 100), "sub/b.txt": "b\n"})
	r.write(map[string]string{"a.txt": strings.Repeat("line\n", 101)})
	r.git("commit", "-qam", "Second")
	r.git("gc", "-q")
	r.write(map[string]string{"a.txt": "other\n"})
	var files []string
	for _, pattern := range []string{".git/index", ".git/objects/pack/*.pack", ".git/objects/pack/*.idx", ".git/packed-refs", ".git/HEAD"} {
		found, err := filepath.Glob(r.path(pattern))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %q, %v", pattern, found, err)
		}
		files = append(files, found[0])
	}
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 3))
		name := files[random.IntN(len(files))]
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		broken := bytes.Clone(whole)
		for range 1 + random.IntN(3) {
			broken[random.IntN(len(broken))] = byte(random.IntN(256))
		}
		if random.IntN(4) == 0 {
			broken = broken[:random.IntN(len(broken))]
		}
		_ = os.Chmod(name, 0o600)
		if err := os.WriteFile(name, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if _, err := gitdiff.Since(ctx, r.ws, 1000); errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("seed %d: %s without end", seed, name)
		}
		cancel()
		if err := os.WriteFile(name, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.since(); !strings.Contains(got, "+other") {
		t.Error(got)
	}
}
