//go:build unix

package userstate_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/gofrs/flock"

	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// Promise 8. Invariant 2.
func TestTrust(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "state")
	s := openState(t, dir)
	if s.Trusted("a") || s.Trusted("") {
		t.Error("a new state trusts")
	}
	if _, err := os.Stat(filepath.Dir(dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("asking wrote something: %v", err)
	}
	must(t, s.Trust("a"))
	must(t, s.Trust("b"))
	if again := openState(t, dir); !again.Trusted("a") || !again.Trusted("b") || again.Trusted("A") || again.Trusted("") {
		t.Error("trust was not kept as it was given")
	}
	must(t, s.Untrust("a"))
	if s.Trusted("a") || !s.Trusted("b") {
		t.Error("trust was not taken back alone")
	}
	if err := s.Trust(""); !errors.Is(err, workspace.ErrState) {
		t.Errorf("Trust of nothing = %v", err)
	}
}

// S27: folders 0700, files 0600, whatever was there before.
func TestStateIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	must(t, os.Mkdir(dir, 0o777))
	must(t, os.Chmod(dir, 0o777))
	s := openState(t, dir)
	must(t, s.Trust("a"))
	unlock, _, err := s.LockChat("/chats/a.chat.md")
	must(t, err)
	defer unlock()
	files := 0
	must(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		return nil
	}))
	if files < 4 {
		t.Errorf("only %d files were looked at", files)
	}
}

// S27: a state folder that is a link, or of another user, is refused.
func TestStateRefusesWhatOthersCouldPlace(t *testing.T) {
	base := t.TempDir()
	real := filepath.Join(base, "real")
	must(t, os.Mkdir(real, 0o700))
	link(t, real, filepath.Join(base, "link"))
	link(t, filepath.Join(base, "nowhere"), filepath.Join(base, "dangling"))
	must(t, os.WriteFile(filepath.Join(base, "file"), nil, 0o600))
	for name, why := range map[string]string{"link": "is a link", "dangling": "is a link", "file": "is not a folder"} {
		if _, err := userstate.OpenState(filepath.Join(base, name)); !errors.Is(err, workspace.ErrState) || !strings.Contains(err.Error(), why) {
			t.Errorf("OpenState(%s) = %v; want ErrState: it %s", name, err, why)
		}
	}
	// The folder may also become a link later, and a file in it may be one.
	late := filepath.Join(base, "late")
	s := openState(t, late)
	link(t, real, late)
	if err := s.Trust("a"); !errors.Is(err, workspace.ErrState) || s.Trusted("a") {
		t.Errorf("Trust through a link = %v", err)
	}
	must(t, openState(t, filepath.Join(base, "other")).Trust("a"))
	link(t, filepath.Join(base, "other", "trust.json"), filepath.Join(real, "trust.json"))
	if s := openState(t, real); s.Trusted("a") || len(s.Problems()) != 1 {
		t.Errorf("a linked file counts; problems %q", s.Problems())
	}
	inside := openState(t, filepath.Join(base, "other"))
	must(t, os.Rename(filepath.Join(base, "other", "trust.json"), filepath.Join(base, "other", "was.json")))
	link(t, "was.json", filepath.Join(base, "other", "trust.json"))
	if err := inside.Trust("b"); inside.Trusted("a") || !errors.Is(err, workspace.ErrState) {
		t.Errorf("a file that is linked beside itself counts: %v", err)
	}
}

func TestDefaultStateFolder(t *testing.T) {
	base := t.TempDir()
	t.Setenv("HOME", filepath.Join(base, "home"))
	for env, want := range map[string]string{
		"": "home/.local/state/assent", "relative/path": "home/.local/state/assent", filepath.Join(base, "xdg"): "xdg/assent",
	} {
		t.Setenv("XDG_STATE_HOME", env)
		if got := openState(t, "").Dir(); got != filepath.Join(base, want) {
			t.Errorf("XDG_STATE_HOME=%q: %s", env, got)
		}
	}
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", "")
	if _, err := userstate.OpenState(""); !errors.Is(err, workspace.ErrState) {
		t.Errorf("OpenState without a home = %v", err)
	}
}

func TestBrokenStateTrustsNothing(t *testing.T) {
	good := filepath.Join(t.TempDir(), "good")
	must(t, openState(t, good).Trust("a"))
	text := readDisk(t, filepath.Join(good, "trust.json"))
	broken := []string{
		"", "null", "{}", "[]", "garbage", text + text, strings.Replace(text, `"a"`, `"a":1,"b"`, 1), `{"version":1,"data":{"a":"2026-01-01T00:00:00Z","b":7}}`,
		`{"version":1,"data":[]}`, `{"version":0,"data":{"a":"2026-01-01T00:00:00Z"}}`, `{"data":{"a":"2026-01-01T00:00:00Z"}}`, `{"version":1,"more":1,"data":{"a":"2026-01-01T00:00:00Z"}}`,
	}
	for cut := range len(text) - 1 {
		broken = append(broken, text[:cut])
	}
	for _, data := range broken {
		dir := t.TempDir()
		name := filepath.Join(dir, "trust.json")
		must(t, os.WriteFile(name, []byte(data), 0o600))
		s := openState(t, dir)
		if s.Trusted("a") || s.Trusted("b") {
			t.Errorf("%q trusts", data)
		}
		aside, err := filepath.Glob(name + ".corrupt-*")
		if problems := s.Problems(); err != nil || len(aside) != 1 || readDisk(t, aside[0]) != data || len(problems) != 1 || !strings.HasSuffix(problems[0], ".") {
			t.Errorf("%q: aside %q, problems %q", data, aside, problems)
		}
		must(t, s.Trust("c"))
		if !openState(t, dir).Trusted("c") {
			t.Errorf("after %q nothing can be kept", data)
		}
	}
}

func TestNewerStateIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	const newer = `{"version":2,"data":{"a":"2026-01-01T00:00:00Z"}}`
	must(t, os.WriteFile(filepath.Join(dir, "trust.json"), []byte(newer), 0o600))
	s := openState(t, dir)
	if err := s.Trust("b"); s.Trusted("a") || !errors.Is(err, workspace.ErrState) || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("Trust = %v", err)
	}
	if got := readDisk(t, filepath.Join(dir, "trust.json")); got != newer {
		t.Errorf("the file became %q", got)
	}
}

func TestManyWritersLoseNothing(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			s, err := userstate.OpenState(dir)
			if err == nil {
				err = s.Trust(string(rune('a' + i)))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s := openState(t, dir)
	for i := range 16 {
		if !s.Trusted(string(rune('a' + i))) {
			t.Errorf("%c was lost", 'a'+i)
		}
	}
}

func TestUpdateThatFailsWritesNothing(t *testing.T) {
	dir := t.TempDir()
	s := openState(t, dir)
	no := errors.New("no")
	err := userstate.Update(s, "x.json", func(v *[]string) error { *v = append(*v, "a"); return no })
	if got, loadErr := userstate.Load[[]string](s, "x.json"); !errors.Is(err, no) || loadErr != nil || got != nil {
		t.Errorf("Update = %v, then Load = %q, %v", err, got, loadErr)
	}
}

// Invariant 15.
func TestOneWriterPerChat(t *testing.T) {
	chats := t.TempDir()
	chat := filepath.Join(chats, "a.chat.md")
	must(t, os.WriteFile(chat, nil, 0o600))
	link(t, chats, chats+"-alias")
	dir := t.TempDir()
	first, second := openState(t, dir), openState(t, dir)
	first.SetOwner("Neovim\x1b[2K\n ")
	unlock, _, err := first.LockChat(chat)
	must(t, err)
	for _, name := range []string{chat, filepath.Join(chats, ".", "a.chat.md"), chats + "-alias/a.chat.md", chats + "//a.chat.md"} {
		none, owner, err := second.LockChat(name)
		if none != nil || !errors.Is(err, workspace.ErrLocked) || !strings.HasPrefix(owner, "Neovim[2K (process ") || !strings.Contains(err.Error(), owner) {
			t.Errorf("LockChat(%s) = %q, %v; want the owner", name, owner, err)
		}
	}
	other, _, err := second.LockChat(filepath.Join(chats, "b.chat.md"))
	must(t, err)
	defer other()
	unlock()
	unlock()
	again, _, err := second.LockChat(chat)
	must(t, err)
	unlock() // an old unlock must not open a newer lock
	if _, _, err := first.LockChat(chat); !errors.Is(err, workspace.ErrLocked) {
		t.Errorf("an old unlock opened a newer lock: %v", err)
	}
	again()
}

// TestLockHelper is not a test of its own: it holds a lock in another process until its input ends.
func TestLockHelper(t *testing.T) {
	if os.Getenv("LOCK_DIR") == "" {
		return
	}
	s := openState(t, os.Getenv("LOCK_DIR"))
	s.SetOwner("Helix")
	if _, _, err := s.LockChat("/chats/a.chat.md"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stdout.WriteString("locked\n"); err != nil {
		t.Fatal(err)
	}
	_, _ = os.Stdin.Read(make([]byte, 1))
}

// Invariant 15.
func TestALockEndsWithItsProcess(t *testing.T) {
	dir := t.TempDir()
	helper := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLockHelper$")
	helper.Env = append(os.Environ(), "LOCK_DIR="+dir)
	_, err := helper.StdinPipe()
	must(t, err)
	out, err := helper.StdoutPipe()
	must(t, err)
	must(t, helper.Start())
	if _, err := out.Read(make([]byte, 7)); err != nil {
		t.Fatal(err)
	}
	s := openState(t, dir)
	if _, owner, err := s.LockChat("/chats/a.chat.md"); !errors.Is(err, workspace.ErrLocked) || !strings.HasPrefix(owner, "Helix (process ") {
		t.Errorf("LockChat = %q, %v; want Helix", owner, err)
	}
	must(t, helper.Process.Kill())
	_ = helper.Wait() // it was killed
	unlock, _, err := s.LockChat("/chats/a.chat.md")
	must(t, err)
	unlock()
}

// TestAHeldStateFileHoldsUpNoRun: a process that is stopped while it holds a lock would hold it for ever.
// Promise 10.
func TestAHeldStateFileHoldsUpNoRun(t *testing.T) {
	dir := t.TempDir()
	s := openState(t, dir)
	must(t, s.Trust("first"))
	locks, err := filepath.Glob(filepath.Join(dir, "*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatal(locks, err)
	}
	other := flock.New(locks[0])
	must(t, other.Lock())
	synctest.Test(t, func(t *testing.T) {
		if err := s.Trust("second"); !errors.Is(err, workspace.ErrState) || !strings.Contains(err.Error(), "held by another process") {
			t.Errorf("it is told %v", err)
		}
	})
	must(t, other.Unlock())
	must(t, s.Trust("second"))
}
