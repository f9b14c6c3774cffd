package changes

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"time"

	"golang.org/x/sys/unix"
)

// applier does the steps of applying. Each is done whole or not at all, and may be done again.
type applier struct {
	upper, disk, aside tree
	began              time.Time
	next               func() error
}

// step does something, if it is to go on.
func (a applier) step(do func() error) error {
	if err := a.next(); err != nil {
		return errors.Join(errStopped, err)
	}
	return do()
}

// do does a deed, or what is left of it. number names what is put aside for it.
func (a applier) do(d deed, number string) error {
	kept, keptErr := a.aside.lstat(number)
	now, nowErr := a.disk.lstat(d.Rel)
	if err := errors.Join(keptErr, nowErr); err != nil {
		return err
	}
	if d.Kind == Removed {
		return a.remove(d, number, now, kept)
	}
	fresh, err := a.upper.lstat(d.Rel)
	if err != nil {
		return err
	}
	switch {
	case d.Kind == Set:
		return a.set(d, now)
	case d.Kind == Made && d.Fresh.kind() == unix.S_IFDIR && !d.Whole:
		return a.makeFolder(d, now)
	case fresh.Inode != d.Fresh.Inode || fresh.kind() != d.Fresh.kind():
		return nil // it was moved before
	case d.Kind == Made && !now.missing():
		return errConflict
	case d.Kind == Changed && kept.missing() && a.touched(d, now):
		return errConflict
	}
	if err := a.ready(d.Rel); err != nil {
		return err
	}
	switch {
	case d.Kind == Made:
		return a.move(d.Rel, unix.RENAME_NOREPLACE)
	case d.Names:
		return a.writeInPlace(d, number, kept)
	}
	return a.replace(d, number, kept)
}

// touched reports whether somebody changed a file since the command began.
func (a applier) touched(d deed, now stat) bool {
	return now.Inode != d.Old.Inode || now.kind() != d.Old.kind() || now.since(a.began)
}

// remove puts a file or folder aside.
func (a applier) remove(d deed, number string, now, kept stat) error {
	switch {
	case now.missing() || !kept.missing():
		return nil
	case d.Old.kind() == unix.S_IFDIR && !d.Whole:
		err := a.step(func() error { return a.disk.unlink(d.Rel, unix.AT_REMOVEDIR) })
		if errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) {
			return nil // what is left in it stays
		}
		return err
	case d.Whole:
		if now.Inode != d.Old.Inode || a.anyTouched(d.Rel) {
			return errConflict
		}
	case a.touched(d, now):
		return errConflict
	}
	return a.step(func() error {
		err := rename(a.disk, d.Rel, a.aside, number, unix.RENAME_NOREPLACE)
		if !errors.Is(err, unix.EXDEV) {
			return err
		}
		if d.Whole {
			return a.disk.removeAll(d.Rel) // of another file system: nothing of it is kept
		}
		if err := a.copyAside(d, number); err != nil {
			return err
		}
		return a.disk.unlink(d.Rel, 0)
	})
}

// anyTouched reports whether somebody changed something in a folder since the command began. A folder that was moved in
// has a new change time, and what is in it does not, so both count.
func (a applier) anyTouched(rel string) bool {
	s, err := a.disk.lstat(rel)
	if err != nil || s.since(a.began) {
		return true
	}
	if s.kind() != unix.S_IFDIR {
		return false
	}
	return a.disk.each(rel, func(at string) error {
		if a.anyTouched(at) {
			return errConflict
		}
		return nil
	}) != nil
}

// makeFolder makes a folder of which not all goes into the workspace.
func (a applier) makeFolder(d deed, now stat) error {
	switch {
	case now.kind() == unix.S_IFDIR:
		return nil
	case !now.missing():
		return errConflict
	}
	return a.step(func() error {
		return a.disk.at(d.Rel, func(dir int, name string) error {
			if err := unix.Mkdirat(dir, name, 0o700); err != nil {
				return err
			}
			return unix.Fchmodat(dir, name, d.Fresh.Mode&0o777, 0)
		})
	})
}

