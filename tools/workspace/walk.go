package workspace

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
)

const (
	maxWalked = 200_000 // names that one walk looks at
	maxDepth  = 128     // folders in folders that one walk enters: each is held open meanwhile
)

// Entry is one name in a folder.
type Entry struct {
	Name      string
	Dir       bool
	Size      int64  // in bytes, of a regular file
	Link      string // where a link leads: a path relative to the root, or "outside"; empty: not a link
	Ignored   bool   // by a .gitignore
	Protected string // as in Path
}

// List returns the names in a folder, sorted, hidden and ignored ones included. ErrNotFound and ErrNotRegular (it is
// no folder) say what went wrong.
func (w *Workspace) List(ctx context.Context, dir Path) ([]Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir, err := w.resolveAgain(dir)
	switch {
	case err != nil:
		return nil, err
	case !dir.Exists:
		return nil, w.Missing(ctx, dir.Rel+"/")
	case !dir.Dir:
		return nil, fail(ErrNotRegular, "%q is a file, not a folder.", dir.Rel)
	}
	folder, err := w.openFolder(dir.Rel)
	if err != nil {
		return nil, w.openError(ctx, dir, err)
	}
	defer folder.Close() //nolint:errcheck // only read
	if err := stillUnprotected(dir, folder.protection); err != nil {
		return nil, err
	}
	found, err := folder.names()
	if err != nil {
		return nil, err
	}
	denied := w.denials()
	rules, _ := w.rulesIn(dir.Rel)
	entries := make([]Entry, 0, len(found))
	for _, d := range found {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rel := path.Join(dir.Rel, d.Name())
		if denied.hides(rel) {
			continue
		}
		e := Entry{Name: d.Name(), Dir: d.IsDir(), Ignored: rules.ignores(rel, d.IsDir()), Protected: w.protectionIn(folder, d).why()}
		if d.Type()&fs.ModeSymlink != 0 {
			e.Link = "outside"
			if target, err := w.Resolve(rel); err == nil {
				e.Link, e.Dir, e.Protected = target.Rel, target.Dir, target.Protected
			} else if errors.Is(err, ErrDenied) {
				continue
			}
		} else if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			e.Size = info.Size()
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// protectionIn is the protection of what a folder lists.
func (w *Workspace) protectionIn(folder opened, d fs.DirEntry) protection {
	if d.IsDir() {
		if sub, err := w.into(folder, d.Name()); err == nil {
			defer sub.Close() //nolint:errcheck // only looked at
			return sub.protection
		}
	}
	return w.childProtection(folder.protection, d.Name(), d.IsDir(), func(string) bool { return false })
}

// rootPath is the root as a path.
func (w *Workspace) rootPath() Path {
	return w.path(protection{rel: ".", dir: true}, ".", true)
}

// rulesIn returns the rules in force in a folder, and whether they ignore the folder itself.
func (w *Workspace) rulesIn(dir string) (in rules, ignored bool) {
	in = rules(nil).with(w.dir, ".")
	at := ""
	for _, name := range split(dir) {
		at = path.Join(at, name)
		ignored = ignored || in.ignores(at, true)
		in = in.with(w.dir, at)
	}
	return in, ignored
}

// Walk calls fn for every file and folder below dir that no .gitignore excludes, sorted by name, depth first. Version
// control folders and .assent are skipped, links and special files too; protected files (chats) are listed with
// Protected set: a caller that reads content leaves them out. fn may return fs.SkipDir or fs.SkipAll. A folder that cannot be
// read counts as empty. After ErrTooMany (more than 200,000 names, or more than 128 folders in each other) fn has seen a
// part.
func (w *Workspace) Walk(ctx context.Context, dir Path, fn func(Path) error) error {
	return w.walk(ctx, dir, wholeBudget(), fn)
}

// walk is Walk within a budget.
func (w *Workspace) walk(ctx context.Context, dir Path, b *budget, fn func(Path) error) error {
	return w.meet(ctx, dir, b, func(m met) error { return fn(m.Path) })
}

// met is what a walk meets in a folder, which is open as long as the walk is in it.
type met struct {
	Path

	in    opened
	entry fs.DirEntry
}

// meet is walk that also gives the open folders.
func (w *Workspace) meet(ctx context.Context, dir Path, b *budget, fn func(met) error) error {
	dir, err := w.resolveAgain(dir)
	switch {
	case err != nil:
		return err
	case !dir.Exists:
		return w.Missing(ctx, dir.Rel+"/")
	case !dir.Dir:
		return fail(ErrNotRegular, "%q is a file, not a folder.", dir.Rel)
	}
	folder, err := w.openFolder(dir.Rel)
	if err != nil {
		return w.openError(ctx, dir, err)
	}
	folder.share()
	defer folder.Close() //nolint:errcheck // only read
	if err := stillUnprotected(dir, folder.protection); err != nil {
		return err
	}
	above, ignored := w.rulesIn(path.Dir(dir.Rel))
	if dir.Rel == "." || ignored || above.ignores(dir.Rel, true) { // who asks for an ignored folder by name means it
		above = nil
	}
	walk := walk{workspace: w, budget: b, fn: fn, denied: w.denials()}
	if err := walk.in(ctx, folder, above, maxDepth); err != nil && !errors.Is(err, fs.SkipAll) {
		return err
	}
	if walk.deeper {
		return fail(ErrTooMany, "More than %d folders lie in each other: what is deeper was left out.", maxDepth)
	}
	return nil
}

type walk struct {
	workspace *Workspace
	budget    *budget
	fn        func(met) error
	denied    *Denials
	deeper    bool // a folder was left out because it lies too deep
}

// in walks one open folder, under the rules above it, and depth folders further down.
func (k *walk) in(ctx context.Context, folder opened, above rules, depth int) error {
	found, err := folder.names()
	if err != nil {
		return nil //nolint:nilerr // a folder that cannot be read counts as empty
	}
	rules := above.inFolder(k.workspace.dir, folder.rel, found)
	for _, d := range found {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !k.budget.spendName(len(rules)) {
			return fail(ErrTooMany, "The folder holds more than %d files: the rest was left out.", maxWalked)
		}
		rel := path.Join(folder.rel, d.Name())
		if !d.IsDir() && !d.Type().IsRegular() || d.IsDir() && slices.Contains(skipped, fold(d.Name())) || rules.ignores(rel, d.IsDir()) || k.denied.hides(rel) {
			continue
		}
		err := k.visit(ctx, folder, d, rules, depth)
		if errors.Is(err, fs.SkipDir) {
			if d.IsDir() {
				continue
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// visit reports one name in a folder, and walks it if it is a folder.
func (k *walk) visit(ctx context.Context, folder opened, d fs.DirEntry, rules rules, depth int) error {
	w := k.workspace
	var sub opened
	if d.IsDir() {
		var err error
		if sub, err = w.into(folder, d.Name()); err == nil {
			sub.share()
			defer sub.Close() //nolint:errcheck // only read
		}
	}
	stands := sub.protection
	if sub.dir == nil {
		stands = w.childProtection(folder.protection, d.Name(), d.IsDir(), func(string) bool { return false })
	}
	err := k.fn(met{w.path(stands, stands.rel, true), folder, d})
	switch {
	case err != nil || sub.dir == nil: // a folder that cannot be opened counts as empty
		return err
	case depth == 0:
		k.deeper = true
		return nil
	}
	return k.in(ctx, sub, rules, depth-1)
}
