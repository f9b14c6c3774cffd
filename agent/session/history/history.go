// Package history finds chats by what was said in them. It keeps an index of all chats of the user in their state
// folder: SQLite with FTS5, derived from the files alone, and made anew whenever it cannot be used. It never changes a
// chat.
package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// History is the index of the user's chats. Nothing is opened before the first search. Its methods may be called
// concurrently, and several processes may use one state folder.
type History struct {
	state  *userstate.State
	policy *policy.Policy // what is denied now; nil: nothing is

	most    int     // chats of one workspace
	meaning Meaning // nil: searches are by words alone

	refreshing sync.Mutex // one refresh at a time

	mu     sync.Mutex
	store  *store          // guarded by mu; nil: not opened, or broken
	noted  map[string]bool // guarded by mu: places that are known to be kept
	here   []string        // guarded by mu: see Refresh
	closed bool            // guarded by mu
}

// New makes a history. It reads and writes nothing.
func New(state *userstate.State, p *policy.Policy) *History {
	return &History{state: state, policy: p, most: maxChats, noted: map[string]bool{}}
}

// Close releases the index. Nothing is found afterwards.
func (h *History) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if h.store == nil {
		return nil
	}
	err := h.store.close()
	h.store = nil
	return err
}

// Opened reports whether this process has searched, so that the index is open.
func (h *History) Opened() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.store != nil
}

// Indexed reports whether there is an index, since somebody has searched. It opens nothing.
func (h *History) Indexed() bool { return h.Opened() || indexed(h.state.Dir()) }

// errClosed says that the program is ending.
var errClosed = errors.New("the history of chats is closed")

// open returns the index, and opens or makes it.
func (h *History) open() (*store, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosed
	}
	if h.store != nil {
		return h.store, nil
	}
	dir, err := h.state.Folder(folderName)
	if err != nil {
		return nil, err
	}
	h.store, err = openStore(dir)
	return h.store, err
}

// with does something with the index. One that turns out to be corrupt is left behind for a new one, once.
func (h *History) with(do func(*store) error) error {
	for again := false; ; again = true {
		s, err := h.open()
		if err != nil {
			return told(err)
		}
		err = do(s)
		if !isCorrupt(err) || again {
			return told(err)
		}
		if err := h.replace(s); err != nil {
			return told(err)
		}
	}
}

// replace leaves an index that is corrupt, and makes the next one.
func (h *History) replace(broken *store) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return errClosed
	}
	if h.store != broken {
		return nil // somebody was faster
	}
	_ = broken.close() // the file is broken anyway
	var err error
	if h.store, err = newStore(broken.dir); err == nil {
		h.store.empty = true
	}
	return err
}

// takesEmpty reports once whether an index took the place of a broken one and is to be filled.
func (h *History) takesEmpty(s *store) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	empty := s.empty
	s.empty = false
	return empty
}

// Saved takes over one chat that was just saved, and keeps in mind where chats are: root is that of its workspace;
// empty: it is in none. Before anybody searched, only the place is kept.
func (h *History) Saved(ctx context.Context, root, path string) error {
	if err := errors.Join(h.note(root, path), h.settle(path)); err != nil {
		return err
	}
	if !h.Indexed() {
		return nil
	}
	return h.with(func(s *store) error {
		var here []string
		if root != "" {
			here = []string{root}
		}
		places, err := h.places(ctx, here)
		if err != nil {
			return err
		}
		at, name, ok := places.of(path)
		if !ok {
			return nil
		}
		defer at.close()
		if err := h.enter(at); err != nil {
			return workspace.IgnoreMissing(err)
		}
		w := s.writer()
		err = w.take(ctx, at, name)
		return errors.Join(err, w.end(err == nil))
	})
}

// Refresh compares the index with the files, and takes over what changed. here are folders that are searched although
// nothing was saved there yet; none: those of the last time. Problems are sentences for the user about what was left
// out. It may take long; what was indexed when ctx ends is kept.
func (h *History) Refresh(ctx context.Context, here ...string) (problems []string, err error) {
	h.refreshing.Lock()
	defer h.refreshing.Unlock()
	h.mu.Lock()
	if len(here) > 0 {
		h.here = slices.Clone(here)
	}
	here = h.here
	h.mu.Unlock()
	err = h.with(func(s *store) error {
		r := refresh{history: h, store: s, now: time.Now()}
		err := r.run(ctx, here)
		problems = r.problems
		return err
	})
	return problems, err
}

// told makes a sentence for the user of what SQLite says.
func told(err error) error {
	switch {
	case isFull(err):
		return fmt.Errorf("the index of chats cannot be written, since the disk is full: free some space: %w", err)
	case isBusy(err):
		return fmt.Errorf("another process is writing the index of chats: try again: %w", err)
	case isCorrupt(err):
		return fmt.Errorf("the index of chats is broken: remove the folder %q in the state folder: %w", folderName, err)
	}
	return err
}
