// Package trust keeps which files of a workspace the user trusts, by content: those that start programs, connect or
// change what is allowed. Whoever uses such a file asks Trusted first; until then, and after every change of it, it
// does nothing. Prose for models is not its matter: that counts once the folder is trusted (workspace.State).
package trust

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

const (
	stateFile  = "trusted-files.json"
	maxFile    = 64 << 10  // bytes of a file that can be trusted: a person reads it first
	maxTexts   = 512 << 10 // bytes of all texts that are kept; in JSON they may take six times as much
	maxRecords = 2000
)

// ErrCannotTrust wraps why a file cannot be trusted; its text says what to do.
var ErrCannotTrust = errors.New("cannot be trusted")

// record is what the user trusted under one path.
type record struct {
	Since time.Time `json:"since"`
	Hash  string    `json:"sha256"`
	Text  string    `json:"text,omitempty"` // to show what changed since; empty: not kept any more
}

// records are what the user trusts in one workspace, by path.
type records map[string]record

// Store keeps what the user trusts in their state folder. Its methods may be called concurrently.
type Store struct {
	state *userstate.State

	mu      sync.Mutex         // guards what follows
	session map[string]records // by keys that are not lasting
	watch   *diskfile.Watch
	kept    map[string]records // what the file held when it was last read; never changed
	err     error              // why it could not be read
}

// New returns the store of a user. It reads and writes nothing.
func New(state *userstate.State) *Store {
	watch := diskfile.NewWatch(filepath.Join(state.Dir(), stateFile))
	return &Store{state: state, session: map[string]records{}, watch: watch}
}

// Trusted says whether the user trusts the file rel (slash-separated, relative to the workspace with this key) with
// exactly this content. If not, why is a sentence for the user. Give it the bytes that you will use: read the file
// once.
func (s *Store) Trusted(key, rel string, data []byte) (ok bool, why string) {
	kept, found, err := s.record(key, rel)
	switch {
	case err != nil:
		return false, fmt.Sprintf("Nothing in %q counts: %s", rel, err)
	case !found:
		return false, fmt.Sprintf("Nothing in %q counts until you trust this file.", rel)
	case kept.Hash != hash(data):
		return false, fmt.Sprintf("%q changed since you trusted it (%s): nothing in it counts until you trust it "+
			"again.",
			rel, kept.Since.Local().Format("2006-01-02 15:04"))
	}
	return true, ""
}

// Known says whether the user ever trusted what is kept under a path, whatever it held.
func (s *Store) Known(key, rel string) bool {
	_, found, err := s.record(key, rel)
	return found && err == nil
}

// New shows what of a file the user does not trust yet, as a unified diff to what they trusted before: all of it if
// they never did. The caller makes it visible.
func (s *Store) New(key, rel string, data []byte) string {
	kept, _, _ := s.record(key, rel) // without one all of it is new
	if kept.Hash == hash(data) {
		return ""
	}
	return edit.Diff(rel, kept.Text, string(data))
}

// Trust keeps that the user trusts a file with this content: only a person's own act may lead here. In a workspace
// whose key is not lasting it holds as long as the process.
func (s *Store) Trust(key, rel string, data []byte) error {
	switch {
	case strings.TrimSpace(key) == "":
		return fmt.Errorf("%w: %q is in no workspace", ErrCannotTrust, rel)
	case len(data) > maxFile:
		return fmt.Errorf("%w: %s", ErrCannotTrust, tooLong(rel))
	}
	given := record{Since: time.Now().UTC().Truncate(time.Second), Hash: hash(data), Text: string(data)}
	return s.update(key, func(r records) { r[rel] = given })
}

func tooLong(rel string) string {
	return fmt.Sprintf("%q has more than %d KB, which nobody reads through", rel, maxFile>>10)
}

// Revoke takes the trust in a file back, whatever its content. Without a path it is all files of the workspace.
func (s *Store) Revoke(key, rel string) error {
	return s.update(key, func(r records) {
		if rel == "" {
			clear(r)
		}
		delete(r, rel)
	})
}

func (s *Store) record(key, rel string) (r record, found bool, err error) {
	all, err := s.records(key)
	r, found = all[rel]
	return r, found, err
}

// records returns what is trusted in a workspace. Callers only read it. The file is read only if it changed: policy
// asks at every call.
func (s *Store) records(key string) (records, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !workspace.Lasting(key) {
		return maps.Clone(s.session[key]), nil
	}
	if s.watch.Changed() || s.err != nil {
		s.kept, s.err = userstate.Load[map[string]records](s.state, stateFile)
	}
	return s.kept[key], s.err
}

// update changes what is trusted in a workspace, and forgets what was trusted in other folders at its path.
func (s *Store) update(key string, change func(records)) error {
	if !workspace.Lasting(key) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.session[key] == nil {
			s.session[key] = records{}
		}
		change(s.session[key])
		return nil
	}
	return userstate.Update(s.state, stateFile, func(all *map[string]records) error {
		if *all == nil {
			*all = map[string]records{}
		}
		maps.DeleteFunc(*all, func(kept string, _ records) bool { return workspace.OtherFolder(kept, key) })
		given := (*all)[key]
		if given == nil {
			given = records{}
		}
		change(given)
		if (*all)[key] = given; len(given) == 0 {
			delete(*all, key)
		}
		return bound(*all)
	})
}

// bound keeps the file small: the oldest texts go first, which only costs the diff of a later change.
func bound(all map[string]records) error {
	type place struct {
		key, rel string
		record
	}
	var places []place
	size := 0
	for key, r := range all {
		for rel, kept := range r {
			places = append(places, place{key, rel, kept})
			size += len(kept.Text)
		}
	}
	if len(places) > maxRecords {
		return fmt.Errorf(
			"%w: you trust %d files already; take some of it back with `assent trust --revoke FOLDER`", ErrCannotTrust,
			maxRecords,
		)
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.key, b.key), cmp.Compare(a.rel, b.rel))
	})
	for _, p := range places {
		if size <= maxTexts {
			break
		}
		size -= len(p.Text)
		p.Text = ""
		all[p.key][p.rel] = p.record
	}
	return nil
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
