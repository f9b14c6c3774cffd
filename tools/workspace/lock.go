package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"github.com/gofrs/flock"
)

const maxOwner = 200 // bytes

// SetOwner says by what name other processes are told who holds a chat, such as the editor's; the default is "assent".
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

// LockChat makes the caller the one writer of a chat until it calls unlock (which may be called more than once) or its
// process ends. If somebody else is, err wraps ErrLocked and owner names it: "Neovim (process 4711)". The lock belongs
// to the file: its other names count as the same chat. The chat need not exist.
func (s *State) LockChat(absPath string) (unlock func(), owner string, err error) {
	root, err := s.open()
	if err != nil {
		return nil, "", err
	}
	if err := root.MkdirAll("locks", 0o700); err != nil {
		return nil, "", errors.Join(fail(ErrState, "The folder %q cannot be made: %v.", filepath.Join(s.dir, "locks"), cause(err)), root.Close())
	}
	sum := sha256.Sum256([]byte(realName(absPath)))
	name := filepath.Join("locks", hex.EncodeToString(sum[:16]))
	lock := flock.New(filepath.Join(s.dir, name+".lock"), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, "", errors.Join(fail(ErrState, "%q cannot be locked: %v.", lock.Path(), cause(err)), root.Close())
	}
	if !locked {
		owner = readOwner(root, name+".owner")
		return nil, owner, errors.Join(fail(ErrLocked, "The chat %q is open in %s.", filepath.Base(absPath), owner), root.Close())
	}
	s.mu.Lock()
	mine := fmt.Sprintf("%s (process %d)", s.owner, os.Getpid())
	s.mu.Unlock()
	// The lock holds even if its owner's name cannot be told.
	if err := ignoreMissing(root.Remove(name + ".owner")); err == nil {
		_ = writeNew(root, name+".owner", []byte(mine))
	}
	return sync.OnceFunc(func() {
		_ = root.Remove(name + ".owner")
		_ = lock.Unlock()
		_ = root.Close()
	}), mine, nil
}

// realName follows the links of a path as far as it exists.
func realName(abs string) string {
	abs = filepath.Clean(abs)
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	dir, base := filepath.Split(abs)
	if dir = filepath.Clean(dir); dir == abs {
		return abs
	}
	return filepath.Join(realName(dir), base)
}

func readOwner(root *os.Root, name string) string {
	const somebody = "another process"
	f, err := root.Open(name)
	if err != nil {
		return somebody
	}
	defer f.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(f, 2*maxOwner))
	if err != nil || len(data) == 0 {
		return somebody
	}
	return string(data)
}
