package mcp

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errTime says that a call took too long.
var errTime = errors.New("the time of the call is over")

// clock ends a call when its time is over. It stands still while a person is asked.
type clock struct {
	mu    sync.Mutex
	timer *time.Timer   // guarded by mu
	since time.Time     // guarded by mu: when it began to run last
	left  time.Duration // guarded by mu: from since on
	held  int           // guarded by mu: how many ask
}

// newClock runs until stop is called. When limit is over it ends the context, with errTime as the cause.
func newClock(ctx context.Context, limit time.Duration) (running context.Context, c *clock, stop func()) {
	running, end := context.WithCancelCause(ctx)
	c = &clock{since: time.Now(), left: limit, timer: time.AfterFunc(limit, func() { end(errTime) })}
	return running, c, func() {
		c.timer.Stop()
		end(nil)
	}
}

// hold stops the clock until the returned function is called.
func (c *clock) hold() (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held++; c.held == 1 && c.timer.Stop() {
		c.left -= time.Since(c.since)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.held--; c.held == 0 {
			c.since = time.Now()
			c.timer.Reset(max(c.left, 0))
		}
	}
}
