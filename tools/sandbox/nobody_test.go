//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
)

// S14: a user without any rights has a sandbox wherever the kernel lets users have namespaces, bubblewrap or not.
// F03. Promise 4.
func TestAnOrdinaryUserHasASandbox(t *testing.T) {
	t.Setenv("ASSENT_SANDBOX_NO_BUBBLEWRAP", "1")
	if !sandboxtest.AsNobody(t) {
		return
	}
	try := exec.CommandContext(t.Context(), "/bin/true")
	try.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
	}
	if err := try.Run(); err != nil {
		t.Skipf("NOT TESTED: users have no namespaces here: %v", err)
	}
	b := newBox(t, func(o *sandbox.Options) { o.Cache = filepath.Join(o.Cache, strings.Repeat("long", 30)) }) // longer than a socket's path may be
	if state := b.s.State(t.Context()); !state.Proven || state.Kind != "namespaces" {
		t.Fatalf("there is no sandbox: %q", state.Details)
	}
	out, status := b.sh("cat .env; cat main.go; echo made >new.txt; echo x >.git/config; id -u; grep Cap /proc/self/status | grep -v 0000000000000000")
	if want := "cat: .env: No such file or directory\npackage main\n65534\n"; os.Getuid() == sandboxtest.Nobody && out != want || strings.Contains(out, "canary") {
		t.Errorf("%d: %q", status, out)
	}
	if text, err := os.ReadFile(filepath.Join(b.root, ".git/config")); err != nil || strings.Contains(string(text), "x") {
		t.Errorf("git's settings are %q, %v", text, err)
	}
}

// S14: a folder that cannot be looked through is not left as it is: the command finds it empty, and can write nothing
// in it. That is so for folders without the right to read or to enter them, and for those whose paths are longer than
// the kernel takes.
// F03.
func TestWhatCannotBeExaminedIsHidden(t *testing.T) {
	t.Setenv("ASSENT_SANDBOX_NO_BUBBLEWRAP", "1")
	if !sandboxtest.AsNobody(t) {
		return
	}
	b := newBox(t)
	if state := b.s.State(t.Context()); !state.Proven {
		t.Skipf("NOT TESTED: no sandbox here: %v", state.Details)
	}
	const name = 200
	// It tries to change the mode, and then at each depth to read and to write.
	const script = `echo begun; shopt -s nullglob dotglob
look() { cat .env more/.env .env*; echo "x=x" >.git/config; echo "x=x" >>.git/config; echo "x" >.env; mkdir -p .git/hooks; echo x >.git/hooks/pre-commit; }
(cd %s && chmod 700 . && look)
find %[1]s -name .env -execdir cat {} ';' -execdir sh -c 'echo x >.env' ';'
find %[1]s -name config -execdir sh -c 'echo x=x >config; echo x >hooks/pre-commit' ';'`
	ran := func(t *testing.T, b box, folder string) {
		t.Helper()
		out, _ := b.sh(fmt.Sprintf(script, folder))
		if !strings.HasPrefix(out, "begun\n") || strings.Contains(out, "canary") {
			t.Errorf("a secret was read, or nothing ran: %.1000s", out)
		}
	}
	for _, mode := range []os.FileMode{0o300, 0o600, 0o400, 0, 0o100} {
		for _, folder := range []string{"odd", "below/odd"} {
			b := newBox(t)
			b.write(folder+"/.env", "KEY=canary-of-the-workspace\n")
			b.write(folder+"/.git/config", "[core]\n")
			b.write(folder+"/more/.env", "KEY=canary-of-the-workspace\n")
			must(t, os.Chmod(filepath.Join(b.root, folder), mode))
			ran(t, b, folder)
			must(t, os.Chmod(filepath.Join(b.root, folder), 0o700))
			unchanged(t, fmt.Sprintf("%s of mode %o", folder, mode), os.DirFS(filepath.Join(b.root, folder)))
		}
	}
	for _, depth := range []int{15, 18, 19, 20, 22, 40} {
		b := newBox(t)
		deep(t, filepath.Join(b.root, "top"), strings.Repeat("d", name), depth)
		ran(t, b, "top")
		at, err := os.OpenRoot(filepath.Join(b.root, "top"))
		must(t, err)
		for range depth {
			next, err := at.OpenRoot(strings.Repeat("d", name))
			must(t, errors.Join(err, at.Close()))
			at = next
		}
		unchanged(t, fmt.Sprintf("%d folders down", depth), at.FS())
		must(t, at.Close())
	}
}

