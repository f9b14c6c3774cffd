package engine

import (
	"sync"

	"github.com/assent-ls/assent/agent/model"
)

// queues has a queue for each model server. It is safe for concurrent use.
type queues struct {
	mu   sync.Mutex
	make func(place string, width int) Queue // guarded by mu
	of   map[string]placedQueue              // guarded by mu, by place
}

type placedQueue struct {
	Queue

	width int
}

func newQueues() *queues {
	return &queues{make: func(_ string, width int) Queue { return NewQueue(width) }, of: map[string]placedQueue{}}
}

func (q *queues) at(place string, width int) Queue {
	q.mu.Lock()
	defer q.mu.Unlock()
	// who is in a queue stays there: a server tells how wide it is once, before the first chat
	if found, ok := q.of[place]; ok && found.width == width {
		return found.Queue
	}
	q.of[place] = placedQueue{q.make(place, width), width}
	return q.of[place].Queue
}

// UseQueues makes the queue of each model server, in the place of those of this agent alone. It is called before the
// first run. width is how many requests the server answers at once.
func (e *Engine) UseQueues(of func(place string, width int) Queue) {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	e.queues.make = of
}

// UseQueue takes one queue for all model servers.
func (e *Engine) UseQueue(q Queue) { e.UseQueues(func(string, int) Queue { return q }) }

// place is where a model is asked, and how many requests are answered there at once. It asks nobody.
func (e *Engine) place(name string) (place string, width int) {
	if several, ok := e.backend.(model.Placed); ok {
		return several.Place(name)
	}
	return "", 1
}

// QueueOf is the queue of the server that has a model: who has its turn may send a request there.
func (e *Engine) QueueOf(name string) Queue { return e.queues.at(e.place(name)) }
