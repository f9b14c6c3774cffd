package documents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Client applies edits in the editor.
type Client interface {
	// ApplyEdit asks the client to replace a range of one open document at this version. It returns what the client
	// answered: a refusal or an error answer is false. err means that no answer came: nobody knows what happened.
	ApplyEdit(ctx context.Context, uri string, version int32, at Range, text string) (applied bool, err error)
}

// Options of a Writer. The zero value suits a client that ignores versions.
type Options struct {
	// Encoding of the positions in edits.
	Encoding Encoding
	// Versioned says that the client applies an edit only to the version that the edit names. Most do, and not all say
	// so.
	Versioned bool
	// AnswerTimeout is how long an answer is waited for; 0 is 5 s.
	AnswerTimeout time.Duration
	// Patience is how long an editor may refuse an edit without reporting a change that explains it; 0 is 15 s. Emacs
	// reports nothing as long as somebody types, and refuses meanwhile. A refused edit changed nothing, so asking again
	// is safe.
	Patience time.Duration
	// OnTrouble is called when the writer gives up writing something. It may be nil, and may call the Writer.
	OnTrouble func(reason error)
	// OnRemoved is called with streamed text that was in the document and that a person took out. It may be nil, and
	// may call the Writer; nothing more is written before it returns.
	OnRemoved func(text string)
}

// Waiting times of the writer.
const (
	explainTime  = 50 * time.Millisecond  // for the change that explains a refusal
	graceTime    = 250 * time.Millisecond // for an edit that a client without versions has not reported yet
	maxPause     = time.Second            // between two tries of an edit that is refused
	debounceTime = 5 * time.Millisecond   // after a change: on ":e!" Neovim sends its last changes just before didClose
	reopenTime   = time.Second            // for a closed document to be opened again, as ":e!" does
)

// Errors of writing.
var (
	ErrClosed     = errors.New("the document was closed")
	ErrRefused    = errors.New("the editor does not take the edit")
	ErrLost       = errors.New("the editor says it applied the edit, and its document does not show it")
	ErrMisplaced  = errors.New("the editor applied an edit at another place than it named")
	ErrDoubled    = errors.New("the document grew by more than was sent")
	ErrRemoved    = errors.New("the text was removed from the document while it was written")
	ErrNotApplied = errors.New("the edit was not applied")
	ErrUnknown    = errors.New("it is not known whether the editor applied the edit: look at the document")
	ErrChanged    = errors.New("the text to replace is no longer there")
	ErrEnded      = errors.New("the writer was closed")
)

// Writer owns all that Assent writes into one open document. An edit counts as written only when the client's own
// change reports show it; only one edit is under way at any time. All methods may be called from any goroutine, but
// Opened, Changed and Closed only in the order of the client's messages.
type Writer struct {
	client Client
	opts   Options
	ctx    context.Context //nolint:containedctx // the lifetime of the writer, which its own timers need
	cancel context.CancelFunc

	mu        sync.Mutex
	doc       Snapshot      // guarded by mu: the mirror
	open      bool          // guarded by mu
	strict    bool          // guarded by mu: the client checks versions, as far as is known
	jobs      []job         // guarded by mu: streams and replacements, in turn
	flight    *flight       // guarded by mu: the edit under way, or nil
	lateEdits []lateEdit    // guarded by mu: edits that were taken for dropped and may still come
	crossed   crossed       // guarded by mu: an edit that met the reading of the document from disk
	notBefore time.Time     // guarded by mu: no edit is sent earlier
	due       bool          // guarded by mu: an edit waits for notBefore
	timer     *time.Timer   // guarded by mu
	closing   *time.Timer   // guarded by mu: runs after the document was closed
	history   []past        // guarded by mu: the last changes of the mirror
	calls     []func()      // guarded by mu: callbacks to make after unlocking
	failed    bool          // guarded by mu: a job failed that was not reported yet
	news      chan struct{} // guarded by mu: closed and renewed when a job makes progress
}

