package changes

import (
	"errors"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// taker moves what a command wrote into the layer that its view had below it, so that both together show the same as
// before.
type taker struct {
	*Selection

	upper, to, disk tree
}

// Take moves a part of a command's work into the layer that its view had below it: they show together what they showed
// before, at each step. Nothing of the command may run any more, and no view may have the layer.
func (s *Selection) Take(l *Layer, part Part, under string) error {
	trees, closeAll, err := openTrees(l.Upper, under, l.Root)
	if err != nil {
		return err
	}
	defer closeAll()
	t := taker{s, trees[0], trees[1], trees[2]}
	if err := t.above(part.Rel); err != nil {
		return err
	}
	hidden, err := hides(t.upper, part.Rel)
	if err != nil {
		return err
	}
	return t.take(part.Rel, s.taken[part.Rel], hidden)
}

// Hides reports whether a command removed or replaced a folder that a path lies in.
func Hides(l *Layer, rel string) (bool, error) {
	upper, err := openTree(l.Upper)
	if err != nil {
		return false, err
	}
	defer upper.close()
	return hides(upper, rel)
}

func hides(upper tree, rel string) (bool, error) {
	for i, c := range rel {
		if c != '/' {
			continue
		}
		is, err := upper.lstat(rel[:i])
		switch {
		case err != nil || is.missing():
			return false, err
		case is.kind() != unix.S_IFDIR:
			return true, nil
		}
		if opaque, err := upper.opaque(rel[:i]); err != nil || opaque {
			return opaque, err
		}
	}
	return false, nil
}

// above makes the folders above a path. Of them a view shows the disk's.
func (t taker) above(rel string) error {
	for i, c := range rel {
		if c != '/' {
			continue
		}
		is, err := t.to.lstat(rel[:i])
		if err == nil && !is.missing() && is.kind() != unix.S_IFDIR {
			err = t.to.clear(rel[:i])
			is = stat{}
		}
		if err == nil && is.missing() {
			err = t.to.mkdir(rel[:i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take moves a path. replaces: all that the layer, or the disk, has there is gone.
func (t taker) take(rel string, how taking, replaces bool) error {
	is, err := t.upper.lstat(rel)
	if err != nil || is.missing() {
		return err
	}
	was, err := t.to.lstat(rel)
	if err != nil {
		return err
	}
	if is.kind() != unix.S_IFDIR {
		return t.takeFile(rel, is, was)
	}
	opaque, err := t.upper.opaque(rel)
	if err != nil {
		return err
	}
	if replaces || opaque || !was.missing() && was.kind() != unix.S_IFDIR {
		replaces = true // else what is removed now would show what is below it
		if err := errors.Join(t.open(t.upper, rel), t.upper.setOpaque(rel)); err != nil {
			return err
		}
		if !was.missing() {
			if err := t.to.clear(rel); err != nil {
				return err
			}
		}
		was = stat{}
	}
	if was.missing() && how == whole {
		return errors.Join(t.open(t.upper, rel), rename(t.upper, rel, t.to, rel, unix.RENAME_NOREPLACE),
			t.alike(rel, is))
	}
	if was.missing() {
		err = t.to.mkdir(rel)
		if err == nil && replaces {
			err = t.to.setOpaque(rel)
		}
	}
	if err = errors.Join(err, t.open(t.upper, rel), t.open(t.to, rel)); err != nil {
		return err
	}
	err = t.upper.each(rel, func(at string) error {
		if t.stays[at] {
			return nil
		}
		if how == shallow {
			return t.take(at, t.taken[at], false)
		}
		return t.take(at, whole, false)
	})
	return errors.Join(err, t.alike(rel, is))
}

// takeFile moves a file, a link, or what says that something was removed.
func (t taker) takeFile(rel string, is, was stat) error {
	if was.kind() == unix.S_IFDIR {
		if err := t.to.clear(rel); err != nil {
			return err
		}
	}
	if is.Mode == whiteout {
		on, err := t.disk.lstat(rel)
		if err == nil && on.missing() { // there is nothing left to hide
			if !was.missing() && was.kind() != unix.S_IFDIR {
				err = t.to.unlink(rel, 0)
			}
			return errors.Join(err, t.upper.unlink(rel, 0))
		}
	}
	if is.kind() == unix.S_IFREG && is.Mode&0o7000 != 0 {
		if err := t.upper.chmod(rel, is.Mode&0o777); err != nil {
			return err
		}
	}
	return rename(t.upper, rel, t.to, rel, 0)
}

// open gives the user the rights to move a folder and what is in it.
func (taker) open(in tree, rel string) error {
	is, err := in.lstat(rel)
	if err != nil || is.Mode&0o700 == 0o700 {
		return err
	}
	return in.chmod(rel, is.Mode&0o777|0o700)
}

// alike gives a folder of the layer the mode and times that the command gave it.
func (t taker) alike(rel string, is stat) error {
	return t.to.at(rel, func(dir int, name string) error {
		return errors.Join(setTimes(dir, name, is), unix.Fchmodat(dir, name, is.Mode&0o777, 0))
	})
}

// mkdir makes a folder.
func (t tree) mkdir(rel string) error {
	return t.at(rel, func(dir int, name string) error { return unix.Mkdirat(dir, name, 0o700) })
}

func (t tree) chmod(rel string, mode uint32) error {
	return t.at(rel, func(dir int, name string) error { return unix.Fchmodat(dir, name, mode, 0) })
}

// setOpaque has a folder of a layer hide what lies below it.
func (t tree) setOpaque(rel string) error {
	fd, err := t.folder(rel, unix.O_RDONLY)
	if err != nil {
		return err
	}
	return errors.Join(unix.Fsetxattr(fd, overlayAttributes+"opaque", []byte("y"), 0), unix.Close(fd))
}

// Drop takes a path out of a layer that no view has, with the folders above it that are empty then.
func Drop(layer, rel string) error {
	t, err := openTree(layer)
	if err != nil {
		return err
	}
	defer t.close()
	is, err := t.lstat(rel)
	if err != nil {
		return err
	}
	if !is.missing() {
		if err := t.clear(rel); err != nil {
			return err
		}
	}
	for at := path.Dir(rel); at != "."; at = path.Dir(at) {
		if t.unlink(at, unix.AT_REMOVEDIR) != nil {
			return nil // something else is in it
		}
	}
	return nil
}

// clear is removeAll for what a command may have taken the user's rights off.
func (t tree) clear(rel string) error {
	is, err := t.lstat(rel)
	if err == nil {
		err = t.allow(rel, is)
	}
	return errors.Join(err, t.removeAll(rel))
}

// allow gives the user the rights to remove what is in a folder.
func (t tree) allow(rel string, is stat) error {
	if is.kind() != unix.S_IFDIR {
		return nil
	}
	if is.Mode&0o700 != 0o700 {
		if err := t.chmod(rel, 0o700); err != nil {
			return err
		}
	}
	return t.each(rel, func(at string) error {
		is, err := t.lstat(at)
		if err != nil {
			return err
		}
		return t.allow(at, is)
	})
}

// Count counts what is in a folder at a path, and the bytes of the disk that it takes.
func Count(folder, rel string) (files int, bytes uint64, err error) {
	t, err := openTree(folder)
	if err != nil {
		return 0, 0, err
	}
	defer t.close()
	var count func(at string) error
	count = func(at string) error {
		is, err := t.lstat(at)
		if err != nil || is.missing() {
			return err
		}
		files, bytes = files+1, bytes+is.Blocks*512
		if is.kind() != unix.S_IFDIR {
			return nil
		}
		return t.each(at, count)
	}
	err = count(strings.TrimSuffix(rel, "/"))
	return files, bytes, err
}
