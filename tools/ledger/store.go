package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/workspace"
)

// ref names a kept text by its hash; none: there is no file.
type ref string

const none ref = ""

// index is what is kept of a workspace besides the texts.
type index struct {
	Files map[string]file `json:"files,omitempty"` // by relative path: what waits for a decision
	Turns []turnRecord    `json:"turns,omitempty"` // the oldest first

	Untold map[string]Untold `json:"untold,omitempty"` // by chat
}

// file is a file with changes that nobody has decided on: from Base to Last.
type file struct {
	Base   ref     `json:"base,omitempty"` // with all that was decided
	Last   ref     `json:"last,omitempty"` // as the last call left it
	Places []Place `json:"places,omitempty"`
}

// turnRecord is what a turn did.
type turnRecord struct {
	Chat  string    `json:"chat"`
	ID    string    `json:"id"`
	Began time.Time `json:"began"`
	Calls []string  `json:"calls,omitempty"`
	Files []touched `json:"files,omitempty"`

	Undone bool `json:"undone,omitempty"`
}

// touched is what a turn did to one file: a step for each run of changes without one by others in between.
type touched struct {
	Path  string `json:"path"` // relative
	Steps []step `json:"steps"`
	From  ref    `json:"from,omitempty"` // the text before the turn was undone
	To    ref    `json:"to,omitempty"`   // the text after it was
}

type step struct {
	Before ref `json:"before,omitempty"`
	After  ref `json:"after,omitempty"`
}

// store is where the index and the texts of one workspace lie.
type store struct {
	state *workspace.State
	name  string // of the index
	texts string // folder of the texts, each in a file named by its hash

	cache *cache
}

// cache is the index as it was last read.
type cache struct {
	mu    sync.Mutex
	index index       // guarded by mu; its parts are never changed
	info  fs.FileInfo // guarded by mu: of the file that it was read from; nil: none
}

func newStore(state *workspace.State, key string) store {
	sum := sha256.Sum256([]byte(key))
	id := hex.EncodeToString(sum[:10])
	return store{
		state: state, name: "changes-" + id + ".json", texts: filepath.Join(state.Dir(), "changes", id), cache: &cache{},
	}
}

// load reads the index. The caller does not change it.
func (s store) load() (index, error) {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	info, err := os.Lstat(filepath.Join(s.state.Dir(), s.name))
	if errors.Is(err, fs.ErrNotExist) {
		return index{}, nil
	}
	// Each change of the index makes a new file.
	if err == nil && s.cache.info != nil && os.SameFile(info, s.cache.info) && info.ModTime().Equal(s.cache.info.ModTime()) && info.Size() == s.cache.info.Size() {
		return s.cache.index, nil
	}
	x, err := workspace.Load[index](s.state, s.name)
	if err == nil {
		s.cache.index, s.cache.info = x, info
	}
	return x, err
}

// update changes the index; other processes wait meanwhile. If change fails the index stays.
func (s store) update(change func(*index) error) error {
	return workspace.Update(s.state, s.name, func(x *index) error {
		if err := change(x); err != nil {
			return err
		}
		return s.bound(x)
	})
}

// put keeps a text; it is called in update alone, so that no other process takes a new text for one that nobody needs.
func (s store) put(text *string) (ref, error) {
	if text == nil {
		return none, nil
	}
	sum := sha256.Sum256([]byte(*text))
	name := hex.EncodeToString(sum[:])
	path := filepath.Join(s.texts, name)
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(*text)) {
		return ref(name), nil
	}
	half := path + ".new"
	if err := errors.Join(diskfile.WriteRegular(half, []byte(*text)), os.Rename(half, path)); err != nil {
		return none, fmt.Errorf("the text of a change cannot be kept: %w", err)
	}
	return ref(name), nil
}

// errForgotten says that a text is too old to be kept, or that its file was damaged.
var errForgotten = errors.New("what was in it before is not kept any more")

// get returns a kept text; nil: there was no file.
func (s store) get(r ref) (*string, error) {
	if r == none {
		return nil, nil
	}
	f, err := diskfile.OpenRegular(filepath.Join(s.texts, filepath.Base(string(r))), os.O_RDONLY, 0)
	if err != nil {
		return nil, errForgotten
	}
	data, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("a kept text cannot be read: %w", err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != string(r) {
		return nil, errForgotten
	}
	text := string(data)
	return &text, nil
}