// job is something that is written: a stream or a replacement. Its methods are called with the writer's lock held.
type job interface {
	// next returns the edit to send now; ok is false if there is none.
	next(w *Writer) (at Span, text string, ok bool)
	// move follows a change of the document.
	move(o op)
	// landed says that the edit is in, and where it ends now.
	landed(end int)
	// dropped says that the edit is taken for not in.
	dropped(f *flight)
	// tries returns the count of drops of the present piece that nothing explains.
	tries() *tries
	// fail ends the job, unless it has ended; it reports whether it did.
	fail(err error) bool
}

type tries struct {
	refused, lost int
	grew          int // drops of it that left the document larger at that place
	misplaced     int // times that it came in at another place
	first         time.Time
}

// lateEdit is an edit that was taken for dropped. If it turns up after all, the client does not do what it says.
type lateEdit struct {
	at   Span
	text string
}

// crossed is an edit that was under way when a person read the document again from disk, which throws it away. Neovim
// checks no version of a document that it has just read, and may apply it all the same.
type crossed struct {
	flight *flight
	until  time.Time
}

// came reports whether a change is that edit. A place beyond the end of the new text brings a line end along.
func (c *crossed) came(o op, under *flight, now time.Time) bool {
	bare := func(s string) string { return strings.Trim(normal(s), "\n") }
	return c.flight != nil && now.Before(c.until) && (!o.ours || under == c.flight) && o.removed == "" &&
		bare(o.text) == bare(c.flight.text)
}

// NewWriter returns the writer of a document that is open. It writes until ctx is done or End is called, which must be
// called when it is no longer used.
func NewWriter(ctx context.Context, doc Snapshot, client Client, opts Options) *Writer {
	opts.AnswerTimeout = cmp.Or(opts.AnswerTimeout, 5*time.Second)
	opts.Patience = cmp.Or(opts.Patience, 15*time.Second)
	w := &Writer{client: client, opts: opts, doc: doc, open: true, strict: opts.Versioned, news: make(chan struct{})}
	w.ctx, w.cancel = context.WithCancel(ctx)
	return w
}

// Opened takes the document after the client opened it again. What the new text lacks was removed by a person.
func (w *Writer) Opened(s Snapshot) {
	w.mu.Lock()
	w.open = true
	if w.closing != nil {
		w.closing.Stop()
	}
	span, text := w.doc.Text.Difference(s.Text.String())
	var steps []step
	if span.Start < span.End || text != "" {
		steps = []step{{w.doc.Text, s.Text, span, text}}
	}
	w.follow(s, steps, true)
}

// Changed takes the document after a change by the client, as Store.Change returned it.
func (w *Writer) Changed(s Snapshot) {
	w.mu.Lock()
	if s.Stale != nil {
		w.doc.Stale = s.Stale
		w.trouble(s.Stale)
		w.unlock()
		return
	}
	w.follow(s, s.steps, false)
}

// Closed takes note that the client closed the document. Unless it is opened again at once, what waits fails.
func (w *Writer) Closed() {
	w.mu.Lock()
	w.open = false
	w.closing = time.AfterFunc(reopenTime, func() {
		w.mu.Lock()
		if !w.open {
			w.trouble(ErrClosed)
		}
		w.unlock()
	})
	w.unlock()
}

// await lets go of mu, which is held, until there is news or ctx is done.
func (w *Writer) await(ctx context.Context) {
	news := w.news
	w.unlock()
	select {
	case <-news:
	case <-ctx.Done():
	}
	w.mu.Lock()
}

// Rest waits until the edit that is under way now is resolved: until then the editor may not even have got it.
func (w *Writer) Rest(ctx context.Context) {
	w.mu.Lock()
	defer w.unlock()
	for f := w.flight; f != nil && w.flight == f && ctx.Err() == nil; {
		w.await(ctx)
	}
}

// End stops the writer; what waits fails. An edit that is under way may still be applied.
func (w *Writer) End() {
	w.mu.Lock()
	w.cancel()
	w.failAll(ErrEnded)
	for _, t := range []*time.Timer{w.timer, w.closing} {
		if t != nil {
			t.Stop()
		}
	}
	w.unlock()
}

// follow takes the changes in and goes on. It is called with the lock held, which it releases, whatever happens: a
// change that cannot be understood must not stop the document for good.
func (w *Writer) follow(s Snapshot, steps []step, reopened bool) {
	w.takeIn(s, steps, reopened)
	w.mu.Lock()
	defer w.unlock()
	w.advance()
}

