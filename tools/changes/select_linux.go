package changes

import (
	"context"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Selection is what of a command's work goes into another layer, by paths that are right for Take.
type Selection struct {
	taken map[string]taking
	stays map[string]bool // what stays, in folders that go
	roots []Part
}

// taking is how a path goes.
type taking int

const (
	none    taking = iota
	whole          // with all that is in it
	shallow        // a folder without some of what is in it
)

// Parts are the outermost paths that go.
func (s *Selection) Parts() []Part { return s.roots }

// Has reports whether what a command did to a path goes: removing it, too, with the folder that it was in.
func (s *Selection) Has(rel string) bool {
	for at := rel; at != "."; at = path.Dir(at) {
		if s.stays[at] {
			return false
		}
		if s.taken[at] != none {
			return true
		}
	}
	return false
}

// selector chooses what goes.
type selector struct {
	reader

	below []tree // what the command saw below its layer, the topmost first
	may   func(rel string, dir bool) bool
	Selection
}

// Select chooses those paths that may go, all of whose contents may: what hides something on the disk that may not go
// stays. under is the layer between the command's and the disk, or empty.
func Select(
	ctx context.Context, l *Layer, under string, may func(rel string, dir bool) bool,
) (*Selection, error) {
	dirs := []string{l.Upper, l.Root}
	if under != "" {
		dirs = append(dirs, under)
	}
	trees, closeAll, err := openTrees(dirs...)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	s := selector{
		reader: reader{ctx: ctx, layer: l, upper: trees[0], disk: trees[1]}, may: may,
		below: slices.Concat(trees[2:], trees[1:2]), Selection: Selection{map[string]taking{}, map[string]bool{}, nil},
	}
	if err := s.outside("."); err != nil {
		return nil, err
	}
	slices.SortFunc(s.roots, func(a, b Part) int { return strings.Compare(a.Rel, b.Rel) })
	return &s.Selection, nil
}

// outside looks for parts in a folder that stays.
func (s *selector) outside(rel string) error {
	return s.upper.each(rel, func(at string) error {
		is, err := s.upper.lstat(at)
		if err != nil {
			return err
		}
		folder, err := s.isFolder(at, is)
		switch {
		case err != nil:
			return err
		case s.may(at, folder):
			part := Part{Rel: at}
			how, err := s.inside(at, is, &part.Files)
			if how != none {
				s.taken[at], s.roots = how, append(s.roots, part)
			}
			return err
		case is.kind() == unix.S_IFDIR:
			return s.outside(at)
		}
		return nil
	})
}

// isFolder reports whether a path is a folder or, if the command removed it, was one.
func (s *selector) isFolder(rel string, is stat) (bool, error) {
	for _, t := range s.below {
		if is.Mode != whiteout && !is.missing() {
			break
		}
		var err error
		if is, err = t.lstat(rel); err != nil {
			return false, err
		}
	}
	return is.kind() == unix.S_IFDIR, nil
}

// inside finds out how a path goes that may go.
func (s *selector) inside(rel string, is stat, files *int) (taking, error) {
	if err := s.ctx.Err(); err != nil {
		return none, err
	}
	hides := is.kind() != unix.S_IFDIR
	var err error
	switch is.kind() {
	case 0, unix.S_IFREG:
	case unix.S_IFLNK:
		to, err := s.upper.link(rel)
		if err != nil || !s.leadsInside(rel, to) {
			return none, err
		}
	case unix.S_IFDIR:
		if hides, err = s.upper.opaque(rel); err != nil {
			return none, err
		}
	default:
		return none, nil
	}
	if s.hidden(rel) || len(rel) > unix.PathMax-unix.NAME_MAX {
		return none, nil
	}
	if hides {
		if may, err := s.mayAll(rel); err != nil || !may {
			return none, err
		}
	}
	*files++
	if is.kind() != unix.S_IFDIR {
		return whole, nil
	}
	return s.folder(rel, files)
}

// folder finds out how a folder goes.
func (s *selector) folder(rel string, files *int) (taking, error) {
	hows := map[string]taking{}
	all := whole
	err := s.upper.each(rel, func(at string) error {
		is, err := s.upper.lstat(at)
		if err != nil {
			return err
		}
		how := none
		folder, err := s.isFolder(at, is)
		if err == nil && s.may(at, folder) {
			how, err = s.inside(at, is, files)
		}
		rights := is.kind() == unix.S_IFREG && is.Mode&0o7000 != 0 // which Take takes off
		if hows[at] = how; how != whole || rights {
			all = shallow
		}
		return err
	})
	if err != nil || all == whole {
		return all, err
	}
	for at, how := range hows {
		if how == none {
			s.stays[at] = true
		} else {
			s.taken[at] = how
		}
	}
	return all, nil
}

// mayAll reports whether all that is on the disk below a path may go.
func (s *selector) mayAll(rel string) (bool, error) {
	is, err := s.disk.lstat(rel)
	if err != nil || is.kind() != unix.S_IFDIR {
		return err == nil, err
	}
	all := true
	err = s.disk.each(rel, func(at string) error {
		is, err := s.disk.lstat(at)
		if err != nil || !all {
			return err
		}
		if all = !s.hidden(at) && s.may(at, is.kind() == unix.S_IFDIR); all {
			all, err = s.mayAll(at)
		}
		return err
	})
	return all, err
}
