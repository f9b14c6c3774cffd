package workspace

import (
	"sync"
	"time"
)

// momentLasts is the longest that walks share what they found.
const momentLasts = 200 * time.Millisecond

// moment lets the walks of a short time ask only once whether a folder changed. It begins with its first walk. It may be used concurrently; a nil
// one is over.
type moment struct {
	mu        sync.Mutex
	began     time.Time         // guarded by mu: zero before the first walk
	over      bool              // guarded by mu
	confirmed map[*listing]bool // guarded by mu
}

// ForAMoment is the same workspace for several looks at its names that belong together, such as those before a request: its walks ask once whether a
// folder changed, until end is called or 200 ms have passed since the first. What is made meanwhile may be missing from its lists. Files are read as ever.
func (w *Workspace) ForAMoment() (same *Workspace, end func()) {
	held := *w
	held.moment = &moment{confirmed: map[*listing]bool{}}
	return &held, held.moment.end
}

func (m *moment) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over, m.confirmed = true, nil
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
		m.over, m.confirmed = true, nil
	}
	return !m.over
}
