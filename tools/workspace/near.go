package workspace

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

const maxNear = 3

// Missing is the error for a path that was expected to exist: a sentence that names what is near. A name that ends
// with "/" is called a folder. It wraps ErrNotFound.
func (w *Workspace) Missing(ctx context.Context, name string) error {
	kind := "file"
	if strings.HasSuffix(name, "/") {
		kind = "folder"
	}
	return Fail(ErrNotFound, "There is no %s %q.%s", kind, strings.TrimSuffix(name, "/"), nearList(w.Near(ctx, name)))
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

// Nearby adds to an error about a path what is near to a name, as Missing does. Other errors stay as they are.
func (w *Workspace) Nearby(ctx context.Context, err error, name string) error {
	if p, ok := errors.AsType[*problem](err); ok {
		return &problem{sentence: p.sentence + nearList(w.Near(ctx, name)), kind: p.kind}
	}
	return err
}

// Near names at most three existing files (folders, if name ends with "/") like name, relative to the root, best first.
// Of a large workspace it looks at a part, the same each time. When ctx ends it returns what it has.
func (w *Workspace) Near(ctx context.Context, name string) []string {
	return near(ctx, w, name, helpBudget())
}

func near(ctx context.Context, w *Workspace, name string, b *budget) []string {
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
	want := newWanted(name)
	// What was found before a bound or an error stopped the walk is still near.
	_ = w.walk(ctx, w.rootPath(), b, func(p Path) error {
		if p.Dir != wantDir || p.Protected != "" {
			return nil
		}
		if rank, ok := want.rank(p.Rel, b); ok {
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

// wantedName is a path that does not exist, in one case.
type wantedName struct{ whole, dir, base, stem string }

func newWanted(name string) wantedName {
	name = strings.ToLower(name)
	return wantedName{whole: name, dir: path.Dir(name), base: path.Base(name), stem: stem(path.Base(name))}
}

// rank says how near an existing path is; lower is nearer.
func (n wantedName) rank(have string, b *budget) (rank int, ok bool) {
	have = strings.ToLower(have)
	base := path.Base(have)
	if n.base == base {
		return distance(n.dir, path.Dir(have), b), true
	}
	if n.stem == stem(base) {
		return 10_000 + distance(n.whole, have, b), true
	}
	// Far names are not compared character by character: the difference in length is already too much.
	allowed := max(2, len(n.base)/3)
	if difference := len(n.base) - len(base); difference > allowed || -difference > allowed {
		return 0, false
	}
	if edits := distance(n.base, base, b); edits <= allowed {
		return 20_000 + 100*edits + min(99, distance(n.dir, path.Dir(have), b)), true
	}
	return 0, false
}

// distance counts the characters that two names differ by; once the budget is spent it is the length of the longer one.
func distance(x, y string, b *budget) int {
	if x == y {
		return 0
	}
	if !b.spendComparison(x, y) {
		return max(len(x), len(y))
	}
	return levenshtein.ComputeDistance(x, y)
}

// stem is a name without its last extension; a name that is all extension keeps it.
func stem(base string) string { return cmp.Or(strings.TrimSuffix(base, path.Ext(base)), base) }
