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

// Queue gives turns at a model server, as many at a time as it has slots. Of one that does not say, that is one: two
// models at once on one machine are far slower than one after the other. It is safe for concurrent use.
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

// NewQueue is the queue of one process for a server that answers so many requests at once.
func NewQueue(width int) Queue { return &ownQueue{width: max(width, 1)} }

type ownQueue struct {
	width int

	mu    sync.Mutex
	busy  []*turn // guarded by mu: who has one, at most width
	waits []*turn // guarded by mu, in the order of their turns
}

// turn is one that somebody has or waits for.
type turn struct {
	due   time.Time
	who   Requester
	given chan struct{} // closed when it is given
}

// Try implements Queue.
func (q *ownQueue) Try(r Requester) (give func(), ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.busy) >= q.width {
		return nil, false
	}
	t := &turn{who: r}
	q.busy = append(q.busy, t)
	return sync.OnceFunc(func() { q.end(t) }), true
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
	t, first := q.join(r)
	if first != "" {
		waiting(first)
	}
	select {
	case <-t.given:
		return sync.OnceFunc(func() { q.end(t) }), nil
	case <-ctx.Done():
		if !q.leave(t) { // it was given meanwhile
			q.end(t)
		}
		return nil, ctx.Err()
	}
}

// join takes a place in the queue, and says who has a turn.
func (q *ownQueue) join(r Requester) (t *turn, first string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	// a clock that is set changes nothing: due is compared by the monotonic one
	t = &turn{due: time.Now().Add(r.Yields()), who: r, given: make(chan struct{})}
	if len(q.busy) < q.width {
		q.busy = append(q.busy, t)
		close(t.given)
		return t, ""
	}
	at, _ := slices.BinarySearchFunc(q.waits, t.due, func(other *turn, due time.Time) int {
		if other.due.After(due) {
			return 1
		}
		return -1 // behind all that are due at the same time
	})
	q.waits = slices.Insert(q.waits, at, t)
	return t, "the " + q.busy[0].who.For()
}

// leave gives up a place in the queue; false: there was none any more.
func (q *ownQueue) leave(t *turn) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.Index(q.waits, t)
	if at >= 0 {
		q.waits = slices.Delete(q.waits, at, at+1)
	}
	return at >= 0
}

// end ends a turn, and gives one to the first who waits.
func (q *ownQueue) end(t *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy = slices.DeleteFunc(q.busy, func(other *turn) bool { return other == t })
	if len(q.waits) == 0 {
		return
	}
	first := q.waits[0]
	q.waits = slices.Delete(q.waits, 0, 1)
	q.busy = append(q.busy, first)
	close(first.given)
}