// set gives a file or folder the mode and times that the command gave it.
func (a applier) set(d deed, now stat) error {
	folder := now.kind() == unix.S_IFDIR
	switch {
	case now.Inode != d.Old.Inode || now.kind() != d.Old.kind():
		return errConflict
	case now.Mode&0o777 == d.Fresh.Mode&0o777 && (folder || now.Modified == d.Fresh.Modified):
		return nil
	case !folder && now.since(a.began):
		return errConflict
	}
	return a.step(func() error {
		return a.disk.at(d.Rel, func(dir int, name string) error {
			if err := unix.Fchmodat(dir, name, d.Fresh.Mode&0o777|now.Mode&0o7000, 0); err != nil || folder {
				return err
			}
			return setTimes(dir, name, d.Fresh)
		})
	})
}

// ready takes off what is the overlay's, and the rights of other users, before something is moved into the workspace.
func (a applier) ready(rel string) error {
	s, err := a.upper.lstat(rel)
	if err != nil {
		return err
	}
	err = a.upper.at(rel, func(dir int, name string) error {
		if err := plain(dir, name); err != nil || s.kind() == unix.S_IFLNK {
			return err
		}
		if s.Mode&(unix.S_ISUID|unix.S_ISGID|unix.S_ISVTX) != 0 && s.kind() == unix.S_IFREG {
			return unix.Fchmodat(dir, name, s.Mode&0o777, 0)
		}
		return nil
	})
	if err != nil || s.kind() != unix.S_IFDIR {
		return err
	}
	return a.upper.each(rel, a.ready)
}

// move moves a file, link or folder of the layer into the workspace.
func (a applier) move(rel string, flags uint) error {
	return a.step(func() error {
		err := rename(a.upper, rel, a.disk, rel, flags)
		switch {
		case errors.Is(err, unix.EXDEV):
			return a.copyOver(rel, flags)
		case errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOENT): // something came, or the folder went
			return errConflict
		}
		return err
	})
}

// copyOver is move between file systems: a copy under another name takes the place at once.
func (a applier) copyOver(rel string, flags uint) error {
	name := ".assent-" + path.Base(rel)
	beside := path.Join(path.Dir(rel), name[:min(len(name), unix.NAME_MAX)])
	if err := copyTree(a.upper, rel, a.disk, beside); err != nil {
		return errors.Join(err, a.disk.removeAll(beside))
	}
	if err := rename(a.disk, beside, a.disk, rel, flags); err != nil {
		err = errors.Join(err, a.disk.removeAll(beside))
		if errors.Is(err, unix.EEXIST) {
			return errConflict
		}
		return err
	}
	return a.upper.removeAll(rel)
}

// replace puts a file in the place of another, which takes its place in the layer, or is copied aside where two files
// cannot be exchanged.
func (a applier) replace(d deed, number string, kept stat) error {
	if !kept.missing() {
		return a.move(d.Rel, 0)
	}
	exchange := func() error { return rename(a.upper, d.Rel, a.disk, d.Rel, unix.RENAME_EXCHANGE) }
	err := a.step(exchange)
	switch before, _ := a.upper.lstat(d.Rel); {
	case errors.Is(err, unix.ENOENT): // it went
		return errConflict
	case errors.Is(err, errStopped) || err == nil && before.Inode == d.Old.Inode:
		return err
	case err == nil: // it was replaced at this very moment
		return errors.Join(errConflict, exchange())
	}
	if err := a.copyAside(d, number); err != nil {
		return err
	}
	return a.move(d.Rel, 0)
}

// copyAside copies what a file holds aside, whole or not at all.
func (a applier) copyAside(d deed, number string) error {
	part := number + ".part"
	_ = a.aside.unlink(part, 0) // of a crash
	if err := copyTo(a.disk, d.Rel, a.aside, part); err != nil {
		return err
	}
	return rename(a.aside, part, a.aside, number, 0)
}

// writeInPlace writes a file that has several names, so that all of them have the new text.
func (a applier) writeInPlace(d deed, number string, kept stat) error {
	if kept.missing() {
		if err := a.step(func() error { return a.copyAside(d, number) }); err != nil {
			return err
		}
	}
	return a.step(func() error { return a.write(d) })
}

func (a applier) write(d deed) error {
	from, err := a.upper.file(d.Rel, unix.O_RDONLY)
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // only read
	to, err := a.disk.file(d.Rel, unix.O_WRONLY|unix.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Chmod(fs.FileMode(d.Fresh.Mode&0o777)), to.Sync(), to.Close()); err != nil {
		return err
	}
	return a.upper.unlink(d.Rel, 0)
}
