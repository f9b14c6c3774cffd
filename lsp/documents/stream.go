package documents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Stream is a place in a document at which text is written, piece by piece, while somebody may type anywhere in the
// document. The place moves with every change. What is typed exactly there ends up behind the stream's text.
type Stream struct {
	w *Writer
	// All below is guarded by w.mu.
	start, point int
	sent         string // under way
	pending      string // waits
	appended     int    // bytes that were appended so far
	proven       int    // bytes that were proven in, or given up by Halt
	stale        bool   // what is under way is not tried again
	halted       string // what Halt gave up
	flushing     int    // number of Flush calls that wait
	err          error  // why nothing more is written
	missed       tries

	removed  strings.Builder // text of ours that the last changes took out
	inserted int             // visible characters that they put among ours
	tailGone bool            // they took out the end
}

// UnwrittenError says what of a stream is not proven to be in the document. It wraps the reason.
type UnwrittenError struct {
	Text string // what is not proven in, line ends as LF
	// Unknown is the part at the start of Text that was sent and that the editor has neither shown nor refused.
	Unknown string
	Err     error
}

func (e *UnwrittenError) Error() string {
	return fmt.Sprintf("%d bytes are not in the document: %v", len(e.Text), e.Err)
}

func (e *UnwrittenError) Unwrap() error { return e.Err }

// StreamIn begins to write at a byte offset of a snapshot; it follows the changes since then. It fails if the document
// is not open or its text is not known.
func (w *Writer) StreamIn(s Snapshot, at int) (*Stream, error) {
	w.mu.Lock()
	defer w.unlock()
	return w.stream(w.current(s, At(at)).Start)
}

func (w *Writer) stream(at int) (*Stream, error) {
	if err := w.writable(); err != nil {
		return nil, err
	}
	if at < 0 || at > w.doc.Text.Len() {
		return nil, fmt.Errorf("%w: no offset %d in a document of %d bytes", ErrBadRange, at, w.doc.Text.Len())
	}
	at = w.doc.Text.runeStart(at)
	if at > 0 && w.doc.Text.Slice(at-1, at+1) == "\r\n" {
		at--
	}
	s := &Stream{w: w, start: at, point: at}
	w.jobs = append(w.jobs, s)
	return s, nil
}

// Append writes text at the end of the stream. It does not wait: what comes while an edit is under way goes into the
// next one. Blanks and line ends at the end are held back until more comes or Flush is called, so that an editor that
// trims blanks on save does not glue words together.
func (s *Stream) Append(text string) {
	s.w.mu.Lock()
	defer s.w.unlock()
	text = sendable(text)
	s.appended += len(text)
	s.pending += text
	s.w.advance()
}

// Flush waits until all that was appended before the call is proven to be in the document. Otherwise it returns an
// UnwrittenError, at the latest when ctx ends; what waits is still written after that, unless the stream is closed.
func (s *Stream) Flush(ctx context.Context) error {
	w := s.w
	w.mu.Lock()
	defer w.unlock()
	want := s.appended
	s.flushing++
	w.advance()
	for s.proven < want && s.err == nil && ctx.Err() == nil {
		w.await(ctx)
	}
	s.flushing--
	if s.proven >= want {
		return nil
	}
	err := s.err
	if err == nil {
		err = ctx.Err()
		if s.sent != "" {
			err = fmt.Errorf("%w: %w", ErrUnknown, err)
		}
	}
	return &UnwrittenError{Text: normal(s.sent + s.pending), Unknown: normal(s.sent), Err: err}
}

// Drain is Flush with a limit of silence: it keeps waiting while the document changes, and returns what Flush returns
// once the document did not change for that long. While a person types faster than a slow editor applies edits, nothing
// is written. An editor that has not answered the edit under way is waited for as long as busy: it may wait for a key,
// as Neovim does below a long message, or for a command that it runs.
func (s *Stream) Drain(ctx context.Context, silence, busy time.Duration) error {
	heard := time.Now()
	for {
		before := s.version()
		limited, cancel := context.WithTimeout(ctx, silence)
		err := s.Flush(limited)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err
		}
		switch {
		case s.version() != before:
			heard = time.Now()
		case !s.unanswered() || time.Since(heard) >= busy:
			return err
		}
	}
}

// unanswered reports that the editor has said nothing to the edit under way.
func (s *Stream) unanswered() bool {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	f := s.w.flight
	return f != nil && (f.answer == awaited || f.answer == missing)
}

