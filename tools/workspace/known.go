package workspace

import (
	"maps"
	"path"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/assent-ls/assent/tools/workspace/tree"
)

const (
	maxKnown = 100_000 // names that are kept
	// settled is how long a folder must have been unchanged when it was read: clocks of file systems are coarse.
	settled = 2 * time.Second
)

// known keeps what walks found in folders, so that the next walk only asks whether those changed. It is for lists of
// paths: whoever reads a file looks at its path again, or opens its folder first. Only what was reached from the root
// is kept. The zero value knows nothing. It may be used concurrently.
type known struct {
	now func() time.Time // nil: time.Now

	mu      sync.Mutex
	folders map[string]*listing // guarded by mu: by path
	names   int                 // guarded by mu: in all of them
}

// listing is what a walk found in a folder. It is not changed any more.
type listing struct {
	self   protection
	within protection // of the folder that it lies in
	mark   mark
	marks  ignoreMarks
	above  rules // in force in the folder that it lies in
	rules  rules // in force in it
	names  []listed
}

// listed is a name in a folder.
type listed struct {
	Path

	skip bool // ignored, a link, or what no walk enters
}

// mark tells a folder or file from what it was before.
type mark = tree.Mark

// ignoreMarksIn are those of the files that have the rules of a folder.
type ignoreMarks [2]mark

// find gives what is known of a folder, if neither it changed nor the rules and the protection above it.
func (k *known) find(at *stage, above rules) *listing {
	w, rel, within := at.workspace, at.self.rel, at.within()
	l := k.last(rel)
	switch {
	case l == nil || !same(l.above, above) || l.within.words != within.words || l.within.disk != within.disk:
		return nil
	case at.open.dir == nil && w.moment.has(l):
		return l
	case at.mark() != l.mark || (rel == "." || l.marks != ignoreMarks{}) && ignoreMarksIn(w, rel) != l.marks:
		// a new file of rules changes the folder
		return nil
	}
	w.moment.confirm(l)
	return l
}

// last is what was known of a folder, whatever changed since.
func (k *known) last(rel string) *listing {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.folders[rel]
}

// marks are those that the folders have now, looked at on all processors.
func (k *known) marks(w *Workspace) map[string]mark {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	folders := slices.Collect(maps.Keys(k.folders))
	k.mu.Unlock()
	found := make([]mark, len(folders))
	var wait sync.WaitGroup
	for part := range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := part; i < len(folders); i += runtime.GOMAXPROCS(0) {
				found[i] = w.dir.Mark(folders[i])
			}
		})
	}
	wait.Wait()
	all := make(map[string]mark, len(folders))
	for i, folder := range folders {
		all[folder] = found[i]
	}
	return all
}

// count is how many names are kept.
func (k *known) count() int {
	if k == nil {
		return 0
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.names
}

// time is that of a listing that begins.
func (k *known) time() time.Time {
	if k == nil || k.now == nil {
		return time.Now()
	}
	return k.now()
}

// keep keeps a listing, unless something changed a moment before it was made.
func (k *known) keep(l *listing, made time.Time) {
	if k == nil {
		return
	}
	for _, m := range []mark{l.mark, l.marks[0], l.marks[1]} {
		if m != (mark{}) && made.Sub(m.Changed) < settled {
			return
		}
	}
	if l.mark == (mark{}) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if before := k.folders[l.self.rel]; before != nil {
		k.names -= len(before.names)
	}
	if k.folders == nil || k.names+len(l.names) > maxKnown {
		k.folders, k.names = map[string]*listing{}, 0
	}
	k.folders[l.self.rel] = l
	k.names += len(l.names)
}

// ignoreMarksIn are the marks of the files of rules in a folder.
func ignoreMarksIn(w *Workspace, rel string) (marks ignoreMarks) {
	marks[0] = w.dir.Mark(path.Join(rel, ignoreFile))
	if rel == "." {
		marks[1] = w.dir.Mark(excludeFile)
	}
	return marks
}

// same reports whether two lists of rules are the very same.
func same(a, b rules) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }
