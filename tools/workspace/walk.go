package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
)

// maxWalked bounds the names that one walk looks at.
const maxWalked = 200_000

// errStop ends a walk of our own early.
var errStop = fs.SkipAll

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
// no folder) tell what went wrong.
func (w *Workspace) List(ctx context.Context, dir Path) ([]Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir, err := w.again(dir)
	switch {
	case err != nil:
		return nil, err
	case !dir.Exists:
		return nil, w.Missing(dir.Rel + "/")
	case !dir.Dir:
		return nil, fail(ErrNotRegular, "%q is a file, not a folder.", dir.Rel)
	}
	found, err := w.names(dir.Rel)
	if err != nil {
		return nil, err
	}
	rules, _ := w.rulesIn(dir.Rel)
	here := w.stand(dir.Rel, true)
	entries := make([]Entry, 0, len(found))
	for _, d := range found {
		rel := path.Join(dir.Rel, d.Name())
		e := Entry{Name: d.Name(), Dir: d.IsDir(), Ignored: rules.ignores(rel, d.IsDir()), Protected: w.enter(here, d.Name(), d.IsDir()).why()}
		if d.Type()&fs.ModeSymlink != 0 {
			e.Link = "outside"
			if target, err := w.Resolve(rel); err == nil {
				e.Link, e.Dir, e.Protected = target.Rel, target.Dir, target.Protected
			}
		} else if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			e.Size = info.Size()
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// names reads a folder, sorted by name.
func (w *Workspace) names(dir string) ([]fs.DirEntry, error) {
	f, err := w.dir.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be listed: %w", dir, cause(err))
	}
	defer f.Close() //nolint:errcheck // only read
	found, err := f.ReadDir(maxWalked + 1)
	if len(found) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%q cannot be listed: %w", dir, cause(err))
	}
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return found, nil
}

// top is the root as a path.
func (w *Workspace) top() Path {
	return Path{Rel: ".", Abs: w.root, Asked: w.root, Exists: true, Dir: true}
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
// Protected set: whoever reads content leaves them out. fn may return fs.SkipDir or fs.SkipAll. A folder that cannot be
// read counts as empty. After ErrTooMany (more than 200,000 names) fn has seen a part.
func (w *Workspace) Walk(ctx context.Context, dir Path, fn func(Path) error) error {
	dir, err := w.again(dir)
	switch {
	case err != nil:
		return err
	case !dir.Exists:
		return w.Missing(dir.Rel + "/")
	case !dir.Dir:
		return fail(ErrNotRegular, "%q is a file, not a folder.", dir.Rel)
	}
	above, ignored := w.rulesIn(dir.Rel)
	if ignored { // who asks for an ignored folder by name means it
		above = rules(nil).with(w.dir, dir.Rel)
	}
	walk := walk{workspace: w, fn: fn}
	if err := walk.in(ctx, w.stand(dir.Rel, true), above); err != nil && !errors.Is(err, fs.SkipAll) {
		return err
	}
	return nil
}

type walk struct {
	workspace *Workspace
	fn        func(Path) error
	seen      int
}

// in walks one folder, under the rules in force in it.
func (k *walk) in(ctx context.Context, dir standing, rules rules) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	found, err := k.workspace.names(dir.rel)
	if err != nil {
		return nil //nolint:nilerr // a folder that cannot be read counts as empty
	}
	for _, d := range found {
		if k.seen++; k.seen > maxWalked {
			return fail(ErrTooMany, "The folder holds more than %d files: the rest was left out.", maxWalked)
		}
		rel := path.Join(dir.rel, d.Name())
		if !d.IsDir() && !d.Type().IsRegular() || d.IsDir() && slices.Contains(skipped, fold(d.Name())) || rules.ignores(rel, d.IsDir()) {
			continue
		}
		abs := filepath.Join(k.workspace.root, filepath.FromSlash(rel))
		stands := k.workspace.enter(dir, d.Name(), d.IsDir())
		err := k.fn(Path{Rel: rel, Abs: abs, Asked: abs, Exists: true, Dir: d.IsDir(), Protected: stands.why(), Note: stands.note()})
		if err == nil && d.IsDir() {
			err = k.in(ctx, stands, rules.with(k.workspace.dir, rel))
		}
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