// What belongs to another user or group can only be read, and is named.
// Promise 4.
func TestFilesOfOthersAreNamed(t *testing.T) {
	t.Setenv("ASSENT_SANDBOX_NO_BUBBLEWRAP", "1")
	ofOthers := func(home string) error {
		root := filepath.Join(home, "ws")
		return errors.Join(os.MkdirAll(filepath.Join(root, "shared"), 0o755), os.WriteFile(filepath.Join(root, "theirs"), []byte("1\n"), 0o664),
			os.Chown(root, sandboxtest.Nobody, sandboxtest.Nobody), os.Chown(filepath.Join(root, "theirs"), sandboxtest.Nobody, 1), os.Chmod(filepath.Join(root, "theirs"), 0o664),
			os.Chown(filepath.Join(root, "shared"), sandboxtest.Nobody, 1), os.Chmod(filepath.Join(root, "shared"), 0o2777))
	}
	if !sandboxtest.AsNobody(t, ofOthers) {
		return
	}
	root := filepath.Join(os.Getenv("HOME"), "ws")
	if _, err := os.Stat(root); err != nil {
		t.Skip("NOT TESTED: only root can make files of other groups")
	}
	s := sandbox.New(sandbox.Options{Helper: sandboxtest.Helper(), Root: root, Cache: t.TempDir()})
	if state := s.State(t.Context()); !state.Proven {
		t.Skipf("NOT TESTED: no sandbox here: %v", state.Details)
	}
	if got := s.Foreign(5); !slices.Equal(got, []string{"shared", "theirs"}) {
		t.Errorf("of others are %v", got)
	}
	for _, script := range []string{"cat theirs && echo 2 >>theirs", "touch shared/new"} {
		out, status := box{t, root, s}.sh(script)
		if status == 0 || sandbox.Blocked(out, status) == "" || !sandbox.NeedsForeign(out) {
			t.Errorf("%s: %d %s", script, status, out)
		}
	}
}

// What root's commands cannot do, those of an ordinary user cannot do, either.
// Promise 4.
func TestAttacksAsAnOrdinaryUser(t *testing.T) {
	t.Setenv("ASSENT_SANDBOX_NO_BUBBLEWRAP", "1")
	if !sandboxtest.AsNobody(t) {
		return
	}
	for name, test := range map[string]func(*testing.T){
		"outside": TestNothingOutsideIsReached, "disk": TestTheDiskStaysAsItIs, "network": TestNoNetwork, "limits": TestLimits, "first process": TestTheFirstProcessIsOutOfReach,
		"secrets": TestWhatAppearsIsHidden, "ordinary": TestOrdinaryWork,
	} {
		t.Run(name, test)
	}
}

// deep makes folders in each other, with a secret and a repository in the last one. Their path may be longer than the
// kernel takes.
func deep(t *testing.T, top, name string, depth int) {
	t.Helper()
	must(t, os.Mkdir(top, 0o700))
	at, err := os.OpenRoot(top)
	must(t, err)
	for range depth {
		must(t, at.Mkdir(name, 0o700))
		next, err := at.OpenRoot(name)
		must(t, errors.Join(err, at.Close()))
		at = next
	}
	must(t, errors.Join(
		at.WriteFile(".env", []byte("KEY=canary-of-the-workspace\n"), 0o600), at.MkdirAll(".git/hooks", 0o700), at.WriteFile(".git/config", []byte("[core]\n"), 0o600), at.Close(),
	))
}

// unchanged fails unless a folder holds what it held.
func unchanged(t *testing.T, name string, folder fs.FS) {
	t.Helper()
	for file, want := range map[string]string{".env": "KEY=canary-of-the-workspace\n", ".git/config": "[core]\n"} {
		if text, err := fs.ReadFile(folder, file); err != nil || string(text) != want {
			t.Errorf("in %s, %s holds %q, %v", name, file, text, err)
		}
	}
	if _, err := fs.Stat(folder, ".git/hooks/pre-commit"); err == nil {
		t.Errorf("in %s, a hook was made", name)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
