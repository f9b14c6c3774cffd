package lsp

import (
	"context"
	"sync"
	"time"

	"github.com/assent-ls/assent/lsp/documents"
)

const (
	typingPause = 50 * time.Millisecond  // after the last change of a document until its diagnostics are made
	typingLimit = 250 * time.Millisecond // after the first, however long somebody types
)

// diagnostics publishes the diagnostics of chats from a goroutine of its own, so that no keystroke waits for them:
// those of a document that somebody types in follow in the pauses. A document that changes meanwhile is published
// again.
type diagnostics struct {
	publish func(uri string)

	mu    sync.Mutex
	dirty map[string]outdated // guarded by mu, by documents.Key
	wake  chan struct{}
}

// outdated is a document whose diagnostics may have changed.
type outdated struct {
	uri   string
	first time.Time // when the first change that was not published came
	due   time.Time
}

func newDiagnostics(publish func(uri string)) *diagnostics {
	return &diagnostics{publish: publish, dirty: map[string]outdated{}, wake: make(chan struct{}, 1)}
}

// mark says that the diagnostics of a document may have changed, and someone waits to see it.
func (d *diagnostics) mark(uri string) { d.note(uri, 0) }

// typed says that the text of a document changed.
func (d *diagnostics) typed(uri string) { d.note(uri, typingPause) }

func (d *diagnostics) note(uri string, pause time.Duration) {
	now := time.Now()
	d.mu.Lock()
	o, waits := d.dirty[documents.Key(uri)]
	switch {
	case !waits:
		o = outdated{first: now, due: now.Add(pause)}
	case pause == 0:
		o.due = now
	case o.due.After(now): // else it is published at once
		o.due = now.Add(min(pause, typingLimit-now.Sub(o.first)))
	}
	o.uri = uri
	d.dirty[documents.Key(uri)] = o
	d.mu.Unlock()
	if waits && pause > 0 {
		return // the goroutine looks again when it was due before
	}
	signal(d.wake)
}

// run publishes until ctx is done.
func (d *diagnostics) run(ctx context.Context) {
	timer := time.NewTimer(typingPause)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.wake:
		case <-timer.C:
		}
		due, next := d.take(time.Now())
		for _, uri := range due {
			d.publish(uri)
		}
		timer.Stop()
		if !next.IsZero() {
			timer.Reset(time.Until(next))
		}
	}
}

// take removes the documents that are due, and says when the next one is; zero if none waits.
func (d *diagnostics) take(now time.Time) (due []string, next time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, o := range d.dirty {
		switch {
		case !o.due.After(now):
			delete(d.dirty, key)
			due = append(due, o.uri)
		case next.IsZero() || o.due.Before(next):
			next = o.due
		}
	}
	return due, next
}
