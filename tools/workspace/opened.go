package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync/atomic"

	"github.com/assent-ls/assent/tools/workspace/tree"
)

// opened is a folder of the workspace that was reached name by name, through no link. What is done in it by a single
// name stays in it, whatever happens to the path meanwhile. Whoever opened it closes it.
type opened struct {
	protection

	dir    tree.Directory
	mark   mark
	shared *shared // nil: only who opened the folder has it open
}

// shared is what those have in common who have a folder open.
type shared struct {
	users atomic.Int32
}

// share lets others than who opened the folder hold it open.
func (o *opened) share() {
	o.shared = &shared{}
	o.shared.users.Store(1)
}

// hold keeps a shared folder open until one more Close, for who reads files in it.
func (o opened) hold() error {
	if err := o.dir.Hold(); err != nil {
		return err
	}
	o.shared.users.Add(1)
	return nil
}

// openFolder opens a folder below the root. Its path must be resolved: a link in it is tree.ErrSwapped.
func (w *Workspace) openFolder(rel string) (opened, error) { return w.descend(rel, false) }

// makeFolder is openFolder that makes what is missing.
func (w *Workspace) makeFolder(rel string) (opened, error) { return w.descend(rel, true) }

func (w *Workspace) descend(rel string, create bool) (opened, error) {
	dir, err := w.dir.Folder(".")
	if err != nil {
		return opened{}, err
	}
	o := opened{dir: dir}
	if info, err := dir.Self(); err == nil {
		o.mark = tree.MarkOf(info)
	}
	o.protection = w.rootProtection(o.has)
	for _, name := range split(rel) {
		if create {
			if err := o.dir.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return opened{}, errors.Join(err, o.Close())
			}
		}
		next, err := w.into(o, name)
		if err := errors.Join(err, o.Close()); err != nil {
			return opened{}, err
		}
		o = next
	}
	return o, nil
}

// into opens a folder in a folder.
func (w *Workspace) into(o opened, name string) (opened, error) {
	seen, err := o.dir.Lstat(name)
	if err != nil {
		return opened{}, err
	}
	if !seen.IsDir() {
		return opened{}, tree.ErrSwapped
	}
	dir, err := o.dir.Folder(name)
	if err != nil {
		return opened{}, err
	}
	now, err := dir.Self()
	if err == nil && !tree.SameFile(seen, now) {
		err = tree.ErrSwapped
	}
	if err != nil {
		return opened{}, errors.Join(err, dir.Close())
	}
	next := opened{dir: dir, mark: tree.MarkOf(now)}
	next.protection = w.childProtection(o.protection, name, true, next.has)
	return next, nil
}

// has says whether a name is in the folder.
func (o opened) has(name string) bool {
	_, err := o.dir.Lstat(name)
	return err == nil
}

// file opens a regular file in the folder for reading: see tree.Directory.
func (o opened) file(name string) (tree.File, fs.FileInfo, error) { return o.dir.Regular(name) }

// names reads the folder, sorted by name.
func (o opened) names() ([]fs.DirEntry, error) {
	found, err := o.dir.Entries(maxWalked + 1)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be listed: %w", o.rel, Cause(err))
	}
	slices.SortFunc(found, byName)
	return found, nil
}

func byName(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) }

// Close releases the folder.
func (o opened) Close() error {
	if o.shared != nil && o.shared.users.Add(-1) > 0 {
		return nil
	}
	return o.dir.Close()
}

// fileUnprotected is stillUnprotected for a file in the folder that holds it.
func fileUnprotected(w *Workspace, in opened, p Path) error {
	return stillUnprotected(p, w.childProtection(in.protection, path.Base(p.Rel), false, nil))
}

// stillUnprotected says that a path whose question named no protection has none now that it is open.
func stillUnprotected(p Path, now protection) error {
	if why := now.why(); why != "" && p.Protected == "" {
		return Fail(ErrChanged, "%s Look at it again.", why)
	}
	return nil
}
