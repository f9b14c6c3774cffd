package tree

import (
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
)

// draftFolder is a folder as a draft has it: what the draft holds, over a folder of its base.
type draftFolder struct {
	tree *Draft
	rel  string
	base Directory // nil: the folder is in the draft alone
}

// at is the path of a name in the folder, and what the draft has there.
func (d *draftFolder) at(name string) (rel string, e *entry) {
	rel = path.Join(d.rel, name)
	return rel, d.tree.find(rel)
}

func (d *draftFolder) Lstat(name string) (fs.FileInfo, error) {
	_, e := d.at(name)
	switch {
	case e == nil && d.base != nil:
		return d.base.Lstat(name)
	case e == nil || e.gone:
		return nil, missing("lstat", name)
	case e.dir && d.base != nil:
		if info, err := d.base.Lstat(name); err == nil && info.IsDir() {
			return info, nil
		}
	}
	return draftInfo{e}, nil
}

func missing(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }

func (d *draftFolder) Readlink(name string) (string, error) {
	if _, e := d.at(name); e == nil && d.base != nil {
		return d.base.Readlink(name)
	}
	return "", missing("readlink", name) // a draft makes no links
}

func (d *draftFolder) Self() (fs.FileInfo, error) {
	if d.base != nil {
		return d.base.Self()
	}
	e := d.tree.find(d.rel)
	if e == nil || !e.dir {
		return nil, missing("stat", d.rel)
	}
	return draftInfo{e}, nil
}

func (d *draftFolder) Entries(limit int) (all []fs.DirEntry, err error) {
	own := d.tree.in(d.rel)
	if d.base != nil {
		found, err := d.base.Entries(limit)
		if err != nil {
			return nil, err
		}
		for _, entry := range found {
			e := own[entry.Name()]
			if e == nil || e.dir && entry.IsDir() {
				all = append(all, entry)
				delete(own, entry.Name())
			}
		}
	}
	for _, e := range own {
		if !e.gone {
			all = append(all, fs.FileInfoToDirEntry(draftInfo{e}))
		}
	}
	return all, nil
}

func (d *draftFolder) Folder(name string) (Directory, error) {
	rel, e := d.at(name)
	if e != nil && !e.dir {
		return nil, missing("open", name)
	}
	sub := &draftFolder{tree: d.tree, rel: rel}
	if d.base == nil {
		if e == nil {
			return nil, missing("open", name)
		}
		return sub, nil
	}
	if e != nil {
		if info, err := d.base.Lstat(name); err != nil || !info.IsDir() {
			return sub, nil //nolint:nilerr // it is something else there
		}
	}
	base, err := d.base.Folder(name)
	if err != nil {
		return nil, err
	}
	sub.base = base
	return sub, nil
}

func (d *draftFolder) Open(name string) (File, error) {
	if _, e := d.at(name); e == nil && d.base != nil {
		return d.base.Open(name)
	}
	f, _, err := d.Regular(name)
	return f, err
}

// Regular looks at the draft once. A file that another call replaces meanwhile still has this path, since a draft makes
// no links.
func (d *draftFolder) Regular(name string) (File, fs.FileInfo, error) {
	_, e := d.at(name)
	switch {
	case e == nil && d.base != nil:
		return d.base.Regular(name)
	case e == nil || e.gone:
		return nil, nil, missing("open", name)
	case e.dir:
		return nil, nil, ErrNotRegular
	}
	return &draftFile{Reader: strings.NewReader(e.text), entry: e}, draftInfo{e}, nil
}

func (d *draftFolder) Mkdir(name string, _ fs.FileMode) error {
	if _, err := d.Lstat(name); err == nil {
		return fs.ErrExist
	}
	rel := path.Join(d.rel, name)
	d.tree.mu.Lock()
	defer d.tree.mu.Unlock()
	d.tree.put(rel, newDraftFolder())
	return nil
}

func (d *draftFolder) Create(name string, perm fs.FileMode) (File, error) {
	rel := path.Join(d.rel, name)
	e := &entry{name: name, mode: perm &^ 0o022, since: time.Now()}
	d.tree.mu.Lock()
	defer d.tree.mu.Unlock()
	d.tree.temps[rel] = e
	return &draftFile{Reader: strings.NewReader(""), entry: e, tree: d.tree}, nil
}

func (d *draftFolder) Chmod(name string, mode fs.FileMode) error {
	e := d.tree.temp(path.Join(d.rel, name))
	if e == nil {
		return missing("chmod", name)
	}
	e.mode, e.kept = mode.Perm(), true
	return nil
}

func (d *draftFolder) Rename(from, to string) error {
	return d.tree.take(path.Join(d.rel, from), path.Join(d.rel, to), nil)
}

func (d *draftFolder) Take(temp, name string) error {
	return d.tree.take(path.Join(d.rel, temp), path.Join(d.rel, name), func() bool {
		_, err := d.Lstat(name)
		return err != nil
	})
}

func (d *draftFolder) Remove(name string) error {
	_, err := d.Lstat(name)
	inBase := d.base != nil
	if inBase {
		_, missing := d.base.Lstat(name)
		inBase = missing == nil
	}
	return d.tree.remove(path.Join(d.rel, name), err == nil, inBase)
}

func (d *draftFolder) Hold() error {
	if d.base == nil {
		return nil
	}
	return d.base.Hold()
}

func (d *draftFolder) ToRead(name string) (io.ReadCloser, int64, error) {
	if _, e := d.at(name); e == nil && d.base != nil {
		return d.base.ToRead(name)
	}
	f, info, err := d.Regular(name)
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func (d *draftFolder) Close() error {
	if d.base == nil {
		return nil
	}
	return d.base.Close()
}

// draftRoot is the folder of a draft of a workspace.
type draftRoot struct{ *draftFolder }

func (r draftRoot) Glance(rel string) (fs.FileInfo, error) { return r.Lstat(rel) }

func (r draftRoot) Mark(string) Mark { return Mark{} }

// Close leaves the base open: it is its owner's.
func (r draftRoot) Close() error { return nil }

// draftFile is a file of a draft.
type draftFile struct {
	*strings.Reader

	entry *entry
	tree  *Draft // nil: it is only read
}

func (f *draftFile) WriteString(text string) (int, error) {
	if f.tree == nil {
		return 0, fs.ErrPermission
	}
	f.tree.mu.Lock()
	defer f.tree.mu.Unlock()
	if err := f.tree.grow(len(text)); err != nil {
		return 0, err
	}
	f.entry.text += text
	return len(text), nil
}

func (f *draftFile) Stat() (fs.FileInfo, error) { return draftInfo{f.entry}, nil }

func (f *draftFile) Sync() error { return nil }

func (f *draftFile) Close() error { return nil }

func (f *draftFile) Like(other File) error {
	info, err := other.Stat()
	if err != nil {
		return err
	}
	f.entry.mode, f.entry.kept = info.Mode().Perm(), true
	if draft, ok := other.(*draftFile); ok {
		f.entry.kept = draft.entry.kept
	}
	return nil
}
