// Package tree has the folders of a workspace: those of the disk, and those of a draft, whose changes stay in memory.
package tree

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

var (
	// ErrSwapped says that something else has taken the place of a folder or file since it was looked at.
	ErrSwapped = errors.New("it is something else now")
	// ErrNotRegular says that something is a folder or a special file.
	ErrNotRegular = errors.New("not a regular file")
)

// Directory is a folder of the disk or of a draft: all that a workspace asks of files or does with them goes through
// one, so that all of it sees a draft. A name is that of something in the folder; what only looks takes a path in it,
// too. Errors are those of os.Root.
type Directory interface {
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
	Self() (fs.FileInfo, error)
	Entries(limit int) ([]fs.DirEntry, error)
	Folder(name string) (Directory, error) // who opens one closes it
	Open(name string) (File, error)        // for reading, without waiting for a FIFO
	// Regular opens a regular file for reading. ErrSwapped: there is a link in its place, or it was replaced just now.
	// ErrNotRegular: it is a folder or a special file.
	Regular(name string) (File, fs.FileInfo, error)

	Mkdir(name string, perm fs.FileMode) error
	Create(name string, perm fs.FileMode) (File, error) // under a name that is free, for Rename or Take
	Chmod(name string, mode fs.FileMode) error          // of what was created
	Rename(from, to string) error
	Take(temp, name string) error // gives a created file a name that is free, else fs.ErrExist; temp may be left
	Remove(name string) error

	Hold() error // before ToRead
	// ToRead opens a regular file of a folder that is held. ErrSwapped: the name is that of something else.
	ToRead(name string) (f io.ReadCloser, size int64, err error)
	Close() error
}

// Root is the folder of a whole workspace.
type Root interface {
	Directory

	Glance(rel string) (fs.FileInfo, error) // Lstat with one question to the system
	Mark(rel string) Mark                   // of what the path leads to; the zero value if that cannot be told
}

// File is a file of a directory.
type File interface {
	io.ReadCloser
	io.StringWriter
	Stat() (fs.FileInfo, error)
	Sync() error
	Like(other File) error // takes the owner, mode and attributes of a file that it will replace
}

// SameFile is os.SameFile for folders of drafts, too.
func SameFile(a, b fs.FileInfo) bool {
	x, draft := a.(draftInfo)
	y, other := b.(draftInfo)
	if draft || other {
		return draft && other && x.entry == y.entry
	}
	return os.SameFile(a, b)
}

// disk is a folder of the disk.
type disk struct {
	*os.Root

	files *os.File // the folder, to read files in it; nil: it is not held
}

func (d *disk) Self() (fs.FileInfo, error) { return d.Stat(".") }

// Regular implements Directory.
func (d *disk) Regular(name string) (File, fs.FileInfo, error) {
	seen, err := d.Lstat(name)
	switch {
	case err != nil:
		return nil, nil, err
	case seen.Mode()&fs.ModeSymlink != 0:
		return nil, nil, ErrSwapped
	case !seen.Mode().IsRegular():
		return nil, nil, ErrNotRegular
	}
	f, err := d.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !SameFile(seen, info) {
		err = ErrSwapped
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

func (d *disk) Entries(limit int) ([]fs.DirEntry, error) {
	f, err := d.Root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	found, err := f.ReadDir(limit)
	if len(found) > 0 || errors.Is(err, io.EOF) {
		err = nil
	}
	return found, err
}

func (d *disk) Folder(name string) (Directory, error) {
	dir, err := d.OpenRoot(name + "/.") // as a folder: opening a FIFO would wait
	if err != nil {
		return nil, err
	}
	return &disk{Root: dir}, nil
}

func (d *disk) Open(name string) (File, error) {
	f, err := d.OpenFile(name, os.O_RDONLY|noBlock, 0)
	if err != nil {
		return nil, err
	}
	return diskFile{f}, nil
}

func (d *disk) Create(name string, perm fs.FileMode) (File, error) {
	f, err := d.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	return diskFile{f}, nil
}

func (d *disk) Take(temp, name string) error {
	// A link takes the name only if it is free, which a rename would not.
	err := d.Link(temp, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// The file system has no links: the name is taken first, and then what was written put there.
	f, err := d.Create(name, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), d.Rename(temp, name))
}

func (d *disk) Hold() (err error) {
	if d.files == nil {
		d.files, err = d.OpenFile(".", os.O_RDONLY|noBlock, 0)
	}
	return err
}

func (d *disk) Close() error {
	if d.files == nil {
		return d.Root.Close()
	}
	return errors.Join(d.files.Close(), d.Root.Close())
}

// diskRoot is the folder of a workspace.
type diskRoot struct {
	*disk

	path string
}

// OnDisk is an open folder whose path is absolute, links followed.
func OnDisk(dir *os.Root, path string) Root { return diskRoot{&disk{Root: dir}, path} }

func (r diskRoot) Glance(rel string) (fs.FileInfo, error) { return os.Lstat(Join(r.path, rel)) }

func (r diskRoot) Mark(rel string) Mark { return markAt(Join(r.path, rel)) }

// Join is the absolute path of a clean one; nothing in it has to be cleaned, which walks would do for each folder.
func Join(root, rel string) string {
	if rel == "." {
		return root
	}
	return root + string(filepath.Separator) + filepath.FromSlash(rel)
}

// diskFile is a file of the disk.
type diskFile struct{ *os.File }

func (f diskFile) Like(other File) error {
	info, err := other.Stat()
	if err != nil {
		return err
	}
	like, real := other.(diskFile)
	if real {
		keepOwner(f.File, info)
	}
	if err := f.Chmod(info.Mode()); err != nil || !real {
		return err
	}
	return keepAttributes(f.File, like.File)
}
