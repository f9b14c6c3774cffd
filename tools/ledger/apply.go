package ledger

import (
	"context"
	"io/fs"
	"time"

	"github.com/assent-ls/assent/tools/workspace"
)

// takeBackLimit is how long it may take to take back what was begun.
const takeBackLimit = 30 * time.Second

// edit is a change of a file from one text to another; nil: the file does not exist.
type edit struct {
	path   workspace.Path
	before *string
	after  *string
	mode   fs.FileMode // of a file that is made again
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
	case e.before == nil:
		return l.ws.Restore(ctx, e.path, *e.after, e.mode)
	default:
		return l.ws.Replace(ctx, e.path, e.before, *e.after)
	}
}

// applyAll makes all edits or none. After an error, stay names the files whose edits could not be taken back.
func (l *Ledger) applyAll(ctx context.Context, edits []edit) (stay []string, err error) {
	for i, e := range edits {
		if err := l.apply(ctx, e); err != nil {
			return l.takeBack(ctx, edits[:i]), err
		}
	}
	return nil, nil
}

// takeBack takes edits back that were made, also when their request was cancelled, and names the files where it could
// not.
func (l *Ledger) takeBack(ctx context.Context, edits []edit) (stay []string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeBackLimit)
	defer cancel()
	for _, e := range edits {
		p, _, err := l.current(ctx, e.path.Rel)
		if err == nil {
			err = l.apply(ctx, edit{p, e.after, e.before, e.mode})
		}
		if err != nil {
			stay = append(stay, e.path.Rel)
		}
	}
	return stay
}
