package tasks_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assent-ls/assent/lsp/tasks"
)

// Goroutines may be started while others wait for the end: each one either runs before Wait returns, or not at all.
func TestGoroutinesStartedAtTheEnd(t *testing.T) {
	for range 200 {
		var group tasks.Group
		var started, done atomic.Int32
		var starting sync.WaitGroup
		for range 4 {
			starting.Go(func() {
				for group.Go(func() { done.Add(1) }) {
					started.Add(1)
				}
			})
		}
		group.Go(func() {})
		group.Wait()
		before := done.Load()
		starting.Wait()
		if before != done.Load() || before != started.Load() {
			t.Fatalf("%d had ended, %d did, %d were started", before, done.Load(), started.Load())
		}
	}
}

// A goroutine of a group may start another one, which Wait waits for unless it began first.
func TestAGoroutineStartsAnother(t *testing.T) {
	var group tasks.Group
	var done bool
	began := make(chan struct{})
	group.Go(func() {
		group.Go(func() { done = true })
		close(began)
	})
	<-began
	group.Wait()
	if !done {
		t.Error("it was not waited for")
	}
	if group.Go(func() { t.Error("it ran") }) {
		t.Error("it says that it runs")
	}
}
