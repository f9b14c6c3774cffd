package chats

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/documents"
)

// below is the place below a call by hand, at which what it asks and its result are written. It moves with the call.
type below struct {
	chat   *Chat
	stream *documents.Stream // nil: the document takes no text

	mu   sync.Mutex
	made map[string]bool // guarded by mu: blocks that were made for a person to write in
}

// openBelow opens the place at an offset of a view.
func openBelow(c *Chat, view parsed.View, at int) *below {
	b := &below{chat: c, made: map[string]bool{}}
	writer, ok := c.Chats.Writer(c.uri)
	if !ok {
		return b
	}
	stream, err := writer.StreamIn(view.Snapshot, at)
	if err != nil {
		c.Chats.Log.Info("nothing can be written below a call by hand", "error", err)
		return b
	}
	b.stream = stream
	return b
}

// append writes a block below what is there. It waits for nothing.
func (b *below) append(block string) {
	if b.stream != nil {
		b.stream.Append("\n\n" + strings.TrimRight(block, "\n"))
	}
}

// note writes a text for people.
func (b *below) note(kind, text string) {
	b.append(transcript.NewWriter("").Context(transcript.Context{Name: kind, Text: text, NotSent: true}))
}

// reason makes a block for the reason of a no, unless one is on its way.
func (b *below) reason(id string) { b.make("reason "+id, transcript.NewWriter("").Reason(id)) }

// answer makes a block for an answer, unless one is on its way.
func (b *below) answer(q event.Question) {
	b.make("answer "+q.InAnswer(), transcript.NewWriter("").Answer(q.InAnswer(), parsed.FormText(q)))
}

func (b *below) make(name, block string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.made[name] && b.stream != nil && b.stream.Unwritten() != "" {
		return
	}
	b.made[name] = true
	b.append(block)
}

// flush waits until the editor has shown all that was written.
func (b *below) flush(ctx context.Context) error {
	if b.stream == nil {
		return errors.New("this document takes no text now")
	}
	return b.stream.Flush(ctx)
}

// calledAt is the call by hand that the place is below, which had this text.
func (b *below) calledAt(view parsed.View, was parsed.Written) (at transcript.Span, ok bool) {
	if b.stream != nil {
		if w, ok := view.WrittenAbove(b.stream.Start()); ok {
			return w.Span, true
		}
	}
	w, ok := view.SameWritten(was) // the view may be older than the place
	return w.Span, ok
}

// close writes nothing more.
func (b *below) close() {
	if b.stream != nil {
		b.stream.Close()
	}
}

// end writes the last block and closes the place. rest is what the document does not have: the stream lost its place,
// and it may be written anew; empty: all is there. After an error it is not known what is there.
func (b *below) end(ctx context.Context, block string) (rest string, err error) {
	if b.stream == nil {
		return block, nil
	}
	defer b.close()
	b.append(block)
	err = b.stream.Drain(ctx, flushTime, busyTime)
	if err == nil {
		return "", nil
	}
	lost, ok := errors.AsType[*documents.UnwrittenError](err)
	if !ok || lost.Unknown != "" || ctx.Err() != nil {
		return "", err
	}
	return strings.Trim(lost.Text, "\n"), nil
}
