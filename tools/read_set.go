package tools

import (
	"crypto/sha256"
	"sync"
)

// ReadSet knows which files the model of one chat has read, and with which content. It may be used concurrently; nil
// knows and keeps nothing.
type ReadSet struct {
	mu   sync.Mutex
	seen map[string][sha256.Size]byte // by absolute path, links followed
}

// NewReadSet begins a chat in which nothing was read.
func NewReadSet() *ReadSet { return &ReadSet{seen: map[string][sha256.Size]byte{}} }

// MarkRead says that the model was shown a file with this text, by a tool or attached to a message. abs is
// workspace.Path.Abs.
func (r *ReadSet) MarkRead(abs, text string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[abs] = sha256.Sum256([]byte(text))
}

// Knows says whether a file was read at all, and whether with this very text.
func (r *ReadSet) Knows(abs, text string) (read, current bool) {
	if r == nil {
		return false, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	sum, read := r.seen[abs]
	return read, read && sum == sha256.Sum256([]byte(text))
}
