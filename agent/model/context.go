package model

import (
	"strings"
	"sync"
)

// defaultContext is the context size when neither the user nor a loaded model says otherwise: enough for the prompt,
// some files and a reply, and small enough for the memory of a laptop.
const defaultContext = 8192

// ChooseContext picks the context size for a model, in tokens: the user's setting; else the smaller of the model's
// limit and 8192, or what the model is loaded with now if that is larger (another size would load it again). No choice
// is above the model's limit: the server would lower it in silence.
func ChooseContext(setting int, info Info) int {
	size := setting
	if size <= 0 {
		size = max(defaultContext, info.LoadedContext)
	}
	return info.limited(size)
}

// limited is a context size that is not above the model's limit.
func (i Info) limited(size int) int {
	if i.ContextLimit > 0 {
		return min(size, i.ContextLimit)
	}
	return size
}

// holding is a size, doubled until it holds so many tokens, but not above the model's limit.
func (i Info) holding(tokens, size int) int {
	for size-Reserve(size) < tokens && size < 1<<30 {
		size *= 2
	}
	return i.limited(size)
}

// SuitableContext is the size to try first for a prompt of so many tokens: what [ChooseContext] says, more where the
// prompt needs it, and less where the memory of the machine does not suffice. A model that does not fit there at all is
// in the memory of a GPU, of which nothing is known.
func SuitableContext(info Info, need int, memory int64) int {
	size := info.holding(need, defaultContext)
	for half := size / 2; memory > info.Bytes && info.Bytes+info.TokenBytes*int64(size) > memory &&
		half-Reserve(half) >= max(need, 1024); half = size / 2 {
		size = half
	}
	return size
}

// FitsBetter reports whether a model, of which a part does not fit into the memory of the GPU, would fit there with a
// smaller context.
func (i Info) FitsBetter(size int) bool {
	spilled := i.LoadedBytes - i.VRAMBytes
	return i.VRAMBytes > 0 && spilled > 0 && size < i.LoadedContext &&
		(i.TokenBytes == 0 || i.TokenBytes*int64(i.LoadedContext-size) >= spilled)
}

// Plausible reports whether the context that a server says a model is loaded with may be true.
func (i Info) Plausible() bool { return i.LoadedContext >= 256 }

// Reserve is how much of a context is kept for the reply.
func Reserve(size int) int { return min(1024, size/4) }

// Pins keeps one context size per model for the life of the process, because a model server loads a model again
// whenever the size changes. The zero value is ready; a Pins may be used concurrently.
type Pins struct {
	mu    sync.Mutex
	sizes map[string]int  // guarded by mu
	grown map[string]bool // guarded by mu: the one change was made
}

// Pinned returns the size that requests to the model use, if one is pinned.
func (p *Pins) Pinned(info Info) (size int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	size, ok = p.sizes[canonicalName(info.Name)]
	return size, ok
}

// Pin returns the context size that every request to the model uses: what [ChooseContext] said the first time.
func (p *Pins) Pin(setting int, info Info) int {
	key := canonicalName(info.Name)
	p.mu.Lock()
	defer p.mu.Unlock()
	if size, ok := p.sizes[key]; ok {
		return size
	}
	return p.set(key, ChooseContext(setting, info))
}

// set pins a size; mu is held.
func (p *Pins) set(key string, size int) int {
	if p.sizes == nil {
		p.sizes, p.grown = map[string]int{}, map[string]bool{}
	}
	p.sizes[key] = size
	return size
}

// Grow pins a larger size that holds so many tokens, once for a model: the server loads it again. It is refused above
// the user's setting or the model's limit, where memory (bytes that are free; 0: not known) does not suffice, and for
// models that run elsewhere.
func (p *Pins) Grow(setting int, info Info, need int, memory int64) (size int, ok bool) {
	key := canonicalName(info.Name)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.sizes[key]
	size = info.holding(need, max(now, 1024))
	switch {
	case setting > 0, p.grown[key], now == 0, info.Elsewhere() != "", size <= now, size-Reserve(size) < need,
		memory > 0 && info.VRAMBytes == 0 && info.TokenBytes*int64(size-now) > memory:
		return now, false
	}
	p.set(key, size)
	p.grown[key] = true
	return size, true
}

// Lower pins what the server loaded the model with, where that is less than what it was asked for.
func (p *Pins) Lower(info Info) int {
	key := canonicalName(info.Name)
	p.mu.Lock()
	defer p.mu.Unlock()
	if now, ok := p.sizes[key]; ok && info.LoadedContext >= now {
		return now
	}
	return p.set(key, info.LoadedContext)
}

// canonicalName makes the spellings of one model's name equal: letter case and a missing tag mean nothing.
func canonicalName(name string) string {
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), ":latest")
}
