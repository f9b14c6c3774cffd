package workspace

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// momentLasts is the longest that walks share what they found.
const momentLasts = 200 * time.Millisecond

// moment lets the walks of a short time ask only once whether a folder changed. It begins with its first walk. It may
// be used concurrently; a nil one is over.
type moment struct {
	mu        sync.Mutex
	began     time.Time         // guarded by mu: zero before the first walk
	over      bool              // guarded by mu
	confirmed map[*listing]bool // guarded by mu
	mentioned map[string][]Path // guarded by mu: by message
	// guarded by mu: all of the workspace, in the order of a walk; nil before the first whole walk
	walked  []Path
	folders map[string][]Path // guarded by mu: what of it lies in each folder of the root
}

// ForAMoment is the same workspace for several looks at its names that belong together, such as those before a request:
// it is walked once, and Mentioned looks once for what a message names, until end is called or 200 ms have passed since
// the first. What is made meanwhile may be missing from its lists. Files are read as ever.
func (w *Workspace) ForAMoment() (same *Workspace, end func()) {
	held := *w
	held.moment = &moment{confirmed: map[*listing]bool{}, mentioned: map[string][]Path{}}
	return &held, held.moment.end
}

func (m *moment) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.finish()
}

func (m *moment) finish() {
	m.over, m.confirmed, m.mentioned, m.walked, m.folders = true, nil, nil, nil, nil
}

// all gives what a whole walk of the moment met, if there was one. Nobody changes it.
func (m *moment) all() ([]Path, bool) {
	if m == nil {
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.walked, m.goesOn() && m.walked != nil
}

// below gives what a whole walk of the moment met in a folder of the root, if it did.
func (m *moment) below(folder string) ([]Path, bool) {
	if m == nil {
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	paths, met := m.folders[folder]
	return paths, m.goesOn() && met
}

// lasts reports whether the moment goes on.
func (m *moment) lasts() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.goesOn()
}

// keepAll keeps what a whole walk met.
func (m *moment) keepAll(walked []Path) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.goesOn() {
		return
	}
	m.walked, m.folders = walked, map[string][]Path{}
	end := len(walked)
	for i := range slices.Backward(walked) {
		if rel := walked[i].Rel; !strings.Contains(rel, "/") {
			if walked[i].Dir {
				m.folders[rel] = walked[i+1 : end]
			}
			end = i
		}
	}
}

// mentions is what a message names, which find finds if nobody asked before.
func (m *moment) mentions(message string, find func(string) []Path) []Path {
	if m == nil {
		return find(message)
	}
	m.mu.Lock()
	paths, known := m.mentioned[message]
	known = known && m.goesOn()
	m.mu.Unlock()
	if known {
		return slices.Clone(paths)
	}
	paths = find(message)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.goesOn() {
		m.mentioned[message] = slices.Clone(paths)
	}
	return paths
}

// has reports whether a listing was found to be as its folder is.
func (m *moment) has(l *listing) bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.goesOn() && m.confirmed[l]
}

// confirm notes that a listing is as its folder is now.
func (m *moment) confirm(l *listing) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.goesOn() {
		m.confirmed[l] = true
	}
}

func (m *moment) goesOn() bool {
	if m.began.IsZero() {
		m.began = time.Now()
	}
	if time.Since(m.began) >= momentLasts {
		m.finish()
	}
	return !m.over
}
