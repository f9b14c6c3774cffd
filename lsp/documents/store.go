package documents

import (
	"errors"
	"fmt"
	"sync"
)

// Errors of a Store.
var (
	ErrNotOpen    = errors.New("the document is not open")
	ErrOldVersion = errors.New("the version of the document went back")
	ErrStale      = errors.New(
		"the document's text is not known since a change that made no sense; close and open it again",
	)
)

// Change is one change of a document: of a range, or of the whole text when Range is nil.
type Change struct {
	Range *Range
	Text  string
}

// Snapshot is a document at one version. It never changes.
type Snapshot struct {
	URI     string // as the client spells it
	Version int32
	Text    Text
	// Saved says that the client reported a save of this very text.
	Saved bool
	// Stale is why the text can no longer be trusted, or nil. A full change or a new didOpen heals it.
	Stale error

	steps []step // what led from the snapshot before to this one
}

// step is one change of a text, in bytes.
type step struct {
	before, after Text
	span          Span
	text          string
}

// Store holds the open documents of one client. All methods may be called from any goroutine; the methods that change
// it must be called in the order of the client's messages.
type Store struct {
	enc    Encoding
	lfOnly bool

	mu   sync.Mutex
	docs map[string]Snapshot // guarded by mu, by Key
}

// NewStore returns an empty store. lfOnly says that the client takes a CR alone for a character, as all known ones but
// VS Code do (see NewLFText).
func NewStore(enc Encoding, lfOnly bool) *Store {
	return &Store{enc: enc, lfOnly: lfOnly, docs: map[string]Snapshot{}}
}

// Encoding returns the encoding of the client's positions.
func (s *Store) Encoding() Encoding { return s.enc }

// Open takes a document that the client opened. One that was open already is replaced.
func (s *Store) Open(uri string, version int32, text string) Snapshot {
	newText := NewText
	if s.lfOnly {
		newText = NewLFText
	}
	snap := Snapshot{URI: uri, Version: version, Text: newText(text), Saved: true}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs[Key(uri)] = snap
	return snap
}

// find finds an open document; mu is held.
func (s *Store) find(uri string) (Snapshot, error) {
	snap, ok := s.docs[Key(uri)]
	if !ok {
		return snap, fmt.Errorf("%w: %s", ErrNotOpen, uri)
	}
	return snap, nil
}

// Change applies changes in their order and returns the document after them. After an error other than ErrNotOpen the
// document is stale: its text stays as it was until a full change or a new Open.
func (s *Store) Change(uri string, version int32, changes []Change) (Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.find(uri)
	if err != nil {
		return old, err
	}
	snap, err := s.apply(old, version, changes)
	if err != nil {
		snap = old
		snap.steps, snap.Stale = nil, err
	}
	s.docs[Key(uri)] = snap
	return snap, err
}

func (s *Store) apply(old Snapshot, version int32, changes []Change) (Snapshot, error) {
	snap := old
	snap.steps, snap.Version, snap.Saved = nil, version, false
	if version < old.Version {
		return snap, fmt.Errorf("%w from %d to %d", ErrOldVersion, old.Version, version)
	}
	for _, c := range changes {
		var span Span
		text := c.Text
		if c.Range == nil {
			span, text = snap.Text.Difference(c.Text)
			snap.Stale = nil
		} else {
			if snap.Stale != nil {
				return snap, fmt.Errorf("%w (%w)", ErrStale, root(snap.Stale))
			}
			var err error
			if span, err = snap.Text.Span(*c.Range, s.enc); err != nil {
				return snap, err
			}
		}
		after, err := snap.Text.Replace(span, text)
		if err != nil {
			return snap, err
		}
		snap.steps = append(snap.steps, step{snap.Text, after, span, text})
		snap.Text = after
	}
	return snap, nil
}

// root keeps a chain of stale errors from growing with every further change.
func root(err error) error {
	for _, known := range []error{ErrOldVersion, ErrBadRange} {
		if errors.Is(err, known) {
			return known
		}
	}
	return err
}

// Save notes that the client saved the document.
func (s *Store) Save(uri string) (Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap, err := s.find(uri)
	if err != nil {
		return snap, err
	}
	snap.Saved, snap.steps = true, nil
	s.docs[Key(uri)] = snap
	return snap, nil
}

// Close forgets a document.
func (s *Store) Close(uri string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.find(uri)
	delete(s.docs, Key(uri))
	return err
}

// Get returns an open document.
func (s *Store) Get(uri string) (Snapshot, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap, ok := s.docs[Key(uri)]
	return snap, ok
}
