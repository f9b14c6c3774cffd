package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"
)

// opened is a folder of the workspace that was reached name by name, through no link. What is done in it by a single
// name stays in it, whatever happens to the path meanwhile. Whoever opened it closes it.
type opened struct {
	protection

	dir    *os.Root
	mark   mark
	shared *shared // nil: only who opened the folder has it open
}

// shared is what those have in common who have a folder open.
type shared struct {
	users atomic.Int32
	files *os.File // the folder, to read files in it; nil: nobody does
}

// share lets others than who opened the folder hold it open.
func (o *opened) share() {
	o.shared = &shared{}
	o.shared.users.Store(1)
}

// hold keeps a shared folder open until one more Close, for who reads files in it.
func (o opened) hold() error {
	if o.shared.files == nil {
		files, err := o.dir.OpenFile(".", os.O_RDONLY|noBlock, 0)
		if err != nil {
			return err
		}
		o.shared.files = files
	}
	o.shared.users.Add(1)
	return nil
}

// errSwapped says that something else has taken the place of a folder or file since it was resolved.
var errSwapped = errors.New("it is something else now")

// openFolder opens a folder below the root. Its path must be resolved: a link in it is errSwapped.
func (w *Workspace) openFolder(rel string) (opened, error) { return w.descend(rel, false) }

// makeFolder is openFolder that makes what is missing.
func (w *Workspace) makeFolder(rel string) (opened, error) { return w.descend(rel, true) }

func (w *Workspace) descend(rel string, create bool) (opened, error) {
	dir, err := w.dir.OpenRoot(".")
	if err != nil {
		return opened{}, err
	}
	o := opened{dir: dir}
	if info, err := dir.Stat("."); err == nil {
		o.mark = markOf(info)
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
		return opened{}, errSwapped
	}
	dir, err := o.dir.OpenRoot(name + "/.") // as a folder: opening a FIFO would wait
	if err != nil {
		return opened{}, err
	}
	now, err := dir.Stat(".")
	if err == nil && !os.SameFile(seen, now) {
		err = errSwapped
	}
	if err != nil {
		return opened{}, errors.Join(err, dir.Close())
	}
	next := opened{dir: dir, mark: markOf(now)}
	next.protection = w.childProtection(o.protection, name, true, next.has)
	return next, nil
}

// has says whether a name is in the folder.
func (o opened) has(name string) bool {
	_, err := o.dir.Lstat(name)
	return err == nil
}

// file opens a regular file in the folder for reading. errSwapped: there is a link in its place. ErrNotRegular: it is a
// folder or a special file.
func (o opened) file(name string) (*os.File, fs.FileInfo, error) {
	seen, err := o.dir.Lstat(name)
	switch {
	case err != nil:
		return nil, nil, err
	case seen.Mode()&fs.ModeSymlink != 0:
		return nil, nil, errSwapped
	case !seen.Mode().IsRegular():
		return nil, nil, ErrNotRegular
	}
	f, err := o.dir.OpenFile(name, os.O_RDONLY|noBlock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(seen, info) {
		err = errSwapped
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// names reads the folder, sorted by name.
func (o opened) names() ([]fs.DirEntry, error) {
	f, err := o.dir.Open(".")
	if err != nil {
		return nil, fmt.Errorf("%q cannot be listed: %w", o.rel, Cause(err))
	}
	defer f.Close() //nolint:errcheck // only read
	found, err := f.ReadDir(maxWalked + 1)
	if len(found) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%q cannot be listed: %w", o.rel, Cause(err))
	}
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return found, nil
}

// Close releases the folder.
func (o opened) Close() error {
	if o.shared == nil {
		return o.dir.Close()
	}
	if o.shared.users.Add(-1) > 0 {
		return nil
	}
	if o.shared.files == nil {
		return o.dir.Close()
	}
	return errors.Join(o.shared.files.Close(), o.dir.Close())
}

// stillUnprotected says that a path whose question named no protection has none now that it is open.
func stillUnprotected(p Path, now protection) error {
	if why := now.why(); why != "" && p.Protected == "" {
		return Fail(ErrChanged, "%s Look at it again.", why)
	}
	return nil
}
