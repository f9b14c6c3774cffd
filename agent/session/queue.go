package session

import (
	"context"
	"sync"
	"time"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/userstate"
)

// queuePause is between two attempts to get the turn. Processes are not told when it is their turn, they look.
const queuePause = 20 * time.Millisecond

// Queue is the queue for a model server, which answers so many requests at once, in which all processes of the user are. Where there can be none, because the
// state folder cannot be written, a process waits for its own requests alone, and warn gets why, once.
func Queue(state *userstate.State, server string, width int, warn func(error)) engine.Queue {
	var once sync.Once
	return queue{state.Queue(server, width), engine.NewQueue(width), func(err error) {
		once.Do(func() { warn(err) })
	}}
}

type queue struct {
	*userstate.Queue
	own    engine.Queue
	broken func(error)
}

// Try implements agent.Queue.
func (q queue) Try(r engine.Requester) (give func(), ok bool) {
	give, _, err := q.Place(r.Yields()).Try(r.For())
	if err != nil {
		q.broken(err)
		return q.own.Try(r)
	}
	return give, give != nil
}

// Wanted implements agent.Queue.
func (q queue) Wanted() bool { return q.own.Wanted() || q.Queue.Wanted() }

// Wait implements agent.Queue.
func (q queue) Wait(ctx context.Context, r engine.Requester, waiting func(first string)) (give func(), err error) {
	place, told := q.Place(r.Yields()), ""
	defer place.Leave()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		give, first, err := place.Try(r.For())
		if err == nil && give == nil {
			err = place.Stay()
		}
		if err != nil {
			q.broken(err)
			return q.own.Wait(ctx, r, waiting)
		}
		if give != nil {
			return give, nil
		}
		if first == "" && told == "" {
			first = "another program's request"
		}
		if first != "" && first != told {
			told = first
			waiting(visible.Line(first))
		}
		select {
		case <-time.After(queuePause):
		case <-ctx.Done():
		}
	}
}
