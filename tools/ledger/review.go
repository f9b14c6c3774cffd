package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoHunk says that a change is no longer up for a decision: it was kept, rejected or changed since.
var ErrNoHunk = errors.New("this change does not wait for a decision any more: it was kept, rejected or changed since")

// ErrEdited says that somebody changed the lines that would be changed back.
var ErrEdited = errors.New("changed since")

// Keep decides that a hunk stays. The file is not changed.
func (l *Ledger) Keep(ctx context.Context, abs, id string) error {
	_, err := l.decide(ctx, abs, func(r reviewed) ([]Hunk, error) { return r.named(id), nil }, keep)
	return err
}

// named is the hunk with an ID, alone; none if there is none.
func (r reviewed) named(id string) []Hunk {
	return slices.DeleteFunc(slices.Clone(r.hunks), func(h Hunk) bool { return h.ID != id })
}

// KeepAll decides that all hunks of a file stay.
func (l *Ledger) KeepAll(ctx context.Context, abs string) error {
	_, err := l.decide(ctx, abs, func(r reviewed) ([]Hunk, error) { return r.hunks, nil }, keep)
	return err
}

// Reject takes a hunk back, in the open buffer or on disk, and keeps why for the model of the chat whose turn made it,
// which it returns. ErrEdited: somebody changed its lines since.
func (l *Ledger) Reject(ctx context.Context, abs, id, why string) (chat string, err error) {
	return l.decide(ctx, abs, func(r reviewed) ([]Hunk, error) {
		hunks := r.named(id)
		if len(hunks) > 0 && hunks[0].Edited {
			return nil, fmt.Errorf(
				"nothing was rejected: %q was %w in %s. Keep it, or change these lines yourself", r.rel, ErrEdited,
				hunks[0].where(),
			)
		}
		return hunks, nil
	}, rejecting(why))
}

// RejectAll takes all hunks of a file back but those whose lines somebody changed since, and returns how many of them
// stay.
func (l *Ledger) RejectAll(ctx context.Context, abs, why string) (edited int, err error) {
	_, err = l.decide(ctx, abs, func(r reviewed) ([]Hunk, error) {
		hunks := slices.DeleteFunc(slices.Clone(r.hunks), func(h Hunk) bool { return h.Edited })
		edited = len(r.hunks) - len(hunks)
		if len(hunks) == 0 && edited > 0 {
			return nil, fmt.Errorf(
				"nothing was rejected: all changes of %q were %w by somebody else. "+
					"Keep them, or change these lines yourself",
				r.rel, ErrEdited,
			)
		}
		return hunks, nil
	}, rejecting(why))
	return edited, err
}

// decision is what becomes of hunks: the new texts of the file under review, and what the model is told.
type decision func(r reviewed, hunks []Hunk) outcome

type outcome struct {
	base, last, current *string
	rejected            []Rejection // without chat
}

// decide finds hunks, does what was decided, and keeps it. It returns the chat whose turn made the last of those that
// were rejected.
func (l *Ledger) decide(
	ctx context.Context, abs string, choose func(reviewed) ([]Hunk, error), do decision,
) (chat string, err error) {
	l.applying.Lock()
	defer l.applying.Unlock()
	r, err := l.review(ctx, abs)
	if err != nil {
		return "", err
	}
	chosen, err := choose(r)
	if err == nil && len(chosen) == 0 {
		err = ErrNoHunk
	}
	if err != nil {
		return "", err
	}
	o := do(r, chosen)
	if err := l.apply(ctx, edit{r.path, r.current, o.current, r.file.Mode}); err != nil {
		return "", err
	}
	err = l.store.update(func(x *index) error {
		for _, rejection := range o.rejected {
			rejection.Path = r.rel
			chat = l.author(x, rejection)
			x.tell(rejection, chat)
		}
		if now := x.Files[r.rel]; now.Base != r.file.Base || now.Last != r.file.Last {
			return nil // another process was faster: what was taken back needs no decision any more
		}
		kept, err := l.store.putBoth(o.base, o.last)
		if err != nil {
			return err
		}
		l.setFile(x, r.rel, file{Base: kept.Before, Last: kept.After, Mode: r.file.Mode})
		return nil
	})
	return chat, err
}

// keep makes hunks part of the reviewed text.
func keep(r reviewed, hunks []Hunk) outcome {
	o := outcome{r.base, r.last, r.current, nil}
	if r.base == nil || r.last == nil {
		o.base = r.last
		return o
	}
	var b strings.Builder
	at := 0
	for _, h := range hunks {
		b.WriteString((*r.base)[at:h.in.ours.start])
		b.WriteString(h.in.origin.of(*r.last))
		at = h.in.ours.end
	}
	o.base = new(b.String() + (*r.base)[at:])
	return o
}

// rejecting takes hunks out of the present text, and out of what the last call left.
func rejecting(why string) decision {
	return func(r reviewed, hunks []Hunk) outcome {
		o := outcome{r.base, r.base, r.base, nil}
		for _, h := range hunks {
			o.rejected = append(
				o.rejected, Rejection{Line: h.Line, Old: h.Old, New: h.New, Made: h.Made, Deleted: h.Deleted, Why: why},
			)
		}
		if r.base == nil || r.last == nil {
			return o
		}
		o.last = without(*r.base, *r.last, hunks, func(c chunk) span { return c.origin })
		o.current = without(*r.base, *r.current, hunks, func(c chunk) span { return c.theirs })
		return o
	}
}

// without is a text with the reviewed text in the place of hunks.
func without(base, text string, hunks []Hunk, in func(chunk) span) *string {
	var b strings.Builder
	at := 0
	for _, h := range hunks {
		b.WriteString(text[at:in(h.in).start])
		b.WriteString(h.in.ours.of(base))
		at = in(h.in).end
	}
	return new(b.String() + text[at:])
}

// where names the lines of a hunk for people.
func (h Hunk) where() string {
	switch {
	case h.Made || h.Deleted:
		return "all of its lines"
	case h.Lines == 0:
		return fmt.Sprintf("line %d", h.Line+1)
	}
	return lineRange(h.Line, h.Lines)
}

// lineRange names lines for people, who count from one.
func lineRange(first, n int) string {
	if n <= 1 {
		return fmt.Sprintf("line %d", first+1)
	}
	return fmt.Sprintf("lines %d to %d", first+1, first+n)
}
