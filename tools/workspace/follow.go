package workspace

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// place is where the following of a path is.
type place struct {
	parts []string // names below the root, none of them a link
	exist int      // how many of the parts exist
	dir   bool
}

func (p *place) missing() bool { return p.exist < len(p.parts) }

func (p *place) rel() string { return path.Join(".", path.Join(p.parts...)) }

// follow walks a relative path name by name, as the kernel does, links included, and stays inside the root. It is
// there to tell where a path leads; what confines the access itself is os.Root. asked is for messages.
func (w *Workspace) follow(asked, rel string) (*place, error) {
	at := &place{dir: true}
	pending := strings.Split(rel, "/")
	for followed := 0; len(pending) > 0; {
		name := pending[0]
		pending = pending[1:]
		switch {
		case (name == "" || name == "." || name == "..") && at.missing() && len(pending) == 0:
			return nil, Fail(ErrNotFound, "There is no folder %q.", asked)
		case name == "" || name == ".":
			continue
		case name == "..":
			if len(at.parts) == 0 {
				return nil, Fail(ErrOutside, "%q leads outside the workspace: use a path relative to it.", asked)
			}
			at.parts = at.parts[:len(at.parts)-1]
			at.exist = min(at.exist, len(at.parts))
			continue
		case at.missing():
			at.parts = append(at.parts, name)
			continue
		}
		info, err := w.dir.Lstat(path.Join(at.rel(), name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			at.parts, at.dir = append(at.parts, name), false
		case err != nil:
			return nil, Fail(ErrInvalid, "%q cannot be looked at: %v.", asked, Cause(err))
		case info.Mode()&fs.ModeSymlink != 0:
			if followed++; followed > maxLinks {
				return nil, Fail(ErrInvalid, "%q leads through too many links.", asked)
			}
			if pending, err = w.followLink(asked, at, name, pending); err != nil {
				return nil, err
			}
		case info.IsDir():
			at.parts = append(at.parts, name)
			at.exist, at.dir = len(at.parts), true
		case !info.Mode().IsRegular():
			return nil, Fail(ErrNotRegular, "%q is not a regular file.", asked)
		case len(pending) > 0:
			return nil, Fail(ErrInvalid, "%q is a file, not a folder.", path.Join(at.rel(), name))
		default:
			at.parts = append(at.parts, name)
			at.exist, at.dir = len(at.parts), false
		}
	}
	return at, nil
}

// followLink follows one link: it returns the names that are pending then, and sets at back for an absolute target.
func (w *Workspace) followLink(asked string, at *place, name string, pending []string) ([]string, error) {
	target, err := w.dir.Readlink(path.Join(at.rel(), name))
	if err != nil {
		return nil, Fail(ErrInvalid, "The link %q cannot be read: %v.", asked, Cause(err))
	}
	if filepath.IsAbs(target) {
		rest, inside := below(w.root, target)
		if !inside {
			return nil, Fail(ErrOutside, "%q is a link that leads outside the workspace.", asked)
		}
		at.parts, at.exist, target = nil, 0, rest
	}
	return slices.Concat(strings.Split(filepath.ToSlash(target), "/"), pending), nil
}

// Cause is the innermost part of a file error: the path in front of it is the caller's to tell.
func Cause(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}
