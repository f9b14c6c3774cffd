package tools

import (
	"slices"
	"sync"
	"time"

	"github.com/assent-ls/assent/internal/content"
)

// The bounds of the results that are kept for a workspace.
const (
	maxKept     = 64
	maxKeptText = 1 << 20 // bytes
)

// results keeps what calls came to, for tools whose Spec says how long that stays true. It may be used concurrently.
type results struct {
	mu   sync.Mutex
	kept []keptResult // guarded by mu: the oldest first
	size int          // guarded by mu: bytes of all of them
}

type keptResult struct {
	key    string
	result Result
	size   int
	until  time.Time
}

// get returns what a call with this key came to, if that still counts.
func (r *results) get(key string) (Result, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for _, k := range r.kept {
		if k.key == key && now.Before(k.until) {
			return k.result, true
		}
	}
	return Result{}, false
}

// put keeps what a call of a tool came to, if it can answer later ones. What failed may go well the next time, and an
// image is too large.
func (r *results) put(s Spec, key string, result Result) {
	isImage := func(p content.Part) bool { _, ok := p.(content.Image); return ok }
	if s.KeepResult <= 0 || s.Effect.Changes() || result.Failed || slices.ContainsFunc(result.Parts, isImage) {
		return
	}
	size := len(result.Text())
	if size > maxKeptText {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.size+size > maxKeptText || len(r.kept) == maxKept {
		r.size -= r.kept[0].size
		r.kept = slices.Delete(r.kept, 0, 1)
	}
	r.kept = append(r.kept, keptResult{key, result, size, time.Now().Add(s.KeepResult)})
	r.size += size
}

// forget drops all results: the tools are no longer the same.
func (r *results) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept, r.size = nil, 0
}
