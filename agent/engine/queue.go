package engine

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/assent-ls/assent/internal/visible"
)

// Requester says who wants to ask the model server something.
type Requester struct {
	Chat  string // the chat whose reply it is; empty: none
	Later bool   // chats go first
	Loads bool   // it only loads a model
}

// laterBy is by how much a request that goes later is put back in the queue: whoever comes within that time goes first,
// and after it nobody does, so that it is held up for no longer than others are who wait in the queue.
const laterBy = time.Minute

// Yields is for how long others go before a requester, counted from when it asks.
func (r Requester) Yields() time.Duration {
	if r.Later {
		return laterBy
	}
	return 0
}

// For says for people what a requester wants the turn for.
func (r Requester) For() string {
	switch {
	case r.Loads:
		return "loading of a model"
	case r.Chat == "":
		return "request"
	}
	return "reply in " + visible.Line(filepath.Base(r.Chat))
}

// Queue gives turns at a model server, one at a time: two models at once on one machine are far slower than one after
// the other. It is safe for concurrent use.
type Queue interface {
	// Wait waits for a turn, in the order of asking, but for [Requester.Yields]. While another one has it, it calls
	// waiting, from the caller's goroutine, with what it is for, such as "the reply in a.chat.md"; again when that is
	// something else.
	Wait(ctx context.Context, r Requester, waiting func(first string)) (give func(), err error)
	// Try is Wait for a requester that does not wait: ok is false if others have the turn or wait for it.
	Try(r Requester) (give func(), ok bool)
	// Wanted reports whether somebody waits for a turn and is due.
	Wanted() bool
}

// UseQueue takes another queue in the place of the one of this agent alone. It is called before the first run.
func (e *Engine) UseQueue(q Queue) { e.Queue = q }

// NewQueue is the queue of one process.
func NewQueue() Queue { return &ownQueue{} }

type ownQueue struct {
	mu    sync.Mutex
	busy  *Requester // guarded by mu: who has the turn; nil: nobody
	waits []waits    // guarded by mu, in the order of their turns
}

type waits struct {
	due  time.Time
	who  Requester
	turn chan struct{} // closed when it has the turn
}

// Try implements Queue.
func (q *ownQueue) Try(r Requester) (give func(), ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy != nil {
		return nil, false
	}
	q.busy = &r
	return sync.OnceFunc(q.next), true
}

// Wanted implements Queue.
func (q *ownQueue) Wanted() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waits) > 0 && !q.waits[0].due.After(time.Now())
}

// Wait implements Queue.
func (q *ownQueue) Wait(ctx context.Context, r Requester, waiting func(first string)) (give func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	turn, first := q.join(r)
	if first != "" {
		waiting(first)
	}
	select {
	case <-turn:
		return sync.OnceFunc(q.next), nil
	case <-ctx.Done():
		if !q.leave(turn) { // it was given the turn meanwhile
			q.next()
		}
		return nil, ctx.Err()
	}
}

// join takes a place in the queue, and says who has the turn.
func (q *ownQueue) join(r Requester) (turn chan struct{}, first string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	turn = make(chan struct{})
	if q.busy == nil {
		q.busy = &r
		close(turn)
		return turn, ""
	}
	due := time.Now().Add(r.Yields()) // a clock that is set changes nothing: it is compared by the monotonic one
	at, _ := slices.BinarySearchFunc(q.waits, due, func(w waits, due time.Time) int {
		if w.due.After(due) {
			return 1
		}
		return -1 // behind all that are due at the same time
	})
	q.waits = slices.Insert(q.waits, at, waits{due, r, turn})
	return turn, "the " + q.busy.For()
}

// leave gives up a place in the queue; false: there was none any more.
func (q *ownQueue) leave(turn chan struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	before := len(q.waits)
	q.waits = slices.DeleteFunc(q.waits, func(w waits) bool { return w.turn == turn })
	return len(q.waits) < before
}

// next gives the turn to the first who waits.
func (q *ownQueue) next() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waits) == 0 {
		q.busy = nil
		return
	}
	first := q.waits[0]
	q.waits = slices.Delete(q.waits, 0, 1)
	q.busy = &first.who
	close(first.turn)
}
