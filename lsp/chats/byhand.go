package chats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/agent/byhand"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/tools"
)

// prepared is a call by hand that a menu shows: its action names it by an opaque id.
type prepared struct {
	call  *byhand.Call
	of    string         // the id of the call of which all rows are wanted; empty: it is a written call
	wrote parsed.Written // of a written call
}

// handCalls are the calls of a chat that a person makes: those that menus offer, and the one that runs.
type handCalls struct {
	chat *Chat

	mu       sync.Mutex
	prepared map[string]prepared // guarded by mu, by the id in menus
	running  *handRun            // guarded by mu: the call that runs; nil: none does
}

const maxByHand = 100

// offer keeps a prepared call until a menu's action names it.
func (h *handCalls) offer(id string, p prepared) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.prepared) >= maxByHand {
		clear(h.prepared) // menus that are gone
	}
	h.prepared[id] = p
}

// OfferWritten keeps a written call, prepared, until a menu's action names it by an id.
func (c *Chat) OfferWritten(id string, w parsed.Written, call *byhand.Call) {
	c.hand.offer(id, prepared{call: call, wrote: w})
}

// WriteCall puts a call into the chat for the person to complete and to run: at the end of the last `## You`. It runs
// nothing.
func (c *Chat) WriteCall(ctx context.Context, tool string, arguments json.RawMessage) error {
	if c.Session.Running() {
		return session.ErrBusy
	}
	select { // the last words of the reply may be on their way
	case <-c.Session.Done():
	case <-ctx.Done():
		return ctx.Err()
	}
	view := c.View()
	if _, ok := view.Unsent(); !ok {
		return errors.New("this chat does not end in a `## You`, where a call could go: add one")
	}
	text, err := parsed.CallText(tool, arguments)
	if err != nil {
		return err
	}
	if err := writeAtEnd(ctx, c, view, text); err != nil {
		return err
	}
	c.Chats.Host.Show(ctx, c.uri, view.Lines(view.End())+2)
	return nil
}

// writeAtEnd writes a text below the last words of the chat. The last line end stays.
func writeAtEnd(ctx context.Context, c *Chat, view parsed.View, text string) error {
	end := view.End()
	rest := strings.TrimSuffix(view.From(end), "\n")
	return c.write(ctx, view, documents.Span{Start: end, End: end + len(rest)}, "\n\n"+text)
}

// write puts a text in the place of a part of the chat.
func (c *Chat) write(ctx context.Context, view parsed.View, at documents.Span, text string) error {
	writer, ok := c.Chats.Writer(c.uri)
	if !ok {
		return errNotOpen
	}
	ctx, cancel := context.WithTimeout(ctx, editTime)
	defer cancel()
	return writer.ReplaceIn(ctx, view.Snapshot, at, view.Slice(at.Start, at.End), text)
}

// handQuestion is what is asked about a call by hand under an id.
func (h *handCalls) question(id string) (event.Question, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, ok := h.prepared[id]
	if !ok {
		return event.Question{}, false
	}
	return p.call.Question()
}

// asked reports whether a question is about a call by hand that does not run yet.
func (h *handCalls) asked(id string) bool {
	_, ok := h.question(id)
	return ok
}

// take gives the call that a menu named by its id, once, and begins it. ErrBusy: another one runs, or a model writes.
func (h *handCalls) take(id string) (p prepared, r *handRun, ctx context.Context, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, ok := h.prepared[id]
	switch {
	case !ok:
		return p, nil, nil, ErrGone
	case h.running != nil || h.chat.Session.Running():
		return p, nil, nil, session.ErrBusy
	}
	delete(h.prepared, id)
	ctx, cancel := context.WithCancel(h.chat.Chats.ctx)
	h.running = &handRun{chat: h.chat, call: p.call.Prepared().Call, cancel: cancel}
	return p, h.running, ctx, nil
}

