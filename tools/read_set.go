package tools

import (
	"crypto/sha256"
	"maps"
	"slices"
	"sync"
)

// ReadSet records which files the model of one chat has read, and with which content. It may be used concurrently; nil
// is always empty.
type ReadSet struct {
	mu   sync.Mutex
	seen map[string][sha256.Size]byte // by absolute path, links followed

	hesitated map[[sha256.Size]byte]bool // changes that were not made the first time
}

// NewReadSet is the set of a chat in which nothing was read.
func NewReadSet() *ReadSet { return &ReadSet{seen: map[string][sha256.Size]byte{}} }

// Clone is a copy that is marked on its own; a clone of nil is empty.
func (r *ReadSet) Clone() *ReadSet {
	clone := NewReadSet()
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		maps.Copy(clone.seen, r.seen)
	}
	return clone
}

// MarkRead records that the model was shown a file with this text, by a tool or attached to a message. abs is
// workspace.Path.Abs.
func (r *ReadSet) MarkRead(abs, text string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[abs] = sha256.Sum256([]byte(text))
}

// Knows reports whether a file was read at all, and whether with exactly this text.
func (r *ReadSet) Knows(abs, text string) (read, current bool) {
	if r == nil {
		return false, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	sum, read := r.seen[abs]
	return read, read && sum == sha256.Sum256([]byte(text))
}

// Hesitates reports, once for each change of a file, that a change that should be thought over is not made the first time.
func (r *ReadSet) Hesitates(abs, before, after string, should bool) bool {
	if r == nil || !should {
		return false
	}
	key := sha256.Sum256([]byte(abs + "\x00" + before + "\x00" + after))
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hesitated == nil {
		r.hesitated = map[[sha256.Size]byte]bool{}
	}
	first := !r.hesitated[key]
	r.hesitated[key] = true
	return first
}

// Paths lists the files that were read, by absolute path, sorted.
func (r *ReadSet) Paths() []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.seen))
}
