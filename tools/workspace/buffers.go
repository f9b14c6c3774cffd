package workspace

import (
	"context"
	"errors"
	"path/filepath"
)

// Buffers are the editor's open documents. Paths are absolute. A document may be asked for under several names (links
// followed or not); implementations compare the name as it is.
type Buffers interface {
	// Text returns the text of an open document, saved or not.
	Text(abs string) (text string, open bool)
	// Replace changes an open document from before to after and returns when the change is proven to be in the
	// buffer, or an error that says why it is not: one that wraps ErrChanged if the document is not before any more.
	Replace(ctx context.Context, abs, before, after string) error
	// Unsaved names the open documents that Assent changed and that are not saved since.
	Unsaved() []string
}

// NoBuffers is for the command line, where no document is open.
type NoBuffers struct{}

// Text finds no document.
func (NoBuffers) Text(string) (string, bool) { return "", false }

// Replace always fails: there is no document.
func (NoBuffers) Replace(context.Context, string, string, string) error {
	return errors.New("no document is open")
}

// Unsaved is empty.
func (NoBuffers) Unsaved() []string { return nil }

// buffer returns the text of a path's open document.
func (w *Workspace) buffer(p Path) (text string, open bool) {
	_, text, open = w.openName(p)
	return text, open
}

// openName finds the name under which an editor has a path open: an editor knows a file by the name that its user
// typed, links and all.
func (w *Workspace) openName(p Path) (name, text string, open bool) {
	names := []string{p.Abs, p.Asked, filepath.Join(w.given, filepath.FromSlash(p.Rel))}
	if rest, ok := below(w.root, p.Asked); ok {
		names = append(names, filepath.Join(w.given, filepath.FromSlash(rest)))
	}
	for _, name := range names {
		if text, open := w.buffers.Text(name); open {
			return name, text, true
		}
	}
	return "", "", false
}
