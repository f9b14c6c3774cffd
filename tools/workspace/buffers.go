package workspace

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// Buffers are the editor's open documents. Paths are absolute. A document may be asked for under several names (links
// followed or not); implementations compare the name as it is.
type Buffers interface {
	// Text returns the text of an open document, saved or not.
	Text(abs string) (text string, open bool)
	// Open names the open documents.
	Open() []string
	// Replace changes an open document from before to after and returns when the change is proven to be in the
	// buffer, or an error that says why it is not: one that wraps ErrChanged if the document is not before any more.
	Replace(ctx context.Context, abs, before, after string) error
	// Delete has the editor delete the file of an open document, and close it. ErrNoFileOperations: the editor was not
	// asked. ErrUnknown: it did not answer. All other errors: it refused.
	Delete(ctx context.Context, abs string) error
	// Move has the editor give the file of an open document another path, where nothing is. Errors are those of Delete.
	Move(ctx context.Context, from, to string) error
	// Frozen reports whether an edit of an open document was sent of which nothing is known yet: it must not be changed
	// before the editor shows what happened.
	Frozen(abs string) bool
	// Unsaved names the open documents that Assent changed and that are not saved since.
	Unsaved() []string
}

// NoBuffers is for the command line, where no document is open.
type NoBuffers struct{}

// Text finds no document.
func (NoBuffers) Text(string) (string, bool) { return "", false }

// Open is empty.
func (NoBuffers) Open() []string { return nil }

// Replace always fails: there is no document.
func (NoBuffers) Replace(context.Context, string, string, string) error {
	return errors.New("no document is open")
}

// Delete asks nobody.
func (NoBuffers) Delete(context.Context, string) error { return ErrNoFileOperations }

// Move asks nobody.
func (NoBuffers) Move(context.Context, string, string) error { return ErrNoFileOperations }

// Frozen is false.
func (NoBuffers) Frozen(string) bool { return false }

// Unsaved is empty.
func (NoBuffers) Unsaved() []string { return nil }

// Saved reports whether the disk holds what an editor shows of a path, up to line ends, the last one too, and a byte
// order mark. It is true if no editor has it open.
func (w *Workspace) Saved(ctx context.Context, p Path) bool {
	text, open := w.Shown(p)
	if !open {
		return true
	}
	data, err := w.readDisk(ctx, p)
	return err == nil && plain(string(data)) == plain(text)
}

// SavedTexts are what the files of the open documents hold, by path relative to the root, where the editor shows the
// same.
func (w *Workspace) SavedTexts(ctx context.Context) map[string]string {
	texts := map[string]string{}
	for _, abs := range w.buffers.Open() {
		rel, ok := w.inside(abs)
		if !ok {
			continue
		}
		p, err := w.Resolve(rel)
		if err != nil {
			continue
		}
		data, err := w.readDisk(ctx, p)
		if text, open := w.Shown(p); err == nil && open && plain(string(data)) == plain(text) {
			texts[p.Rel] = string(data)
		}
	}
	return texts
}

// Shown is the text that an editor shows of a path; open is false if none has it open.
func (w *Workspace) Shown(p Path) (text string, open bool) {
	_, text, open = w.openName(p)
	return text, open
}

const byteOrderMark = "\ufeff"

// plain is a text without what editors leave out, add or show alike: a byte order mark, the last line end, and kinds of
// line ends.
func plain(text string) string {
	return strings.TrimSuffix(strings.ReplaceAll(strings.TrimPrefix(text, byteOrderMark), "\r\n", "\n"), "\n")
}

// openName finds the name under which an editor has a path open: an editor knows a file by the name that its user
// typed, links and all.
func (w *Workspace) openName(p Path) (name, text string, open bool) {
	if p.Asked == p.Abs && w.given == w.root { // as with most of many files: there is one name
		text, open := w.buffers.Text(p.Abs)
		return p.Abs, text, open
	}
	names := []string{p.Abs, p.Asked, filepath.Join(w.given, filepath.FromSlash(p.Rel))}
	if rest, ok := below(w.root, p.Asked); ok {
		names = append(names, filepath.Join(w.given, filepath.FromSlash(rest)))
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		if text, open := w.buffers.Text(name); open {
			return name, text, true
		}
	}
	return "", "", false
}