// takeIn moves all places with the changes and looks for the edit under way among them. It is called with the lock
// held, which it releases.
func (w *Writer) takeIn(s Snapshot, steps []step, reopened bool) {
	defer w.unlock()
	f := w.flight
	var ops []op
	if f != nil && !f.seen {
		ops = findEdit(steps, f.at, f.text, w.lateEdits)
	} else {
		ops = refineAll(steps)
	}
	for _, o := range ops {
		w.move(o)
		if w.crossed.came(o, f, time.Now()) {
			w.crossed = crossed{}
			in := Span{o.at.Start, o.at.Start + len(o.text)}
			w.jobs = append(w.jobs, &replacement{ctx: w.ctx, span: in, before: o.text})
		}
	}
	if reopened && f != nil && !f.seen && f.sure() {
		w.crossed = crossed{f, time.Now().Add(w.opts.AnswerTimeout)}
	}
	if f != nil && !f.seen && (s.Version > f.version || reopened) {
		f.seenWithout(time.Now())
		if f.misplaced(ops) && (!w.strict || f.again()) {
			w.failMisplaced(f)
		}
	}
	w.remember(ops)
	w.doc = s
	w.debounce(time.Now())
	for _, j := range w.jobs {
		if stream, ok := j.(*Stream); ok {
			w.checkRemoved(stream, reopened)
		}
	}
}

// debounce puts off the next edit a little after a change, which explains what was refused before. An edit that is due
// already is not put off again: somebody may type without end.
func (w *Writer) debounce(now time.Time) {
	next := now.Add(debounceTime)
	if w.due && w.notBefore.Before(next) {
		return
	}
	w.notBefore = next
}

// move follows one change of the document.
func (w *Writer) move(o op) {
	for _, j := range w.jobs {
		j.move(o)
	}
	if !o.ours {
		w.noticeLate(o)
	}
	for i := range w.lateEdits {
		w.lateEdits[i].at = o.moveSpan(w.lateEdits[i].at)
	}
	if f := w.flight; f != nil {
		f.move(o)
	}
}

// noticeLate notices an edit that was taken for dropped and is in the document all the same.
func (w *Writer) noticeLate(o op) {
	for i, g := range w.lateEdits {
		if o.at == g.at && normal(o.text) == normal(g.text) {
			w.lateEdits = slices.Delete(w.lateEdits, i, i+1)
			w.strict = false
			if f := w.flight; f != nil {
				if s, ok := f.job.(*Stream); ok {
					s.sent = strings.TrimPrefix(s.sent, normal(g.text))
				}
			}
			w.trouble(fmt.Errorf("%w: the editor applied an edit that it had dropped", ErrDoubled))
			return
		}
	}
}

// writable is an error if nothing can be written into the document.
func (w *Writer) writable() error {
	switch {
	case w.ctx.Err() != nil:
		return ErrEnded
	case !w.open:
		return ErrClosed
	}
	return w.doc.Stale
}

// trouble ends all jobs, and says why if there was one.
func (w *Writer) trouble(reason error) {
	if w.failAll(reason); !w.failed {
		return
	}
	w.failed = false
	if call := w.opts.OnTrouble; call != nil {
		w.calls = append(w.calls, func() { call(reason) })
	}
}

func (w *Writer) failAll(err error) {
	for _, j := range w.jobs {
		w.failed = j.fail(err) || w.failed
	}
	w.progress()
}

// progress wakes all who wait for a job.
func (w *Writer) progress() {
	close(w.news)
	w.news = make(chan struct{})
}

// unlock releases the lock and makes the callbacks that are due.
func (w *Writer) unlock() {
	calls := w.calls
	w.calls = nil
	w.mu.Unlock()
	for _, call := range calls {
		call()
	}
}

// wake makes the writer look again at a time.
func (w *Writer) wake(at time.Time) {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.timer = time.AfterFunc(time.Until(at), func() {
		w.mu.Lock()
		w.advance()
		w.unlock()
	})
}

func (w *Writer) remove(j job) {
	w.jobs = slices.DeleteFunc(w.jobs, func(k job) bool { return k == j })
	w.progress()
}
