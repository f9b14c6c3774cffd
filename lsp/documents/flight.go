package documents

import (
	"context"
	"errors"
	"slices"
	"time"
	"unicode/utf8"
)

// minGrowth is the size in bytes from which an insertion is not somebody's typing.
const minGrowth = 4

// maxLate is how many edits that were taken for dropped are looked for.
const maxLate = 4

// maxGrowths is how many edits may leave the document larger without being found in it.
const maxGrowths = 8

// answer is what the client said to an edit.
type answer int

const (
	awaited answer = iota
	applied
	refused
	missing // no answer came in time
)

// flight is the edit under way.
type flight struct {
	job     job
	version int32
	text    string
	at      Span // where it goes, in the mirror as it is now; once seen, the place where it begins
	end     int  // once seen: where it ends
	seen    bool // a change of the client's shows it

	answer       answer
	answered     time.Time
	newer        bool      // the client reported a later version without it
	lackingSince time.Time // when a change came after the answer without it
	grown        int       // bytes that came at its place and are not the edit
	block        bool      // most of them at once
}

// sure reports that a change like this one can hardly be somebody's typing: then it is evidence without an answer.
func (f *flight) sure() bool {
	return utf8.RuneCountInString(f.text) > 1
}

// move follows a change of the document.
func (f *flight) move(o op) {
	if o.ours {
		f.seen = true
		f.at, f.end = At(o.at.Start), o.at.Start+len(o.text)
		return
	}
	if !f.seen && o.at.Start <= f.at.Start && f.at.Start <= o.at.End {
		grown := len(normal(o.text)) - len(normal(o.removed))
		f.grown += grown
		f.block = f.block || grown >= max(minGrowth, len(f.text)/2)
	}
	f.at = o.moveSpan(f.at)
	if f.seen {
		f.end = max(f.at.Start, o.move(f.end, false))
	}
}

// misplaced reports whether the edit is among changes at another place. A client without versions puts it there when
// somebody typed a line end above that it had not reported.
func (f *flight) misplaced(ops []op) bool {
	return f.sure() && slices.ContainsFunc(ops, func(o op) bool {
		return o.removed == "" && normal(o.text) == normal(f.text)
	})
}

// again counts that the edit came in at another place, and reports whether it did before: a client that checks versions
// may report the same text once by chance, and again only if its document is not what it said. Then each try would put
// it in once more.
func (f *flight) again() bool {
	f.job.tries().misplaced++
	return f.job.tries().misplaced > 1
}

// failMisplaced ends the job of an edit that is in the document, at the wrong place.
func (w *Writer) failMisplaced(f *flight) {
	w.flight = nil
	if s, ok := f.job.(*Stream); ok {
		s.sent = "" // it is not lost, and must not be written again
	}
	w.trouble(ErrMisplaced)
}

// seenWithout notes a later version without the edit.
func (f *flight) seenWithout(now time.Time) {
	f.newer = true
	if f.answer != awaited && f.lackingSince.IsZero() {
		f.lackingSince = now
	}
}

// advance resolves the edit under way if it can, and sends the next one.
func (w *Writer) advance() {
	w.resolve(time.Now())
	w.send(time.Now())
}

// resolve decides what became of the edit under way.
func (w *Writer) resolve(now time.Time) {
	f := w.flight
	switch {
	case f == nil:
	case f.seen && f.answer == refused && !f.sure():
		// Somebody typed the very character that was sent, and the client refused ours for it.
		f.seen = false
		w.drop(f, now, nil)
	case f.seen && (f.sure() || f.answer != awaited):
		w.flight = nil
		w.lateEdits = nil // a client takes edits in their order: earlier ones cannot come any more
		*f.job.tries() = tries{}
		f.job.landed(f.end)
		w.progress()
	case f.seen, f.answer == awaited:
		// The answer comes, or its time limit.
	case f.answer == refused:
		if f.newer {
			w.drop(f, now, nil)
		} else if due := f.answered.Add(explainTime); now.Before(due) {
			w.wake(due)
		} else {
			w.drop(f, now, ErrRefused)
		}
	case w.strict && f.newer:
		// The client checks versions: with a change before it, this edit can never be applied.
		w.drop(f, now, nil)
	case !f.lackingSince.IsZero():
		if due := f.lackingSince.Add(graceTime); now.Before(due) {
			w.wake(due)
		} else {
			w.drop(f, now, ErrLost)
		}
	}
}

// drop takes the edit back. why is nil if a change of the document explains the drop.
func (w *Writer) drop(f *flight, now time.Time, why error) {
	w.flight = nil
	f.job.dropped(f)
	w.progress()
	if f.answer != refused && f.sure() { // a refusal is a promise; one character may be anybody's
		w.lateEdits = append(w.lateEdits, lateEdit{f.at, f.text})
		w.lateEdits = w.lateEdits[max(0, len(w.lateEdits)-maxLate):]
	}
	t := f.job.tries()
	// Something of its size came in its place, again and again: the editor changes what it inserts beyond recognition.
	// Twice is enough for a block; small changes may be somebody typing there.
	if f.answer != refused && f.grown >= max(minGrowth, len(f.text)/2) {
		t.grew++
		if f.block {
			t.grew += maxGrowths / 2
		}
		if t.grew >= maxGrowths {
			w.giveUp(f.job, ErrDoubled)
			return
		}
	}
	if why == nil {
		*t = tries{grew: t.grew, misplaced: t.misplaced}
		w.notBefore = time.Time{} // at once: else fast typing would keep the text out for ever
		return
	}
	if t.first.IsZero() {
		t.first = now
	}
	if errors.Is(why, ErrRefused) {
		t.refused++
	} else {
		t.lost++
	}
	if t.lost >= 2 || t.refused >= 2 && now.Sub(t.first) >= w.opts.Patience {
		w.giveUp(f.job, why)
		return
	}
	w.notBefore = now.Add(min(explainTime<<min(t.refused, 10), maxPause))
}

// giveUp ends a job that the editor does not take.
func (w *Writer) giveUp(j job, why error) {
	if _, ok := j.(*replacement); ok {
		j.fail(why)
		w.remove(j)
		return
	}
	w.trouble(why)
}

// send starts the next edit if none is under way and it is time.
func (w *Writer) send(now time.Time) {
	if w.flight != nil || w.writable() != nil {
		return
	}
	if w.due = now.Before(w.notBefore); w.due {
		w.wake(w.notBefore)
		return
	}
	for i := 0; i < len(w.jobs); {
		j := w.jobs[i]
		at, text, ok := j.next(w)
		if !ok {
			if i < len(w.jobs) && w.jobs[i] == j {
				i++ // else it ended itself
			}
			continue
		}
		w.jobs = append(append(w.jobs[:i:i], w.jobs[i+1:]...), j) // the others come first next time
		w.flight = &flight{job: j, version: w.doc.Version, text: text, at: at}
		go w.ask(w.flight, w.doc.URI, w.doc.Text.Range(at, w.opts.Encoding))
		return
	}
}

// ask sends an edit and takes the answer.
func (w *Writer) ask(f *flight, uri string, at Range) {
	ctx, cancel := context.WithTimeout(w.ctx, w.opts.AnswerTimeout)
	defer cancel()
	ok, err := w.client.ApplyEdit(ctx, uri, f.version, at, f.text)
	w.mu.Lock()
	defer w.unlock()
	f.answered = time.Now()
	switch {
	case err != nil:
		f.answer = missing
	case ok:
		f.answer = applied
	default:
		f.answer = refused
	}
	if w.flight == f {
		w.advance()
	}
}
