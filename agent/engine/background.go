package engine

import (
	"context"
	"errors"
	"sync"
	"time"
)

// wantedPause is between two looks whether somebody waits.
const wantedPause = 100 * time.Millisecond

// errWanted ends a request that nobody should wait for.
var errWanted = errors.New("somebody else wants the model server")

// background takes the turn at the server of a model for requests that nobody should wait for: they have no turn (ok is
// false) while others do, and end, by errWanted, once a run or another caller wants it. end gives the turn back.
func (e *Engine) background(
	ctx context.Context, name string, limit time.Duration,
) (bounded context.Context, end func(), ok bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	ctx, stop := context.WithCancelCause(ctx)
	wanted := func() { stop(errWanted) }
	remove := e.InterruptibleAt(name, wanted) // before it has the turn, so that nobody who waits for that can miss it
	give, ok := e.TryTurn(name)
	if !ok {
		give = func() {}
	} else {
		go e.EndWhenWanted(ctx, name, wanted)
	}
	return ctx, func() { give(); remove(); cancel() }, ok
}

// EndWhenWanted ends a request to a model once somebody waits for its turn: in another process, of which nobody is
// told, or in this one, if the request got the turn just before.
func (e *Engine) EndWhenWanted(ctx context.Context, name string, end func()) {
	queue := e.QueueOf(name)
	look := time.NewTicker(wantedPause)
	defer look.Stop()
	for !queue.Wanted() {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
	end()
}

// interruptible are the requests that end when somebody else wants their model server.
type interruptible struct {
	mu   sync.Mutex
	ends map[int]interruption // guarded by mu
	next int                  // guarded by mu
}

type interruption struct {
	place string
	end   func()
}

// add takes note of a request at a place until remove is called.
func (s *interruptible) add(place string, end func()) (remove func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends == nil {
		s.ends = map[int]interruption{}
	}
	n := s.next
	s.next++
	s.ends[n] = interruption{place, end}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.ends, n)
	}
}

func (s *interruptible) end(place string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range s.ends {
		if of.place == place {
			of.end()
		}
	}
}

// InterruptibleAt has a request to a model ended once somebody else wants its server, until remove is called.
func (e *Engine) InterruptibleAt(name string, end func()) (remove func()) {
	place, _ := e.place(name)
	return e.interruptible.add(place, end)
}

// Wait waits for a turn at the server of a model, and ends the requests there that nobody should wait for.
func (e *Engine) Wait(
	ctx context.Context, name string, r Requester, waiting func(first string),
) (give func(), err error) {
	place, width := e.place(name)
	queue := e.queues.at(place, width)
	if width > 1 {
		if give, ok := queue.Try(r); ok { // there is room beside them
			return give, nil
		}
	}
	e.interruptible.end(place)
	return queue.Wait(ctx, r, waiting)
}
