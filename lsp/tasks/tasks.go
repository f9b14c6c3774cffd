// Package tasks has the goroutines that a server must not leave behind.
package tasks

import "sync"

// Group is a group of goroutines that can be ended while others still start some, which a sync.WaitGroup does not
// allow. The zero value is ready. Its methods may be called concurrently.
type Group struct {
	running sync.WaitGroup

	mu    sync.Mutex
	ended bool // guarded by mu
}

// Go runs f in a goroutine. After End it runs nothing and returns false.
func (g *Group) Go(f func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended {
		return false
	}
	g.running.Go(f)
	return true
}

// End lets no goroutine start any more. It waits for none: see Wait.
func (g *Group) End() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
}

// Wait returns when all goroutines have ended, and lets no other one start.
func (g *Group) Wait() {
	g.End()
	g.running.Wait()
}
