package workspace

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/workspace/tree"
)

// DraftChange is what a draft made of one file.
type DraftChange = tree.Change

// ErrDraftFull says that a draft cannot hold another change.
var ErrDraftFull = tree.ErrFull

// Draft is a workspace over the same folder and the same editor whose changes stay in memory: all of its methods see
// them, and neither the disk nor a buffer is changed. Open documents of which nothing is unsaved count as saved after
// each change. Bounds are 2,000 files and 64 MB; a change beyond them is ErrDraftFull. The draft is used no longer than
// the workspace is open; closing it does nothing. Extended attributes are not part of it, and a file that was deleted
// and made again keeps its mode.
func (w *Workspace) Draft() *Workspace {
	d := *w
	d.draft = tree.NewDraft(w.dir, func(rel string) tree.Origin { return originOf(w, rel) })
	d.dir, d.known, d.moment = d.draft.Root(), nil, nil
	d.buffers = draftBuffers{w.buffers, d.draft, &d}
	return &d
}

// IsDraft reports whether a workspace is a draft of another one.
func IsDraft(w *Workspace) bool { return w.draft != nil }

// Drafted lists what a draft changed and did not change back, by path. It is empty for a workspace that is no draft.
func (w *Workspace) Drafted(context.Context) []DraftChange {
	if w.draft == nil {
		return nil
	}
	return w.draft.Changed()
}

// changing keeps others from changing a draft until done is called: they would not see the change that is being made.
// What changes the disk looks at it again, and needs no such thing.
func changing(w *Workspace) (done func()) {
	if w.draft == nil {
		return func() {}
	}
	w.draft.Writing.Lock()
	return w.draft.Writing.Unlock
}

// originOf is what a workspace has of a file now.
func originOf(w *Workspace, rel string) (o tree.Origin) {
	if folder, err := w.openFolder(path.Dir(rel)); err == nil {
		defer folder.Close() //nolint:errcheck // only read
		if f, info, err := folder.file(path.Base(rel)); err == nil {
			defer f.Close() //nolint:errcheck // only read
			if data, err := readAll(Path{Rel: rel}, f, info); err == nil {
				o.Disk, o.Mode = new(string(data)), info.Mode().Perm()
			}
		}
	}
	for _, abs := range w.buffers.Open() {
		if at, ok := relOf(w, abs); ok && at == rel {
			if text, open := w.buffers.Text(abs); open {
				o.Shown = &text
			}
		}
	}
	return o
}

// relOf is the path, links followed, of what an editor has open under a name.
func relOf(w *Workspace, abs string) (rel string, ok bool) {
	rest, inside := w.inside(abs)
	if !inside {
		return "", false
	}
	at, err := w.follow(rest, rest)
	if err != nil {
		return "", false
	}
	return at.rel(), true
}

// draftBuffers are the editor's open documents as a draft has them.
type draftBuffers struct {
	base  Buffers
	tree  *tree.Draft
	draft *Workspace
}

// Text returns what the draft made of a document. One whose file the draft deleted or moved is not open any more.
func (b draftBuffers) Text(abs string) (string, bool) {
	if text, changed := b.tree.Typed(abs); changed {
		return text, true
	}
	text, open := b.base.Text(abs)
	if !open {
		return "", false
	}
	if rel, ok := relOf(b.draft, abs); ok && b.tree.IsRemoved(rel) {
		return "", false
	}
	return text, true
}

// Open names those that were changed, too, although the editor may have closed them meanwhile.
func (b draftBuffers) Open() []string {
	open := append(b.still(b.base.Open()), b.tree.TypedNames()...)
	slices.Sort(open)
	return slices.Compact(open)
}

// Unsaved are those that the editor has: what the draft changed is not theirs to save.
func (b draftBuffers) Unsaved() []string { return b.still(b.base.Unsaved()) }

func (b draftBuffers) still(all []string) (open []string) {
	for _, abs := range all {
		if _, is := b.Text(abs); is {
			open = append(open, abs)
		}
	}
	return open
}

func (b draftBuffers) Frozen(abs string) bool { return b.base.Frozen(abs) }

// Replace keeps the text of a document, and of its file if that held the same.
func (b draftBuffers) Replace(ctx context.Context, abs, before, after string) error {
	rel, ok := relOf(b.draft, abs)
	p, err := b.draft.at(rel, rel)
	if text, open := b.Text(abs); !ok || err != nil || !open || text != before {
		return changed(Path{Rel: rel})
	}
	if err := b.tree.Began(rel); err != nil {
		return err
	}
	if data, err := b.draft.readDisk(ctx, p); err == nil && plain(string(data)) == plain(before) {
		mark := ""
		if strings.HasPrefix(string(data), byteOrderMark) && !strings.HasPrefix(after, byteOrderMark) {
			mark = byteOrderMark // editors do not show it, and keep it
		}
		if err := overwrite(b.draft, p, string(data), mark+after); err != nil {
			return err
		}
	}
	return b.tree.SetText(rel, abs, after)
}

// Delete leaves it to the draft's disk: who deletes the file closes the document.
func (b draftBuffers) Delete(context.Context, string) error { return ErrNoFileOperations }

// Move is like Delete.
func (b draftBuffers) Move(context.Context, string, string) error { return ErrNoFileOperations }
