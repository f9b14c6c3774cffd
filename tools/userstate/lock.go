package userstate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"github.com/gofrs/flock"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/workspace"
)

const maxOwner = 200 // bytes

// SetOwner says by what name other processes learn who holds a chat, such as the editor's; the default is "assent".
func (s *State) SetOwner(name string) {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)
	if len(name) > maxOwner {
		name = strings.ToValidUTF8(name[:maxOwner], "")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owner = strings.TrimSpace(name); s.owner == "" {
		s.owner = "assent"
	}
}

func (s *State) name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owner
}

// LockChat makes the caller the one writer of a chat until it calls unlock (which may be called more than once) or its
// process ends. If somebody else is, err wraps ErrLocked and owner names it: "Neovim (process 4711)". The lock belongs
// to the file: its other names count as the same chat, hard links among them. The chat need not exist.
func (s *State) LockChat(absPath string) (unlock func(), owner string, err error) {
	root, err := s.openWith("locks")
	if err != nil {
		return nil, "", err
	}
	var held []func()
	unlock = sync.OnceFunc(func() {
		for _, release := range held {
			release()
		}
		_ = root.Close()
	})
	mine := fmt.Sprintf("%s (process %d)", s.name(), os.Getpid())
	for _, name := range fileNames(absPath) {
		release, err := s.lockName(root, filepath.Join("locks", name), mine)
		if errors.Is(err, workspace.ErrLocked) {
			owner = cmp.Or(ownerOf(root, filepath.Join("locks", name)), "another process")
			err = workspace.Fail(workspace.ErrLocked, "The chat %q is open in %s.", filepath.Base(absPath), owner)
		}
		if err != nil {
			unlock()
			return nil, owner, err
		}
		held = append(held, release)
	}
	return unlock, mine, nil
}

// fileNames are short names of a file: of its path, since a save by rename makes a new file, and of the file itself, if
// it exists, since it may have other paths.
func fileNames(absPath string) []string {
	names := []string{shortName(workspace.RealName(absPath))}
	if info, err := os.Stat(absPath); err == nil {
		if id := workspace.Identity(info); strings.Contains(id, ":") { // else this system tells none
			names = append(names, shortName(id))
		}
	}
	return names
}

// shortName is a name for a file that stands for something with any name.
func shortName(of string) string {
	sum := sha256.Sum256([]byte(of))
	return hex.EncodeToString(sum[:16])
}

// lockName takes one lock and says who holds it. ErrLocked: somebody else does.
func (s *State) lockName(root *os.Root, name, owner string) (release func(), err error) {
	lock, err := s.lock(root, name)
	if err != nil {
		return nil, err
	}
	locked, err := lock.TryLock()
	if err != nil {
		return nil, s.fail("%q cannot be locked: %v.", name+".lock", err)
	}
	if !locked {
		return nil, workspace.ErrLocked
	}
	// The lock holds even if its owner's name cannot be written. Neither outlives the machine, so nothing waits for the
	// disk.
	if err := workspace.IgnoreMissing(root.Remove(name + ".owner")); err == nil {
		_ = root.WriteFile(name+".owner", []byte(owner), 0o600)
	}
	return func() {
		_ = root.Remove(name + ".owner")
		_ = lock.Unlock()
	}, nil
}

// lock is a lock that is not taken yet. Its file is made, so that taking it never opens a pipe.
func (s *State) lock(root *os.Root, name string) (*flock.Flock, error) {
	f, err := diskfile.OpenRegularIn(root, name+".lock", os.O_RDONLY|os.O_CREATE, 0o600)
	if err == nil {
		err = f.Close()
	}
	if errors.Is(err, diskfile.ErrNotRegular) {
		return nil, s.notRegular(name + ".lock")
	}
	if err != nil {
		return nil, s.fail("%q cannot be locked: %v.", name, err)
	}
	return flock.New(filepath.Join(s.dir, name+".lock"), flock.SetPermissions(0o600)), nil
}

// ownerOf is what is in the file beside a lock; empty: nothing that can be read.
func ownerOf(root *os.Root, lock string) string {
	data, _ := diskfile.ReadSmallIn(root, lock+".owner", 2*maxOwner) // of more the beginning
	return string(data)
}