func (s *Stream) version() int32 {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.w.doc.Version
}

// Halt gives up what waits. What is under way may still be seen to be in the document, but is not sent again: Flush
// waits for that. More may be appended after it.
func (s *Stream) Halt() {
	s.w.mu.Lock()
	defer s.w.unlock()
	s.stale = s.sent != ""
	s.giveUp(s.pending)
	s.pending = ""
	s.w.progress()
}

// Halted returns what Halt gave up. After a Flush it is final.
func (s *Stream) Halted() string {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.halted
}

func (s *Stream) giveUp(text string) {
	s.proven += len(text)
	s.halted = text + s.halted // what is under way was before what waited
}

// Before returns what is in the document before the place at which the next piece goes.
func (s *Stream) Before() string {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.w.doc.Text.Slice(0, s.point)
}

// Start returns the byte offset at which the stream's text begins now.
func (s *Stream) Start() int {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.start
}

// Point returns the byte offset at which the next piece goes, which is where the text that is proven in ends.
func (s *Stream) Point() int {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.point
}

// Unwritten returns what was appended and is not proven to be in the document.
func (s *Stream) Unwritten() string {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.sent + s.pending
}

// Err returns why the stream writes nothing more, or nil.
func (s *Stream) Err() error {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.err
}

// Close ends the stream: what still waits is not written. Call Flush before.
func (s *Stream) Close() {
	s.w.mu.Lock()
	defer s.w.unlock()
	s.fail(ErrEnded)
	s.w.remove(s)
}

func (s *Stream) fail(err error) bool {
	if s.err != nil {
		return false
	}
	s.err = err
	return true
}

func (s *Stream) tries() *tries { return &s.missed }

// next takes what waits, in the document's own line ends.
func (s *Stream) next(w *Writer) (at Span, text string, ok bool) {
	n := len(s.pending)
	if s.flushing == 0 {
		n = len(strings.TrimRightFunc(s.pending, unicode.IsSpace))
	}
	if s.err != nil || n == 0 {
		return at, "", false
	}
	s.sent, s.pending = s.pending[:n], s.pending[n:]
	return At(s.point), withLineEnds(s.sent, lineEndOf(w.doc.Text)), true
}

func (s *Stream) landed(end int) {
	s.proven += len(s.sent)
	s.sent, s.stale = "", false
	s.point = end
}

func (s *Stream) dropped(*flight) {
	if s.stale {
		s.giveUp(s.sent)
		s.sent, s.stale = "", false
		return
	}
	s.sent, s.pending = "", s.sent+s.pending
}

// end returns where the stream's text ends, that of an edit included that was seen and not yet counted.
func (s *Stream) end() int {
	if f := s.w.flight; f != nil && f.seen && f.job == s {
		return f.end
	}
	return s.point
}

func (s *Stream) move(o op) {
	end := s.end()
	if !o.ours && s.start < end {
		from, to := max(s.start, o.at.Start), min(end, o.at.End)
		if from < to && len(o.removed) == o.at.End-o.at.Start {
			s.removed.WriteString(o.removed[from-o.at.Start : to-o.at.Start])
			s.tailGone = s.tailGone || to == end
		}
		if o.at.Start >= s.start && o.at.Start <= end {
			s.inserted += visible(o.text)
		}
	}
	s.start, s.point = o.move(s.start, s.start < end), o.move(s.point, false)
	s.point = max(s.start, s.point)
}

// checkRemoved looks at what the last changes took out of a stream's text. A tail that is gone, or text that a newly
// opened document lacks, ends the stream: to go on would leave a hole, and write where nobody wants it. One character
// more or less, trimmed blanks and a formatter's changes do not.
func (w *Writer) checkRemoved(s *Stream, reopened bool) {
	gone := s.removed.String()
	lost := visible(gone) - s.inserted
	if lost > 0 {
		if (s.tailGone || reopened) && visible(gone) > 1 {
			s.fail(ErrRemoved)
			w.progress()
		}
		if call := w.opts.OnRemoved; call != nil {
			gone = normal(gone)
			w.calls = append(w.calls, func() { call(gone) })
		}
	}
	s.removed.Reset()
	s.inserted, s.tailGone = 0, false
}

// visible counts the characters that are no blanks.
func visible(s string) int {
	n := 0
	for _, r := range s {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}
