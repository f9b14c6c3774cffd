package documents

import (
	"context"
	"fmt"
	"strings"
)

// replacement is one verified edit of a document.
type replacement struct {
	ctx           context.Context //nolint:containedctx // once it ends nothing more is sent, even before its waiter wakes
	span          Span
	before, after string
	done          bool
	err           error
	missed        tries
	sent          bool // an edit is under way
	unclear       bool // one was taken for dropped that the client has not refused: it may be in all the same
}

// ReplaceIn replaces the text at a span of a snapshot; the span moves with the changes since then and with later ones.
// It returns nil when the client's own change shows the edit. Line ends do not matter: what is inserted gets the
// document's.
//
// Errors: ErrChanged if the text at the span is not before (nothing was written); ErrNotApplied if the edit was not
// applied, and will not be; ErrUnknown if an edit was sent that the client neither refused nor showed: it may be
// applied, or still will be, and only the document shows which.
func (w *Writer) ReplaceIn(ctx context.Context, s Snapshot, span Span, before, after string) error {
	w.mu.Lock()
	defer w.unlock()
	return w.replace(ctx, w.current(s, span), before, after)
}

// replace is called with the lock held.
func (w *Writer) replace(ctx context.Context, span Span, before, after string) error {
	err := w.writable()
	if err == nil && (span.Start < 0 || span.Start > span.End || span.End > w.doc.Text.Len()) {
		err = ErrBadRange
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotApplied, err)
	}
	r := &replacement{ctx: ctx, span: span, before: before, after: sendable(after)}
	w.jobs = append(w.jobs, r)
	w.advance()
	for !r.done && ctx.Err() == nil {
		w.await(ctx)
	}
	if r.done {
		return r.err
	}
	r.done = true // what is under way is not tried again
	w.remove(r)
	return r.failed(ctx.Err())
}

// failed is the error of a replacement that ends here.
func (r *replacement) failed(why error) error {
	if r.sent || r.unclear {
		return fmt.Errorf("%w: %w", ErrUnknown, why)
	}
	return fmt.Errorf("%w: %w", ErrNotApplied, why)
}

func (r *replacement) tries() *tries { return &r.missed }

func (r *replacement) fail(err error) bool {
	if r.done {
		return false
	}
	r.done, r.err = true, r.failed(err)
	return true
}

func (r *replacement) move(o op) { r.span = o.moveSpan(r.span) }

// next checks the text once more and cuts the edit down to what differs.
func (r *replacement) next(w *Writer) (at Span, text string, ok bool) {
	if r.done {
		w.remove(r)
		return at, "", false
	}
	if r.ctx.Err() != nil {
		return at, "", false // replace returns why
	}
	is := w.doc.Text.Slice(r.span.Start, r.span.End)
	if normal(is) != normal(r.before) {
		// Somebody changed it, unless an edit that was sent did.
		if r.done, r.err = true, ErrChanged; r.unclear {
			r.err = ErrUnknown
		}
		w.remove(r)
		return at, "", false
	}
	after := r.after
	eol := lineEndOf(w.doc.Text)
	if is != r.before {
		after = withLineEnds(after, eol)
	}
	pre, suf := common(is, after)
	for pre > 0 && is[pre-1] == '\r' {
		pre-- // a line end is replaced whole or not at all
	}
	for suf > 0 && is[len(is)-suf] == '\n' && (endsInCR(is[:len(is)-suf]) || endsInCR(after[:len(after)-suf])) {
		suf--
	}
	at, text = Span{r.span.Start + pre, r.span.End - suf}, withLineEnds(after[pre:len(after)-suf], eol)
	if at.Start == at.End && text == "" {
		r.done = true
		w.remove(r)
		return at, "", false
	}
	r.sent = true
	return at, text, true
}

func (r *replacement) landed(int) {
	r.done, r.sent = true, false
}

func (r *replacement) dropped(f *flight) {
	r.sent = false
	r.unclear = r.unclear || f.answer != refused
}

func endsInCR(text string) bool { return strings.HasSuffix(text, "\r") }
