package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// outboxRoom is how many bytes may wait to be written before senders have to wait too.
const outboxRoom = 8 << 20

var errClosed = errors.New("the connection to the editor is closed")

// outbox holds what waits to be written to an editor, so that an editor that stops reading stops nobody who must go
// on (the reader, a run that is being stopped). It stays bounded because every sender first waits for room, with its
// own time limit, and because news of one thing (progress, diagnostics of a file) replace older news still waiting.
type outbox struct {
	w io.Writer

	mu     sync.Mutex // guards the fields below
	queue  []outgoing
	bytes  int           // of the queue, and reserved
	err    error         // set once, when writing ended
	change chan struct{} // closed and replaced at every change
	busy   bool          // a message is being written
}

type outgoing struct {
	key  string
	data []byte
}

func newOutbox(w io.Writer) *outbox {
	return &outbox{w: w, change: make(chan struct{})}
}

// run writes until the outbox is closed or the writer fails.
func (o *outbox) run() {
	for {
		next, ok := o.take()
		if !ok {
			return
		}
		header := fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(next.data))
		// One write: two would be two packets, and some clients read slowly.
		_, err := o.w.Write(append(header, next.data...))
		o.mu.Lock()
		o.busy = false
		if err != nil && o.err == nil {
			o.err = fmt.Errorf("writing to the editor: %w", err)
		}
		o.changed()
		o.mu.Unlock()
	}
}

// take waits for the next message; false: the outbox is closed.
func (o *outbox) take() (outgoing, bool) {
	for {
		o.mu.Lock()
		if o.err != nil {
			o.mu.Unlock()
			return outgoing{}, false
		}
		if len(o.queue) > 0 {
			next := o.queue[0]
			o.queue[0] = outgoing{}
			o.queue = o.queue[1:]
			o.bytes -= len(next.data)
			o.busy = true
			o.changed()
			o.mu.Unlock()
			return next, true
		}
		change := o.change
		o.mu.Unlock()
		<-change
	}
}

// put queues a message, in place of one with the same key that still waits, unless the key is empty.
func (o *outbox) put(key string, data []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return o.err
	}
	same := -1
	if key != "" {
		same = slices.IndexFunc(o.queue, func(q outgoing) bool { return q.key == key })
	}
	if same >= 0 {
		o.bytes += len(data) - len(o.queue[same].data)
		o.queue[same].data = data
	} else {
		o.bytes += len(data)
		o.queue = append(o.queue, outgoing{key, data})
	}
	o.changed()
	return nil
}

// await blocks until try, which is called with mu held, succeeds, or the outbox is closed, or ctx is done.
func (o *outbox) await(ctx context.Context, try func() bool) error {
	for {
		o.mu.Lock()
		err, change := o.err, o.change
		done := err == nil && try()
		o.mu.Unlock()
		if done || err != nil {
			return err
		}
		select {
		case <-change:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// room waits until there is room for another message.
func (o *outbox) room(ctx context.Context) error {
	return o.await(ctx, func() bool { return o.bytes < outboxRoom })
}

// reserve waits until there is room and takes size bytes of it, until the returned function is called. It is for those
// who are many and send much.
func (o *outbox) reserve(ctx context.Context, size int) (release func(), err error) {
	err = o.await(ctx, func() bool {
		ok := o.bytes < outboxRoom
		if ok {
			o.bytes += size
		}
		return ok
	})
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.bytes -= size
		o.changed()
	}, err
}

// flush waits until everything is written.
func (o *outbox) flush(ctx context.Context) error {
	return o.await(ctx, func() bool { return len(o.queue) == 0 && !o.busy })
}

func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = errClosed
	}
	o.changed()
}

// changed wakes all who wait; mu is held.
func (o *outbox) changed() {
	close(o.change)
	o.change = make(chan struct{})
}
