package workspace

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

const (
	maxNear = 3
	// searched bounds the names that are looked at for an outline, a mention or what is near: neither a message nor an
	// error may take seconds.
	searched = 20_000
)

// Missing is the error for a path that was expected to exist: a sentence that names what is near. A name that ends
// with "/" is told as a folder. It wraps ErrNotFound.
func (w *Workspace) Missing(name string) error {
	kind := "file"
	if strings.HasSuffix(name, "/") {
		kind = "folder"
	}
	return fail(ErrNotFound, "There is no %s %q.%s", kind, strings.TrimSuffix(name, "/"), nearList(w.Near(name)))
}

// nearList says near names at the end of an error; empty if there are none.
func nearList(names []string) string {
	if len(names) == 0 {
		return ""
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = `"` + name + `"`
	}
	return " Near: " + strings.Join(quoted, ", ") + "."
}

// Near names at most three existing files (folders, if name ends with "/") like name, relative to the root, best first.
func (w *Workspace) Near(name string) []string {
	wantDir := strings.HasSuffix(name, "/")
	name = strings.TrimPrefix(path.Clean("/"+name), "/")
	if name == "" || len(name) > maxPath {
		return nil
	}
	type candidate struct {
		rel  string
		rank int
	}
	var found []candidate
	seen := 0
	// What was found before a bound or an error stopped the walk is still near.
	_ = w.Walk(context.Background(), w.top(), func(p Path) error {
		if seen++; seen > searched {
			return errStop
		}
		if p.Dir != wantDir || p.Protected != "" {
			return nil
		}
		if rank, ok := nearness(name, p.Rel); ok {
			found = append(found, candidate{p.Rel, rank})
		}
		return nil
	})
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(len(a.rel), len(b.rel)), cmp.Compare(a.rel, b.rel))
	})
	var names []string
	for _, c := range found[:min(len(found), maxNear)] {
		names = append(names, c.rel)
	}
	return names
}

// nearness ranks how near an existing path is to a wanted one; lower is nearer.
func nearness(want, have string) (rank int, ok bool) {
	want, have = strings.ToLower(want), strings.ToLower(have)
	wantBase, haveBase := path.Base(want), path.Base(have)
	if wantBase == haveBase {
		return levenshtein.ComputeDistance(path.Dir(want), path.Dir(have)), true
	}
	if stem(wantBase) == stem(haveBase) {
		return 1000 + levenshtein.ComputeDistance(want, have), true
	}
	// Far names are not compared letter by letter: the difference in length is already too much.
	allowed := max(2, len(wantBase)/3)
	if difference := len(wantBase) - len(haveBase); difference > allowed || -difference > allowed {
		return 0, false
	}
	if distance := levenshtein.ComputeDistance(wantBase, haveBase); distance <= allowed {
		return 2000 + 100*distance + min(99, levenshtein.ComputeDistance(path.Dir(want), path.Dir(have))), true
	}
	return 0, false
}

// stem is a name without its last extension; a name that is all extension keeps it.
func stem(base string) string {
	if s := strings.TrimSuffix(base, path.Ext(base)); s != "" {
		return s
	}
	return base
}
