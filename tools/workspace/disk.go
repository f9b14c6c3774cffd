package workspace

import (
	"context"
	"io/fs"
)

// Stat looks at a file on disk without following a link in its place.
func (w *Workspace) Stat(p Path) (fs.FileInfo, error) { return w.dir.Lstat(p.Rel) }

// Glance is Stat with one question to the system, for who asks about many files whether they changed. A link put in the
// way of one meanwhile may lead it astray: what it says must decide no more than whether to read the file again.
func (w *Workspace) Glance(p Path) (fs.FileInfo, error) { return w.dir.Glance(p.Rel) }

// ReadDisk returns what a file holds on disk, whatever an editor has open. Errors are those of Read.
func (w *Workspace) ReadDisk(ctx context.Context, p Path) ([]byte, error) {
	p, err := w.resolveAgain(p)
	if err != nil {
		return nil, err
	}
	return w.readDisk(ctx, p)
}
