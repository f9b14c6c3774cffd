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
	of    string // the id of the call of which all rows are wanted; empty: it is a written call
	ended func(context.Context, tools.Result) error
}

// handCalls are the calls of a chat that a person makes: those that menus offer, and the one that runs.
type handCalls struct {
	chat *Chat

	mu       sync.Mutex
	prepared map[string]prepared // guarded by mu, by the id in menus
	stop     func()              // guarded by mu: stops the call that runs; nil: none does
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
	c.hand.offer(
		id,
		prepared{
			call: call, ended: func(ctx context.Context, r tools.Result) error { return c.hand.showResult(ctx, w, r) },
		},
	)
}

// WriteCall puts a call into the chat for the person to complete and to run: at the end of the last `## You`. It runs
// nothing.
func (c *Chat) WriteCall(ctx context.Context, tool string, arguments json.RawMessage) error {
	if !c.Idle() {
		return session.ErrBusy
	}
	view := c.View()
	last := view.Chat.LastYou()
	if last < 0 || last != len(view.Chat.Turns)-1 {
		return errors.New("this chat does not end in a `## You`, where a call could go: add one")
	}
	text, err := CallText(tool, arguments)
	if err != nil {
		return err
	}
	before := strings.TrimRight(view.Slice(0, view.Text.Len()), " \t\r\n")
	rest := strings.TrimSuffix(view.From(len(before)), "\n")
	if err := c.write(
		ctx, view, documents.Span{Start: len(before), End: len(before) + len(rest)}, rest, "\n\n"+text,
	); err != nil {
		return err
	}
	c.Chats.Host.Show(ctx, c.uri, strings.Count(before, "\n")+2)
	return nil
}

// CallText is a call as a person writes it; without a tool it has a place for the name.
func CallText(tool string, arguments json.RawMessage) (string, error) {
	body := ""
	if len(arguments) > 0 {
		var err error
		if body, err = transcript.FormatArguments(arguments); err != nil {
			return "", fmt.Errorf("the arguments are no JSON object: %w", err)
		}
	}
	return Fenced("tool "+tool, body), nil
}

// Fenced is a block whose fence its text cannot close.
func Fenced(info, text string) string {
	ticks := transcript.Fence(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return ticks + info + "\n" + text + ticks
}

func (c *Chat) write(ctx context.Context, view parsed.View, at documents.Span, before, after string) error {
	writer, ok := c.Chats.Writer(c.uri)
	if !ok {
		return errNotOpen
	}
	ctx, cancel := context.WithTimeout(ctx, editTime)
	defer cancel()
	return writer.ReplaceIn(ctx, view.Snapshot, at, before, after)
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

// wrote reports whether a question is about a call by hand.
func (h *handCalls) asked(id string) bool {
	_, ok := h.question(id)
	return ok
}

// take gives the call that a menu named by its id, once.
func (h *handCalls) take(id string) (prepared, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, ok := h.prepared[id]
	delete(h.prepared, id)
	return p, ok
}

// RunByHand runs a call by hand that a menu named by its id, with the answer to its question if it has one, and shows
// its result. It returns when the call is begun.
func (cs *Chats) RunByHand(id string, answer event.Answer) error {
	for _, chat := range cs.All() {
		if p, ok := chat.hand.take(id); ok {
			if !chat.Idle() {
				return session.ErrBusy
			}
			cs.background(func() { chat.hand.run(p, answer) })
			return nil
		}
	}
	return ErrGone
}

func (h *handCalls) run(p prepared, answer event.Answer) {
	ctx, cancel := context.WithCancel(h.chat.Chats.ctx)
	defer cancel()
	h.setStop(cancel)
	defer h.setStop(nil)
	shown := h.chat.Chats.Host.Progress(visible.Line("Assent: "+p.call.Prepared().Call.Name), cancel)
	result, err := h.chat.Session.RunByHand(ctx, p.call, answer, reports{shown})
	sentence := "Done"
	if err == nil {
		err = p.ended(h.chat.Chats.ctx, result)
	}
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		sentence = "Stopped before it began"
	default:
		sentence = "Not run"
		h.chat.Chats.Host.ShowMessage(Error, err.Error())
	}
	shown.End(sentence)
}

func (h *handCalls) setStop(stop func()) {
	h.mu.Lock()
	h.stop = stop
	h.mu.Unlock()
	h.chat.refresh()
}

// stopper stops the call that runs; nil: none does.
func (h *handCalls) stopper() func() {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stop
}

// HandRuns reports whether a written call runs.
func (c *Chat) HandRuns() bool {
	return c.hand.stopper() != nil
}

// reports shows how far a call is.
type reports struct{ shown Progress }

// Output implements tools.Reporter.
func (r reports) Output(text string) { r.Progress(0, 0, lastLine(text)) }

// Progress implements tools.Reporter.
func (r reports) Progress(_, _ float64, note string) {
	if note != "" {
		r.shown.Report(parsed.Shorten(parsed.OneLine(note)))
	}
}

func lastLine(text string) string {
	text = strings.TrimRight(text, "\r\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// showResult puts a result below the call, or at the end of the chat if the call is no longer there: what ran is never
// lost.
func (h *handCalls) showResult(ctx context.Context, w parsed.Written, result tools.Result) error {
	view := h.chat.View()
	at := len(strings.TrimRight(view.From(0), " \t\r\n"))
	for _, now := range view.WrittenCalls() {
		if now.Text == w.Text {
			at = now.Span.End
		}
	}
	status := "ok"
	if result.Failed {
		status = "error"
	}
	text := Fenced(fmt.Sprintf("result %s %s %v", w.Tool, status, result.Took.Round(time.Millisecond)), result.Text())
	return h.chat.write(ctx, view, documents.Span{Start: at, End: at}, "", "\n\n"+text)
}
