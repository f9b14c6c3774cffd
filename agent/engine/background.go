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

// background takes the turn at the model server for requests that nobody should wait for: they have no turn (ok is
// false) while others do, and end, by errWanted, once a run or another caller wants it. end gives the turn back.
func (e *Engine) background(ctx context.Context, limit time.Duration) (bounded context.Context, end func(), ok bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	ctx, stop := context.WithCancelCause(ctx)
	wanted := func() { stop(errWanted) }
	remove := e.Interruptible.Add(wanted) // before it has the turn, so that nobody who waits for that can miss it
	give, ok := e.TryTurn()
	if !ok {
		give = func() {}
	} else {
		go e.EndWhenWanted(ctx, wanted)
	}
	return ctx, func() { give(); remove(); cancel() }, ok
}

// EndWhenWanted ends a request once somebody waits for its turn: in another process, of which nobody is told, or in
// this one, if the request got the turn just before.
func (e *Engine) EndWhenWanted(ctx context.Context, end func()) {
	look := time.NewTicker(wantedPause)
	defer look.Stop()
	for !e.Queue.Wanted() {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
	end()
}

// interruptible are the requests that end when somebody else wants the model server.
type interruptible struct {
	mu   sync.Mutex
	ends map[int]func() // guarded by mu
	next int            // guarded by mu
}

func (s *interruptible) Add(end func()) (remove func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends == nil {
		s.ends = map[int]func(){}
	}
	n := s.next
	s.next++
	s.ends[n] = end
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.ends, n)
	}
}

func (s *interruptible) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, end := range s.ends {
		end()
	}
}

// Wait waits for a turn at the model server, and ends the requests that nobody should wait for.
func (e *Engine) Wait(ctx context.Context, r Requester, waiting func(first string)) (give func(), err error) {
	e.Interruptible.end()
	return e.Queue.Wait(ctx, r, waiting)
}
