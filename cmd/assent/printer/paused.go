package printer

import (
	"sync"

	"github.com/assent-ls/assent/agent/event"
)

// Paused holds events back while a question is on the screen, so that nothing is printed between it and its answer.
type Paused struct {
	Shown event.Sink

	mu    sync.Mutex // guards the fields below
	asks  bool
	later []event.Event
}

// Emit implements agent.Sink.
func (q *Paused) Emit(e event.Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.later = append(q.later, e)
	if _, over := e.(event.Finished); over || !q.asks {
		q.show()
	}
}

// Hold starts to hold events back, until Release or the end of the run.
func (q *Paused) Hold() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asks = true
}

// Release shows the events that were held back.
func (q *Paused) Release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asks = false
	q.show()
}

// show shows the events that wait; mu is held.
func (q *Paused) show() {
	for _, e := range q.later {
		q.Shown.Emit(e)
	}
	q.later = nil
}
