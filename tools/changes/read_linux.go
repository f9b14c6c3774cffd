package changes

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// maxRead is how many changes of one command are listed.
const maxRead = 1_000_000

// ErrTooMany says that a command changed more than can be checked: nothing of it is applied.
var ErrTooMany = fmt.Errorf("more than %d files changed", maxRead)

// Read lists what a command did in its view. Nothing of the command may run any more.
func Read(ctx context.Context, l *Layer) (List, error) {
	if l.Began.IsZero() {
		began, err := lastRead(filepath.Dir(l.Upper))
		if err != nil {
			return List{}, err
		}
		l.Began = began
	}
	trees, closeAll, err := openTrees(l.Upper, l.Root)
	if err != nil {
		return List{}, err
	}
	defer closeAll()
	r := reader{ctx: ctx, layer: l, upper: trees[0], disk: trees[1]}
	if err := r.both(".", false); err != nil {
		return List{}, err
	}
	slices.SortStableFunc(r.list.Changes, Compare)
	return r.list, nil
}

type reader struct {
	ctx         context.Context //nolint:containedctx // of one reading
	layer       *Layer
	upper, disk tree
	list        List
}

func (r *reader) add(c Change) error {
	if len(r.list.Changes) == maxRead {
		return ErrTooMany
	}
	r.list.Changes = append(r.list.Changes, c)
	return r.ctx.Err()
}

func (r *reader) leaveOut(rel, why string) {
	r.list.LeftOut = append(r.list.LeftOut, LeftOut{rel, why})
}

// hidden reports whether the view did not show a path.
func (r *reader) hidden(rel string) bool {
	at, found := slices.BinarySearchFunc(
		r.layer.Hidden, rel, func(h, rel string) int { return strings.Compare(h+"/", rel+"/") },
	)
	return found || at > 0 && Within(r.layer.Hidden[at-1], rel)
}

// Within reports whether a path is a folder or lies in it. Both are clean, and absolute or relative to the same folder.
func Within(folder, path string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// both compares a folder that is in the layer and on the disk. Where it, or a folder above it, is a new one in the
// place of the one on the disk, the command saw nothing of what that holds.
func (r *reader) both(rel string, replaced bool) (err error) {
	if rel != "." && !replaced {
		if replaced, err = r.upper.opaque(rel); err != nil {
			return err
		}
	}
	if err := r.upper.each(rel, func(at string) error { return r.one(at, replaced) }); err != nil || !replaced {
		return err
	}
	return r.disk.each(rel, func(at string) error {
		if s, err := r.upper.lstat(at); err != nil || !s.missing() {
			return err
		}
		return r.removed(at)
	})
}

// one compares a name in the layer with the disk.
func (r *reader) one(rel string, replaced bool) error {
	if len(rel) > unix.PathMax-unix.NAME_MAX {
		r.leaveOut(rel, "its path is too long")
		return nil
	}
	fresh, err := r.upper.lstat(rel)
	if err != nil {
		return err
	}
	if r.hidden(rel) {
		if fresh.Mode != whiteout {
			r.leaveOut(rel, "something that commands do not see is there")
		}
		return nil
	}
	old, err := r.disk.lstat(rel)
	if err != nil {
		return err
	}
	switch fresh.kind() {
	case unix.S_IFREG, unix.S_IFDIR, unix.S_IFLNK:
	case 0: // a whiteout
		return r.removedAs(rel, old)
	default:
		r.leaveOut(rel, "it is no file, folder or link")
		return nil
	}
	if !old.missing() && old.kind() != fresh.kind() {
		if err := r.removedAs(rel, old); err != nil {
			return err
		}
		if old.kind() == unix.S_IFDIR &&
			slices.ContainsFunc(r.layer.Hidden, func(h string) bool { return Within(rel, h) }) {
			r.leaveOut(rel, "a folder with something that commands do not see is there")
			return nil
		}
		old = stat{}
	}
	return r.left(rel, old, fresh, replaced)
}

// left compares what the command left with what is on the disk, which is of the same kind or missing.
func (r *reader) left(rel string, old, fresh stat, replaced bool) error {
	c := Change{Rel: rel, Kind: Made, Mode: fresh.mode(), old: old, fresh: fresh}
	if fresh.Mode&(unix.S_ISUID|unix.S_ISGID) != 0 && fresh.kind() == unix.S_IFREG {
		r.leaveOut(rel, "only its right to run as another user or group: it is taken off")
	}
	var err error
	switch fresh.kind() {
	case unix.S_IFDIR:
		if old.missing() {
			if err := r.add(c); err != nil {
				return err
			}
			return r.upper.each(rel, func(at string) error { return r.one(at, true) })
		}
		if c.Kind = Set; fresh.Mode&0o777 != old.Mode&0o777 {
			if err := r.add(c); err != nil {
				return err
			}
		}
		return r.both(rel, replaced)
	case unix.S_IFLNK:
		if c.Link, err = r.upper.link(rel); err != nil {
			return err
		}
		if !r.leadsInside(rel, c.Link) {
			r.leaveOut(rel, "it is a link that leads outside the workspace")
			return nil
		}
		if !old.missing() {
			if before, err := r.disk.link(rel); err != nil || before == c.Link {
				return err
			}
			c.Kind = Changed
		}
		return r.add(c)
	}
	c.Size = fresh.Size
	if !old.missing() {
		c.Kind, c.names = Changed, old.Links > 1
		equal := false
		if old.Size == fresh.Size {
			if equal, err = same(r.upper, r.disk, rel); err != nil {
				return err
			}
		}
		switch {
		case equal && fresh.Mode&0o777 == old.Mode&0o777 && fresh.Modified == old.Modified:
			return nil
		case equal:
			c.Kind = Set
		}
	}
	return r.add(c)
}

// removed lists a path that the command removed, and all in it.
func (r *reader) removed(rel string) error {
	old, err := r.disk.lstat(rel)
	if err != nil {
		return err
	}
	return r.removedAs(rel, old)
}

func (r *reader) removedAs(rel string, old stat) error {
	if old.missing() {
		return nil
	}
	if r.hidden(rel) {
		r.list.Kept = append(r.list.Kept, rel)
		return nil
	}
	if err := r.add(Change{Rel: rel, Kind: Removed, Mode: old.mode(), old: old}); err != nil ||
		old.kind() != unix.S_IFDIR {
		return err
	}
	return r.disk.each(rel, r.removed)
}

// leadsInside reports whether a link leads to a place in the workspace, or to what else the view shows of the disk. A
// part of its way that is on the disk is followed.
func (r *reader) leadsInside(rel, to string) bool {
	abs := to
	if !filepath.IsAbs(to) {
		abs = filepath.Join(r.layer.Root, path.Dir(rel), to)
	}
	abs = filepath.Clean(abs)
	for at := abs; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			abs = filepath.Join(real, strings.TrimPrefix(abs, at))
			break
		}
		if at == "/" || !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) {
			return false
		}
	}
	return Within(r.layer.Root, abs) ||
		slices.ContainsFunc(r.layer.Shown, func(dir string) bool { return Within(dir, abs) })
}
