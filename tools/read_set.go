package tools

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/assent-ls/assent/tools/edit"
)

// ReadSet records which files the model of one chat has read, and with which content. It may be used concurrently; nil
// is always empty.
type ReadSet struct {
	mu        sync.Mutex
	seen      map[string][sha256.Size]byte // by absolute path, links followed
	parts     map[string][]string          // lines of files that were shown without the rest, likewise
	hesitated map[[sha256.Size]byte]bool   // changes that were not made the first time
}

// NewReadSet is the set of a chat in which nothing was read.
func NewReadSet() *ReadSet {
	return &ReadSet{
		seen: map[string][sha256.Size]byte{}, parts: map[string][]string{}, hesitated: map[[sha256.Size]byte]bool{},
	}
}

// Clone is a copy that is marked on its own; a clone of nil is empty.
func (r *ReadSet) Clone() *ReadSet {
	clone := NewReadSet()
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		maps.Copy(clone.seen, r.seen)
		for abs, parts := range r.parts {
			clone.markShown(abs, parts...)
		}
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

// MarkShown records that the model was shown some whole lines of a file, one after the other, as they are there. The
// file does not count as read by it.
func (r *ReadSet) MarkShown(abs, lines string) {
	if r == nil || lines == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.markShown(abs, lines)
}

// markShown is MarkShown; mu is held.
func (r *ReadSet) markShown(abs string, parts ...string) {
	for _, part := range parts {
		if !slices.Contains(r.parts[abs], part) {
			r.parts[abs] = append(r.parts[abs], part)
		}
	}
}

// Shows reports whether the model was shown the lines with the bytes between two offsets of a file with this text,
// although not all of the file, and with them those from start to end. What was shown and is not there any more
// does not count.
func (r *ReadSet) Shows(abs, text string, from, to int) (start, end int, ok bool) {
	if r == nil {
		return 0, 0, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, part := range r.parts[abs] {
		for start := max(0, to-len(part)-len("\r\n")); start <= from; start++ { // further in front it cannot reach to
			at := strings.Index(text[start:], part)
			if start += at; at < 0 || start > from {
				break
			}
			if end, whole := linesEnd(text, start, start+len(part)); whole && to <= end {
				return start, end, true
			}
		}
	}
	return 0, 0, false
}

// MarkChanged records a change by the model itself: of what it knew of a file it knows the text afterwards, and no
// more. What others changed since it read the file it still does not know.
func (r *ReadSet) MarkChanged(abs, before, after string) {
	if read, current := r.Knows(abs, before); current {
		r.MarkRead(abs, after)
		return
	} else if read {
		return
	}
	changed := edit.Changed(before, after)
	if start, end, ok := r.Shows(abs, before, changed.Start, changed.End); ok {
		r.MarkShown(abs, after[start:end+len(after)-len(before)])
	}
}

// linesEnd is the end of the lines that a part of a text consists of, with their last line end; whole is false if it
// cuts a line.
func linesEnd(text string, start, end int) (last int, whole bool) {
	if start > 0 && text[start-1] != '\n' {
		return 0, false
	}
	rest := text[end:]
	switch {
	case rest == "", end > start && text[end-1] == '\n':
		return end, true
	case strings.HasPrefix(rest, "\r\n"):
		return end + 2, true
	}
	return end + 1, rest[0] == '\n'
}

// Hesitates reports, once for each change of a file, that a change that should be thought over is not made the first
// time.
func (r *ReadSet) Hesitates(abs, before, after string, should bool) bool {
	if r == nil || !should {
		return false
	}
	key := sha256.Sum256([]byte(abs + "\x00" + before + "\x00" + after))
	r.mu.Lock()
	defer r.mu.Unlock()
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
