package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/workspace"
)

// Hunk is one change of a file that nobody has decided on yet, as the file is now.
type Hunk struct {
	ID   string // opaque; another one once the change or its place is another
	Path string // absolute
	Line int    // the first line of New, from zero
	// Lines are how many lines New has; 0: lines were taken away in front of Line.
	Lines   int
	Old     string // what was there before; the whole file if it was deleted
	New     string // what a turn put in its place; the whole file if it was made
	Made    bool   // the file did not exist
	Deleted bool   // the file does not exist any more
	// Edited says that somebody changed New since: then it can be kept, and not rejected.
	Edited bool

	in chunk // of the last (origin), the reviewed (ours) and the present text (theirs)
}

// Waiting is a file with changes that nobody has decided on.
type Waiting struct {
	Path   string // absolute
	Places []Place
}

// Waiting lists the files with changes that nobody has decided on, by path, as the last calls left them: what others
// changed since is not looked at.
func (l *Ledger) Waiting() ([]Waiting, error) {
	x, err := l.store.load()
	if err != nil {
		return nil, err
	}
	all := make([]Waiting, 0, len(x.Files))
	for rel, f := range x.Files {
		all = append(all, Waiting{l.abs(rel), f.Places})
	}
	slices.SortFunc(all, func(a, b Waiting) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// Hunks lists the changes of a file that nobody has decided on, in order, in its present text: unsaved changes
// included.
func (l *Ledger) Hunks(ctx context.Context, abs string) ([]Hunk, error) {
	r, err := l.review(ctx, abs)
	return r.hunks, err
}

// reviewed is a file under review as it is now.
type reviewed struct {
	rel        string
	file       file
	base, last *string
	path       workspace.Path
	current    *string
	hunks      []Hunk
}

// review looks at a file. One that is not under review has no hunks.
func (l *Ledger) review(ctx context.Context, abs string) (r reviewed, err error) {
	if r.rel, err = l.relative(abs); err != nil {
		return r, err
	}
	x, err := l.store.load()
	if err != nil {
		return r, err
	}
	f, ok := x.Files[r.rel]
	if !ok {
		return r, nil
	}
	r.file = f
	if r.base, r.last, err = l.store.getBoth(f.Base, f.Last); err != nil {
		return r, fmt.Errorf("the changes of %q: %w", r.rel, err)
	}
	if r.path, r.current, err = l.current(ctx, r.rel); err != nil {
		return r, err
	}
	r.last, r.base = asShown(r.last, r.base, r.current)
	r.hunks = hunks(r.rel, r.base, r.last, r.current)
	for i := range r.hunks {
		r.hunks[i].Path = l.abs(r.rel)
	}
	return r, nil
}

// current is the present text of a file; nil: it does not exist.
func (l *Ledger) current(ctx context.Context, rel string) (workspace.Path, *string, error) {
	p, err := l.ws.Resolve(rel)
	switch {
	case err != nil:
		return p, nil, err
	case p.Rel != rel:
		return p, nil, fmt.Errorf("%q leads to %q now: look at it", rel, p.Rel)
	case !p.Exists:
		return p, nil, nil
	}
	if _, err := l.ws.Stat(p); errors.Is(err, fs.ErrNotExist) {
		return p, nil, nil // it was deleted, and an editor shows it still
	}
	f, err := l.ws.Read(ctx, p)
	if err != nil {
		return p, nil, err
	}
	return p, new(f.Content()), nil
}

func (l *Ledger) abs(rel string) string { return filepath.Join(l.ws.Root(), filepath.FromSlash(rel)) }

// hunks finds where the step from base to last is in the present text. What is there as it was in base needs no
// decision any more.
func hunks(rel string, base, last, current *string) []Hunk {
	var all []Hunk
	switch {
	case base == nil && last == nil:
	case base == nil:
		if current != nil {
			h := Hunk{New: *current, Lines: lines(*current), Made: true, Edited: *current != *last}
			all = append(all, h)
		}
	case last == nil:
		if current == nil {
			all = append(all, Hunk{Old: *base, Deleted: true})
		}
	case current != nil:
		all = textHunks(*base, *last, *current)
	}
	for i := range all {
		all[i].ID = hunkID(rel, all[i])
	}
	return all
}

func textHunks(base, last, current string) []Hunk {
	var all []Hunk
	line, at := 0, 0
	for _, c := range align(last, base, current) {
		line += strings.Count(current[at:c.theirs.start], "\n")
		at = c.theirs.start
		h := Hunk{Line: line, Old: c.ours.of(base), New: c.theirs.of(current), Edited: c.byThem, in: c}
		h.Lines = lines(h.New)
		if c.byUs && h.Old != h.New {
			all = append(all, h)
		}
	}
	return all
}

// hunkID names a hunk by what it is and where.
func hunkID(rel string, h Hunk) string {
	return hash(fmt.Appendf(nil, "%q %d %q %q %v %v", rel, h.Line, h.Old, h.New, h.Made, h.Deleted), 10)
}
