//go:build unix

package userstate_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assent-ls/assent/tools/workspace"
)

// TestAHardLinkIsTheSameChat locks a chat by one of its names and asks for the other.
// Promise 10. Invariant 15.
func TestAHardLinkIsTheSameChat(t *testing.T) {
	folder, dir := t.TempDir(), t.TempDir()
	one, other := filepath.Join(folder, "a.chat.md"), filepath.Join(t.TempDir(), "b.chat.md")
	must(t, os.WriteFile(one, nil, 0o600))
	must(t, os.Link(one, other))
	first, second := openState(t, dir), openState(t, dir)
	first.SetOwner("Neovim")
	for _, names := range [][]string{{one, other}, {other, one}} {
		unlock, _, err := first.LockChat(names[0])
		must(t, err)
		if _, owner, err := second.LockChat(names[1]); !errors.Is(err, workspace.ErrLocked) || !strings.HasPrefix(owner, "Neovim (process ") {
			t.Errorf("LockChat of the other name = %q, %v", owner, err)
		}
		// A save by rename makes a new file of the name: it is the same chat still.
		must(t, os.Rename(names[0], names[0]+".old"))
		must(t, os.WriteFile(names[0], nil, 0o600))
		if _, _, err := second.LockChat(names[0]); !errors.Is(err, workspace.ErrLocked) {
			t.Errorf("LockChat of a new file with the name = %v", err)
		}
		must(t, os.Rename(names[0]+".old", names[0]))
		unlock()
		for _, name := range names {
			again, _, err := second.LockChat(name)
			must(t, err)
			again()
		}
	}
}

// TestAPipeInTheStateFolderHoldsNothingUp puts a pipe in the place of each file that the state folder holds.
// Promise 10.
func TestAPipeInTheStateFolderHoldsNothingUp(t *testing.T) {
	const chat = "/chats/a.chat.md"
	used := t.TempDir()
	s := openState(t, used)
	must(t, s.Trust("a"))
	unlock, _, err := s.LockChat(chat)
	must(t, err)
	defer unlock()
	var names []string
	must(t, filepath.WalkDir(used, func(name string, d os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(used, name); err == nil && !d.IsDir() {
			names = append(names, rel)
		}
		return err
	}))
	if len(names) < 4 {
		t.Fatalf("there are only %q", names)
	}
	for _, name := range names {
		dir := t.TempDir()
		must(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		must(t, syscall.Mkfifo(filepath.Join(dir, name), 0o600))
		s := openState(t, dir)
		trust := s.Trust("a")
		unlock, owner, lock := s.LockChat(chat)
		if lock == nil {
			if _, owner, err := openState(t, dir).LockChat(chat); !errors.Is(err, workspace.ErrLocked) || owner == "" {
				t.Errorf("%s: a second LockChat = %q, %v", name, owner, err)
			}
			unlock()
		}
		for _, err := range []error{trust, lock} {
			if err != nil && (!errors.Is(err, workspace.ErrState) || !strings.Contains(err.Error(), "is not a regular file")) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if isTrust := strings.HasPrefix(name, "trust.json"); isTrust != (trust != nil) || strings.HasSuffix(name, ".lock") && !isTrust && lock == nil {
			t.Errorf("%s: Trust = %v, LockChat = %q, %v", name, trust, owner, lock)
		}
	}
}
