package changes

import (
	"errors"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// plan orders the deeds: removals, each folder after what is in it unless it goes whole, then all else, each folder before what is in it, then
// modes of folders. of says which deed does each change.
func plan(l *Layer, list []Change) (deeds []deed, of []int) {
	type group struct {
		members []int // the first one stands for all
		whole   bool
	}
	var removals, others, folders []group
	whole := newWhole(l, list)
	defer whole.close()
	var last *group
	for i, c := range list {
		if last != nil && last.whole && list[last.members[0]].Kind == c.Kind && Within(list[last.members[0]].Rel, c.Rel) {
			last.members = append(last.members, i)
			continue
		}
		to := &others
		switch {
		case c.Kind == Removed:
			to = &removals
		case c.Kind == Set && c.Dir():
			to = &folders
		}
		*to = append(*to, group{[]int{i}, whole.goes(c)})
		last = &(*to)[len(*to)-1]
	}
	slices.Reverse(removals)
	slices.Reverse(folders)
	of = make([]int, len(list))
	for _, g := range slices.Concat(removals, others, folders) {
		for _, i := range g.members {
			of[i] = len(deeds)
		}
		c := list[g.members[0]]
		deeds = append(deeds, deed{Rel: c.Rel, Kind: c.Kind, Old: c.old, Fresh: c.fresh, Names: c.names, Whole: g.whole})
	}
	return deeds, of
}

// whole finds folders that go in one step: all that the layer, or the disk, has in them goes the same way.
type whole struct {
	upper, disk   tree
	made, removed map[string]bool
	err           error
}

func newWhole(l *Layer, list []Change) (w whole) {
	var errs [2]error
	w.upper, errs[0] = openTree(l.Upper)
	w.disk, errs[1] = openTree(l.Root)
	w.err = errors.Join(errs[:]...)
	w.made, w.removed = map[string]bool{}, map[string]bool{}
	for _, c := range list {
		switch c.Kind {
		case Made:
			w.made[c.Rel] = true
		case Removed:
			w.removed[c.Rel] = true
		}
	}
	return w
}

func (w whole) close() {
	if w.err == nil {
		w.upper.close()
		w.disk.close()
	}
}

func (w whole) goes(c Change) bool {
	switch {
	case w.err != nil || !c.Dir():
		return false
	case c.Kind == Made:
		return all(w.upper, c.Rel, w.made)
	}
	return c.Kind == Removed && all(w.disk, c.Rel, w.removed)
}

// all reports whether everything in a folder is in a set of paths.
func all(t tree, rel string, in map[string]bool) bool {
	names, err := t.names(rel)
	if err != nil {
		return false
	}
	for _, name := range names {
		at := path.Join(rel, name)
		if !in[at] {
			return false
		}
		if s, err := t.lstat(at); err != nil || s.kind() == unix.S_IFDIR && !all(t, at, in) {
			return false
		}
	}
	return true
}
