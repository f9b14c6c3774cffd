package mcp

import (
	"context"
	"sync"
	"sync/atomic"
)

// onDemand is a list of a server that is asked for when somebody needs it, and again when the server says that it changed.
type onDemand[T any] struct {
	changed atomic.Bool // since it was asked for

	mu    sync.Mutex // held while the server is asked: once is enough
	all   []T        // guarded by mu
	asked bool       // guarded by mu
}

// get is the list; what was known before if it cannot be had.
func (l *onDemand[T]) get(ctx context.Context, list func(context.Context) ([]T, error)) []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked && !l.changed.Swap(false) {
		return l.all
	}
	if all, err := list(ctx); err == nil {
		l.all, l.asked = all, true
	} else {
		l.asked = false
	}
	return l.all
}
