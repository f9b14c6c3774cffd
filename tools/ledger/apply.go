package ledger

import (
	"context"

	"github.com/assent-ls/assent/tools/workspace"
)

// edit is a change of a file from one text to another; nil: the file does not exist.
type edit struct {
	path   workspace.Path
	before *string
	after  *string
}

// changes reports whether an edit does anything.
func (e edit) changes() bool {
	if e.before == nil || e.after == nil {
		return e.before != e.after
	}
	return *e.before != *e.after
}

// apply makes an edit, in the open buffer or on disk, if the file still holds the text that it starts from.
func (l *Ledger) apply(ctx context.Context, e edit) error {
	switch {
	case !e.changes():
		return nil
	case e.after == nil:
		return l.ws.Delete(ctx, e.path, *e.before)
	default:
		return l.ws.Replace(ctx, e.path, e.before, *e.after)
	}
}

// applyAll makes all edits or none. An error of the second kind says which of them stay made.
func (l *Ledger) applyAll(ctx context.Context, edits []edit) (stay []string, err error) {
	for i, e := range edits {
		if err = l.apply(ctx, e); err == nil {
			continue
		}
		ctx := context.WithoutCancel(ctx) // what was begun is taken back in any case
		for _, done := range edits[:i] {
			p, _, err := l.current(ctx, done.path.Rel)
			if err == nil {
				err = l.apply(ctx, edit{p, done.after, done.before})
			}
			if err != nil {
				stay = append(stay, done.path.Rel)
			}
		}
		return stay, err
	}
	return nil, nil
}
