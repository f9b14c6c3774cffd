package mcp

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// askAgain is how long a server that does not give a list is not asked for it again while somebody types.
const askAgain = 30 * time.Second

// onDemand is a list of a server that is asked for when somebody needs it, and again when the server says that it
// changed.
type onDemand[T any] struct {
	changed atomic.Bool // since it was asked for

	mu     sync.Mutex
	all    []T           // guarded by mu
	asked  bool          // guarded by mu
	failed time.Time     // guarded by mu: when it could not be had
	asking chan struct{} // guarded by mu: closed when the server has answered; nil: nobody asks it now
}

// get is the list; what was known before if it cannot be had. It waits no longer than ctx, also while somebody else
// asks the server.
func (l *onDemand[T]) get(ctx context.Context, list func(context.Context) ([]T, error)) []T {
	for {
		l.mu.Lock()
		if l.asked && !l.changed.Load() || time.Since(l.failed) < askAgain || ctx.Err() != nil {
			defer l.mu.Unlock()
			return l.all
		}
		others := l.asking
		if others == nil {
			break
		}
		l.mu.Unlock()
		select {
		case <-others:
		case <-ctx.Done():
		}
	}
	over := make(chan struct{})
	l.asking = over
	l.mu.Unlock()
	l.changed.Store(false)
	all, err := list(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	defer close(over)
	l.asking = nil
	switch {
	case err == nil:
		l.all, l.asked = all, true
	case errors.Is(ctx.Err(), context.Canceled):
		// whoever asked does not want it any more, which says nothing of the server
		l.asked = false
	default:
		l.asked, l.failed = false, time.Now()
	}
	return l.all
}

// retry lets a server be asked again that failed: a person needs the list now.
func (l *onDemand[T]) retry() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = time.Time{}
}
