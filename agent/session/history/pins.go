package history

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// pinsFile keeps the chats that the user pinned.
const pinsFile = "pins.json"

const maxPins = 1_000

// ErrTooManyPins says that no chat can be pinned any more.
var ErrTooManyPins = errors.New("too many chats are pinned: unpin some")

// pin is a chat by both of its names: a save by rename makes a new file at its path, and a move gives the file another
// path.
type pin struct {
	Path string `json:"path"` // resolved
	Key  string `json:"key"`  // see shortKey
}

// is reports whether a chat is the pinned one. By its key alone it is if nothing has the path any more.
func (p pin) is(path, key string) bool {
	if p.Path == path {
		return true
	}
	if p.Key == "" || p.Key != key {
		return false
	}
	_, err := os.Lstat(p.Path)
	return errors.Is(err, fs.ErrNotExist)
}

// Pins are the chats that were pinned at one moment.
type Pins struct{ all []pin }

// Pins reads them.
func (h *History) Pins() (Pins, error) {
	all, err := userstate.Load[[]pin](h.state, pinsFile)
	return Pins{all}, err
}

// Has reports whether the chat with this path is pinned.
func (p Pins) Has(path string) bool {
	if len(p.all) == 0 {
		return false
	}
	path = workspace.RealName(path)
	if slices.ContainsFunc(p.all, func(one pin) bool { return one.Path == path }) {
		return true
	}
	key := keyOf(path)
	return key != "" && p.has(path, key)
}

func (p Pins) has(path, key string) bool {
	return slices.ContainsFunc(p.all, func(one pin) bool { return one.is(path, key) })
}

// keyOf is the key of a file; empty: there is none.
func keyOf(path string) string {
	f, err := diskfile.OpenRegular(path, os.O_RDONLY, 0)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // only looked at
	if key, err := shortKey(f); err == nil {
		return key
	}
	return ""
}

// shortKey is a short form of workspace.FileKey.
func shortKey(f *os.File) (string, error) {
	key, err := workspace.FileKey(f)
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:12]), err
}

// Pin pins a chat, or takes its pin away. changed: it was not so before.
func (h *History) Pin(path string, on bool) (changed bool, err error) {
	path = workspace.RealName(path)
	key := keyOf(path)
	if on && key == "" {
		_, err := os.Stat(path)
		return false, errors.Join(err, errors.New("there is no such chat"))
	}
	err = userstate.Update(h.state, pinsFile, func(all *[]pin) error {
		had := slices.ContainsFunc(*all, func(p pin) bool { return p.is(path, key) })
		if changed = had != on; !changed {
			return nil
		}
		if on && len(*all) >= maxPins {
			return ErrTooManyPins
		}
		*all = slices.DeleteFunc(*all, func(p pin) bool { return p.is(path, key) })
		if on {
			*all = append(*all, pin{Path: path, Key: key})
		}
		return nil
	})
	return changed, err
}

// settle has the pins follow their chats: path was saved, or moved; empty: any may have been.
func (h *History) settle(path string) error {
	pins, err := h.Pins()
	if err != nil || len(pins.all) == 0 {
		return err
	}
	var moved []string
	if path != "" {
		moved = []string{workspace.RealName(path)}
	} else if moved, err = h.moved(pins); err != nil {
		return err
	}
	now := map[string]pin{} // by what it was
	for _, p := range pins.all {
		for _, at := range append([]string{p.Path}, moved...) {
			if key := keyOf(at); key != "" && p.is(at, key) && (pin{at, key}) != p {
				now[p.Path] = pin{at, key}
			}
		}
	}
	if len(now) == 0 {
		return nil
	}
	return userstate.Update(h.state, pinsFile, func(all *[]pin) error {
		for i, p := range *all {
			if n, ok := now[p.Path]; ok {
				(*all)[i] = n
			}
		}
		return nil
	})
}

// moved are the paths under which the index has the files of pins whose paths are gone.
func (h *History) moved(pins Pins) (paths []string, err error) {
	s, err := h.open()
	if err != nil {
		return nil, err
	}
	for _, p := range pins.all {
		if _, err := os.Lstat(p.Path); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		rows, err := s.db.Query("SELECT path FROM chats WHERE identity = ?", p.Key)
		err = scanned(rows, err, func(scan scanner) error {
			var path string
			err := scan(&path)
			paths = append(paths, path)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return paths, nil
}
