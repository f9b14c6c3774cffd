package agenttest

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Recorder is a sink that records every event; a *Recorder[agent.Event] is an agent.Sink. (It names no type of the
// agent, so that the agent's own tests can use it.) It may be read while a run writes to it. The zero value is ready.
type Recorder[E any] struct {
	mu      sync.Mutex // guards what follows
	events  []E
	changed chan struct{} // made by WaitFor, closed by the next event
}

// Emit keeps an event.
func (r *Recorder[E]) Emit(e E) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// Events lists what was emitted so far, in order.
func (r *Recorder[E]) Events() []E {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

// Of picks the events of one type: Of[agent.TextDelta](recorder).
func Of[T, E any](r *Recorder[E]) []T {
	var picked []T
	for _, e := range r.Events() {
		if typed, ok := any(e).(T); ok {
			picked = append(picked, typed)
		}
	}
	return picked
}

// EndsWithOne reports an error unless the last event is a T, and no other is: the contract of agent.Finished.
func EndsWithOne[T, E any](r *Recorder[E]) error {
	events := r.Events()
	for i, e := range events {
		_, ok := any(e).(T)
		if last := i == len(events)-1; ok != last {
			return fmt.Errorf("event %d of %d is %T; exactly the last must be %T", i+1, len(events), e, *new(T))
		}
	}
	if len(events) == 0 {
		return fmt.Errorf("no event was emitted, not even %T", *new(T))
	}
	return nil
}

// WaitFor returns the first event of a type that matches, as soon as there is one; a nil match takes any. Events that
// were emitted before count. It does not poll.
func WaitFor[T, E any](ctx context.Context, r *Recorder[E], match func(T) bool) (T, error) {
	seen := 0
	for {
		r.mu.Lock()
		fresh := r.events[seen:]
		seen = len(r.events)
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		changed := r.changed
		r.mu.Unlock()
		for _, e := range fresh {
			if typed, ok := any(e).(T); ok && (match == nil || match(typed)) {
				return typed, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			var none T
			return none, fmt.Errorf("no matching %T among %d events: %w", none, seen, ctx.Err())
		}
	}
}
