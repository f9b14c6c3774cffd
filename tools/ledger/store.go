package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/userstate"
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

	Mode fs.FileMode `json:"mode,omitempty"` // see Change
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

	Mode fs.FileMode `json:"mode,omitempty"` // see Change
}

type step struct {
	Before ref `json:"before,omitempty"`
	After  ref `json:"after,omitempty"`
}

// store is where the index and the texts of one workspace lie.
type store struct {
	state *userstate.State
	name  string // of the index
	texts string // folder of the texts, each in a file named by its hash

	cache *cache
}

// pointer is what the state file holds: the name of the text that is the index. So reading it is quick, and what was
// read stays good as long as the name does.
type pointer struct {
	Index ref `json:"index,omitempty"`
}

// cache is the index as it was last read.
type cache struct {
	mu    sync.Mutex
	name  ref   // guarded by mu
	index index // guarded by mu; its parts are never changed

	others sync.Once // the ledgers of other workspaces are looked at once
}

func newStore(state *userstate.State, key string) store {
	id := hash([]byte(key), 10)
	return store{
		state: state, name: "changes-" + id + ".json", texts: filepath.Join(state.Dir(), "changes", id),
		cache: &cache{},
	}
}

// load reads the index. The caller does not change it.
func (s store) load() (index, error) {
	p, err := userstate.Load[pointer](s.state, s.name)
	if err != nil {
		return index{}, err
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	if p.Index == s.cache.name {
		return s.cache.index, nil
	}
	s.cache.name, s.cache.index = p.Index, s.read(p)
	return s.cache.index, nil
}

// read reads the index that a state file names. One that is damaged counts as empty, and the user is told.
func (s store) read(p pointer) (x index) {
	text, err := s.get(p.Index)
	if err == nil && text != nil {
		err = json.Unmarshal([]byte(*text), &x)
	}
	if err != nil {
		s.state.Report(fmt.Sprintf(
			"What turns changed in %q cannot be read any more, so it cannot be reviewed or undone.", s.texts,
		))
		return index{}
	}
	return x
}

// update changes the index; other processes wait meanwhile. If change fails the index stays.
func (s store) update(change func(*index) error) error {
	s.cache.others.Do(s.forgetOthers)
	return userstate.Update(s.state, s.name, func(p *pointer) error {
		x := s.read(*p)
		if err := change(&x); err != nil {
			return err
		}
		sizes, err := s.bound(&x)
		if err != nil {
			return err
		}
		data, err := json.Marshal(x)
		if err != nil {
			return fmt.Errorf("encode what turns changed: %w", err)
		}
		before := p.Index
		if p.Index, err = s.put(new(string(data))); err != nil {
			return err
		}
		s.forget(x, sizes, before, p.Index)
		return nil
	})
}

// put keeps a text; it is called in update alone, so that no other process takes a new text for one that nobody needs.
func (s store) put(text *string) (ref, error) {
	if text == nil {
		return none, nil
	}
	name := nameOf([]byte(*text))
	path := filepath.Join(s.texts, string(name))
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(*text)) {
		return name, nil
	}
	// Half a text is not taken for a whole one: its hash is another.
	if err := diskfile.WriteRegular(path, []byte(*text)); err != nil {
		return none, fmt.Errorf("the text of a change cannot be kept: %w", err)
	}
	return name, nil
}

// putBoth keeps the texts before and after a change.
func (s store) putBoth(before, after *string) (kept step, err error) {
	if kept.Before, err = s.put(before); err != nil {
		return step{}, err
	}
	kept.After, err = s.put(after)
	return kept, err
}

func nameOf(text []byte) ref { return ref(hash(text, 16)) }

// hash is the beginning of the SHA-256 of something, of so many bytes.
func hash(data []byte, bytes int) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:bytes])
}

// errForgotten says that a text is too old to be kept, or that its file was damaged.
var errForgotten = errors.New("what was in it before is not kept any more")

// getBoth returns two kept texts.
func (s store) getBoth(before, after ref) (from, to *string, err error) {
	if from, err = s.get(before); err != nil {
		return nil, nil, err
	}
	to, err = s.get(after)
	return from, to, err
}

// get returns a kept text; nil: there was no file.
func (s store) get(r ref) (*string, error) {
	if r == none {
		return nil, nil
	}
	f, err := diskfile.OpenRegular(filepath.Join(s.texts, filepath.Base(string(r))), os.O_RDONLY, 0)
	if err != nil {
		return nil, errForgotten
	}
	data, err := io.ReadAll(io.LimitReader(f, maxStored+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("a kept text cannot be read: %w", err)
	}
	if nameOf(data) != r {
		return nil, errForgotten
	}
	return new(string(data)), nil
}