// RunByHand runs a call by hand that a menu named by its id, with the answer to its question if it has one, and shows
// its result. It returns when the call is begun.
func (cs *Chats) RunByHand(id string, answer event.Answer) error {
	for _, chat := range cs.All() {
		p, r, ctx, err := chat.hand.take(id)
		switch {
		case errors.Is(err, ErrGone):
			continue
		case err != nil:
			return err
		}
		if !cs.tasks.Go(func() { chat.hand.run(ctx, r, p, answer) }) {
			r.cancel()
			chat.hand.ended()
			return session.ErrEnded
		}
		return nil
	}
	return ErrGone
}

// run runs the call that was begun.
func (h *handCalls) run(ctx context.Context, r *handRun, p prepared, answer event.Answer) {
	defer r.cancel()
	r.shown = h.chat.Chats.Host.Progress(visible.Line("Assent: "+r.call.Name), r.stop)
	h.place(r, p)
	h.chat.refresh()
	result, err := h.chat.Session.RunByHand(ctx, p.call, answer, r)
	r.end()
	sentence := "Done"
	if err == nil {
		err = h.show(h.chat.Chats.ctx, r, p, result)
	}
	r.below.close()
	h.ended()
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		sentence = "Stopped before it began"
	default:
		sentence = "Not run"
		h.chat.say(Error, err.Error())
	}
	r.shown.End(sentence)
}

// ended takes the call that runs away: it is over.
func (h *handCalls) ended() {
	h.mu.Lock()
	h.running = nil
	h.mu.Unlock()
	h.chat.refresh()
}

// runs is the call that runs; nil: none does.
func (h *handCalls) runs() *handRun {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.running
}

// HandRuns reports whether a written call runs.
func (c *Chat) HandRuns() bool { return c.hand.runs() != nil }

func lastLine(text string) string {
	text = strings.TrimRight(text, "\r\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// place finds where in the chat a call is, and opens the place below it.
func (h *handCalls) place(r *handRun, p prepared) {
	view := h.chat.View()
	at := view.BelowWritten(p.wrote)
	r.where = func(view parsed.View) (transcript.Span, bool) { return r.below.calledAt(view, p.wrote) }
	if p.of != "" {
		if result, ok := view.Result(p.of); ok {
			at = result.Span.End
		}
		r.where = func(view parsed.View) (transcript.Span, bool) { return view.CallSpan(p.of) }
	}
	r.below = openBelow(h.chat, view, at)
}

// show shows the result of a call: rows in a document of their own, else below the call.
func (h *handCalls) show(ctx context.Context, r *handRun, p prepared, result tools.Result) error {
	if p.of != "" {
		return h.showRows(ctx, p.of, result)
	}
	return h.showResult(ctx, r, p.wrote, result)
}

// showResult puts a result below the call, or at the end of the chat if the call is no longer there: what ran is never
// lost.
func (h *handCalls) showResult(ctx context.Context, r *handRun, w parsed.Written, result tools.Result) error {
	status := transcript.OK
	switch {
	case result.Stopped:
		status = transcript.Stopped
	case result.Failed:
		status = transcript.Failed
	}
	text := parsed.Fenced(fmt.Sprintf("result %s %s %v", w.Tool, status, result.Took.Round(time.Millisecond)), result.Text())
	rest, err := r.below.end(ctx, text)
	if err == nil && rest != "" {
		view := h.chat.View()
		at := view.BelowWritten(w)
		err = h.chat.write(ctx, view, documents.At(at), "\n\n"+rest)
	}
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case h.chat.closed():
		return fmt.Errorf(
			"this chat was closed while %s ran, so it was stopped, and its result is not in the chat", r.call.Name,
		)
	}
	h.chat.Chats.Host.ShowText(ctx, nameOf(h.chat, "result-"+plainName(r.call.Name), text), text)
	return fmt.Errorf(
		"the result of %s is shown by itself, since it cannot be written into the chat: %s", r.call.Name, reason(err),
	)
}
