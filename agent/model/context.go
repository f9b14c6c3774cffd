package model

import (
	"strings"
	"sync"
)

// defaultContext is the context size when neither the user nor a loaded model says otherwise: enough for the prompt, some
// files and a reply, and small enough for the memory of a laptop.
const defaultContext = 8192

// ChooseContext picks the context size for a model, in tokens: the user's setting; else the smaller of the model's limit
// and 8192, or what the model is loaded with now if that is larger (another size would load it again). No choice is above
// the model's limit: the server would lower it in silence.
func ChooseContext(setting int, info Info) int {
	size := setting
	if size <= 0 {
		size = max(defaultContext, info.LoadedContext)
	}
	if info.ContextLimit > 0 {
		size = min(size, info.ContextLimit)
	}
	return size
}

// Pins keeps one context size per model for the life of the process, because a model server loads a model again whenever
// the size changes. The zero value is ready; a Pins may be used concurrently.
type Pins struct {
	mu    sync.Mutex
	sizes map[string]int // guarded by mu
}

// Pin returns the context size that every request to the model uses: what [ChooseContext] said the first time.
func (p *Pins) Pin(setting int, info Info) int {
	key := canonicalName(info.Name)
	p.mu.Lock()
	defer p.mu.Unlock()
	if size, ok := p.sizes[key]; ok {
		return size
	}
	if p.sizes == nil {
		p.sizes = map[string]int{}
	}
	p.sizes[key] = ChooseContext(setting, info)
	return p.sizes[key]
}

// canonicalName makes the spellings of one model's name equal: letter case and a missing tag mean nothing.
func canonicalName(name string) string {
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), ":latest")
}
