package changes

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"
)

// plan orders the deeds: removals, each folder after what is in it unless it goes whole, then all else, each folder
// before what is in it, then modes of folders. of says which deed does each change.
func plan(l *Layer, list []Change) (deeds []deed, of []int, err error) {
	type group struct {
		members []int // the first one stands for all
		whole   bool
	}
	var removals, others, folders []group
	trees, closeAll, err := openTrees(l.Upper, l.Root)
	if err != nil {
		return nil, nil, err
	}
	defer closeAll()
	whole := goesWhole(trees[0], trees[1], list)
	var last *group
	for i, c := range list {
		if last != nil && last.whole && list[last.members[0]].Kind == c.Kind &&
			Within(list[last.members[0]].Rel, c.Rel) {
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
		*to = append(*to, group{[]int{i}, whole(c)})
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
		deeds = append(
			deeds, deed{Rel: c.Rel, Kind: c.Kind, Old: c.old, Fresh: c.fresh, Names: c.names, Whole: g.whole},
		)
	}
	return deeds, of, nil
}

// goesWhole finds out whether a folder goes in one step: all that the layer, or the disk, has in it goes the same way.
func goesWhole(upper, disk tree, list []Change) func(Change) bool {
	all := map[Kind]map[string]bool{Made: {}, Removed: {}}
	for _, c := range list {
		if of, ok := all[c.Kind]; ok {
			of[c.Rel] = true
		}
	}
	return func(c Change) bool {
		from := upper
		if c.Kind == Removed {
			from = disk
		}
		return c.Dir() && all[c.Kind] != nil && holdsOnly(from, c.Rel, all[c.Kind])
	}
}

// holdsOnly reports whether everything in a folder is in a set of paths.
func holdsOnly(t tree, rel string, in map[string]bool) bool {
	return t.each(rel, func(at string) error {
		if s, err := t.lstat(at); !in[at] || err != nil || s.kind() == unix.S_IFDIR && !holdsOnly(t, at, in) {
			return errOther
		}
		return nil
	}) == nil
}

var errOther = errors.New("something else is there")
