package lsp

import (
	"time"
)

// statePause is the time between two notifications of the state of the chats, unless something waits for an answer.
const statePause = 250 * time.Millisecond

// stateFeed sends the state of the chats to a client that takes it, after each change, from a goroutine of its own.
type stateFeed struct {
	wake   chan struct{}
	urgent chan struct{} // ends a pause
}

func newStateFeed() stateFeed { return stateFeed{make(chan struct{}, 1), make(chan struct{}, 1)} }

// mark says that the state may have changed.
func (f stateFeed) mark() { signal(f.wake) }

// urge says that something may wait for an answer now. That is told without a pause: a person who sees a diagnostic
// about it acts on it.
func (f stateFeed) urge() {
	f.mark()
	signal(f.urgent)
}

// signal wakes a goroutine by a channel with room for one; it may be awake already.
func signal(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}
