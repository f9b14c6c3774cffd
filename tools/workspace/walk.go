package workspace

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/workspace/tree"
)

const (
	maxWalked = 200_000 // names that one walk looks at
	maxDepth  = 128     // folders in folders that one walk enters: each is held open meanwhile
)

// Entry is one name in a folder.
type Entry struct {
	Name      string
	Dir       bool
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
	dir, err := w.folderAgain(ctx, dir)
	if err != nil {
		return nil, err
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
	rules, _ := rulesIn(w, dir.Rel)
	entries := make([]Entry, 0, len(found))
	for _, d := range found {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rel := path.Join(dir.Rel, d.Name())
		if denied.hides(rel) {
			continue
		}
		e := Entry{
			Name: d.Name(), Dir: d.IsDir(), Ignored: rules.ignores(rel, d.IsDir()),
			Protected: protectionIn(w, folder, d).why(),
		}
		if d.Type()&fs.ModeSymlink != 0 {
			e.Link = "outside"
			if target, err := w.Resolve(rel); err == nil {
				e.Link, e.Dir, e.Protected = target.Rel, target.Dir, target.Protected
			} else if errors.Is(err, ErrDenied) {
				continue
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// folderAgain is resolveAgain for a folder that must exist.
func (w *Workspace) folderAgain(ctx context.Context, dir Path) (Path, error) {
	dir, err := w.resolveAgain(dir)
	switch {
	case err != nil:
		return Path{}, err
	case !dir.Exists:
		return Path{}, w.Missing(ctx, dir.Rel+"/")
	case !dir.Dir:
		return Path{}, Fail(ErrNotRegular, "%q is a file, not a folder.", dir.Rel)
	}
	return dir, nil
}

// protectionIn is the protection of what a folder lists.
func protectionIn(w *Workspace, folder opened, d fs.DirEntry) protection {
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
func rulesIn(w *Workspace, dir string) (in rules, ignored bool) {
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
// Protected set: a caller that reads content leaves them out. fn may return fs.SkipDir or fs.SkipAll. A folder that
// cannot be read counts as empty. After ErrTooMany (more than 200,000 names, or more than 128 folders in each other) fn
// has seen a part.
func (w *Workspace) Walk(ctx context.Context, dir Path, fn func(Path) error) error {
	return w.walk(ctx, dir, wholeBudget(), fn)
}

// walk is Walk within a budget.
func (w *Workspace) walk(ctx context.Context, dir Path, b *budget, fn func(Path) error) error {
	all, walked := w.moment.below(dir.Rel)
	if dir.Rel == "." && w.moment != nil {
		all, walked = everything(ctx, w, dir, b)
	}
	if walked && len(all) <= b.names {
		b.names -= len(all)
		return rewalk(ctx, w, all, fn)
	}
	return start(ctx, dir, &walk{workspace: w, budget: b, fn: func(m met) error { return fn(m.Path) }})
}

// everything is what a whole walk of this moment meets. It walks if none did, unless that would look at more than a
// budget allows.
func everything(ctx context.Context, w *Workspace, root Path, b *budget) ([]Path, bool) {
	if all, walked := w.moment.all(); walked {
		return all, true
	}
	count := w.known.count()
	if count > b.names || !w.moment.lasts() {
		return nil, false
	}
	all := make([]Path, 0, count)
	k := &walk{
		workspace: w, budget: wholeBudget(), fn: func(m met) error { all = append(all, m.Path); return nil },
		marks: w.known.marks(w),
	}
	if err := start(ctx, root, k); err != nil {
		return nil, false
	}
	w.moment.keepAll(all)
	return all, true
}

// rewalk is a walk over what a walk met before.
func rewalk(ctx context.Context, w *Workspace, all []Path, fn func(Path) error) error {
	denied, left := w.denials(), ""
	for _, p := range all {
		if left != "" && strings.HasPrefix(p.Rel, left) || denied.hides(p.Rel) {
			continue
		}
		left = ""
		if err := ctx.Err(); err != nil {
			return err
		}
		switch err := fn(p); {
		case errors.Is(err, fs.SkipAll):
			return nil
		case errors.Is(err, fs.SkipDir) && p.Dir:
			left = p.Rel + "/"
		case errors.Is(err, fs.SkipDir):
			if left = path.Dir(p.Rel) + "/"; left == "./" {
				return nil
			}
		case err != nil:
			return err
		}
	}
	return nil
}

// met is what a walk meets in a folder, which is open as long as the walk is in it.
type met struct {
	Path

	in opened
}

// meet is walk that opens each folder, and gives it.
func (w *Workspace) meet(ctx context.Context, dir Path, b *budget, fn func(met) error) error {
	return start(ctx, dir, &walk{workspace: w, budget: b, fn: fn, opens: true})
}

// start walks a folder.
func start(ctx context.Context, dir Path, k *walk) error {
	w := k.workspace
	k.denied, k.known = w.denials(), w.known
	dir, err := w.folderAgain(ctx, dir)
	if err != nil {
		return err
	}
	at := &stage{workspace: w, self: protection{rel: dir.Rel}, marks: k.marks}
	defer at.close()
	folder, err := at.folder()
	if err != nil {
		return w.openError(ctx, dir, err)
	}
	if err := stillUnprotected(dir, folder.protection); err != nil {
		return err
	}
	at.self = folder.protection
	above := k.rulesAbove(dir.Rel)
	if err := k.in(ctx, at, k.list(at, above), maxDepth); err != nil && !errors.Is(err, fs.SkipAll) {
		return err
	}
	if k.deeper {
		return Fail(ErrTooMany, "More than %d folders lie in each other: what is deeper was left out.", maxDepth)
	}
	return nil
}

type walk struct {
	workspace *Workspace
	budget    *budget
	fn        func(met) error
	denied    *Denials
	known     *known          // nil: every folder is to be read
	marks     map[string]mark // of folders, as they are now: the others are looked at when the walk comes to them
	opens     bool            // each folder is opened, known or not
	deeper    bool            // a folder was left out because it lies too deep
}

// rulesAbove are the rules in force in the folder that holds the one where a walk begins.
func (k *walk) rulesAbove(dir string) rules {
	if dir == "." {
		return nil
	}
	var above rules
	var ignored bool
	if l := k.known.find(
		&stage{workspace: k.workspace, self: protection{rel: "."}}, nil,
	); l != nil && path.Dir(dir) == "." {
		above = l.rules
	} else {
		k.known = nil // other rules, other lists
		above, ignored = rulesIn(k.workspace, path.Dir(dir))
	}
	if ignored || above.ignores(dir, true) { // who asks for an ignored folder by name means it
		k.known = nil
		return nil
	}
	return above
}

// stage is a folder that a walk is in. It is opened when something in it must be looked at.
type stage struct {
	workspace *Workspace
	above     *stage // nil: the walk began here
	name      string
	self      protection
	open      opened
	marks     map[string]mark // see walk
}

func (s *stage) folder() (opened, error) {
	if s.open.dir != nil {
		return s.open, nil
	}
	var err error
	var o opened
	if s.above != nil && s.above.open.dir != nil {
		o, err = s.workspace.into(s.above.open, s.name)
	} else {
		o, err = s.workspace.openFolder(s.self.rel)
	}
	if err != nil {
		return opened{}, err
	}
	o.share()
	s.open = o
	return o, nil
}

// mark is that of the folder that is open, or else of the one that is there now.
func (s *stage) mark() mark {
	if s.open.dir != nil {
		return s.open.mark
	}
	if m, known := s.marks[s.self.rel]; known {
		return m
	}
	return s.workspace.dir.Mark(s.self.rel)
}

// within is the protection of the folder above, as far as the walk knows it.
func (s *stage) within() protection {
	if s.above == nil {
		return protection{}
	}
	return s.above.self
}

func (s *stage) close() {
	if s.open.dir != nil {
		_ = s.open.Close() // only read
	}
}

// in walks one folder, of which l is the listing, and depth folders further down.
func (k *walk) in(ctx context.Context, at *stage, l *listing, depth int) error {
	for _, d := range l.names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !k.budget.spendName(len(l.rules)) {
			return Fail(ErrTooMany, "The folder holds more than %d files: the rest was left out.", maxWalked)
		}
		if d.skip || k.denied.hides(d.Rel) {
			continue
		}
		err := k.visit(ctx, at, d, l.rules, depth)
		if errors.Is(err, fs.SkipDir) {
			if d.Dir {
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

// list gives what is in a folder, under the rules above it. One that cannot be read counts as empty.
func (k *walk) list(at *stage, above rules) *listing {
	if l := k.known.find(at, above); l != nil {
		return l
	}
	return k.read(at, above)
}

// read is list for a folder of which nothing is known.
func (k *walk) read(at *stage, above rules) *listing {
	folder, err := at.folder()
	if err != nil {
		return &listing{}
	}
	l := &listing{self: at.self, within: at.within(), above: above, mark: folder.mark}
	made := k.known.time()
	if k.known != nil {
		l.marks = ignoreMarksIn(k.workspace, at.self.rel)
	}
	found, err := folder.names()
	if err != nil {
		return &listing{}
	}
	if before := k.known.last(at.self.rel); before != nil && same(before.above, above) && before.marks == l.marks {
		l.rules = before.rules // the very same, so that what is known below counts
	} else {
		l.rules = above.inFolder(k.workspace.dir, at.self.rel, found)
	}
	l.names = make([]listed, len(found))
	for i, d := range found {
		l.names[i] = k.look(at.self, d, l.rules)
	}
	k.known.keep(l, made)
	k.workspace.moment.confirm(l)
	return l
}

// look looks at a name in a folder.
func (k *walk) look(in protection, d fs.DirEntry, rules rules) listed {
	found := listed{Path: Path{Rel: path.Join(in.rel, d.Name()), Dir: d.IsDir()}}
	switch {
	case !d.IsDir() && !d.Type().IsRegular() || d.IsDir() && slices.Contains(skipped, fold(d.Name())) ||
		rules.ignores(found.Rel, d.IsDir()):
		found.skip = true
	case !d.IsDir():
		found.Path = pathOf(k.workspace, k.workspace.childProtection(in, d.Name(), false, nil))
	}
	return found
}

// pathOf is the path of what exists and was reached through no link.
func pathOf(w *Workspace, at protection) Path {
	abs := tree.Join(w.root, at.rel)
	return Path{
		Rel: at.rel, Abs: abs, Asked: abs, Exists: true, Dir: at.dir, Protected: at.why(),
		named: at.rel,
	}
}

// visit reports one name in a folder, and walks it if it is a folder.
func (k *walk) visit(ctx context.Context, at *stage, d listed, rules rules, depth int) error {
	if !d.Dir {
		return k.fn(met{d.Path, at.open})
	}
	w := k.workspace
	sub := &stage{workspace: w, above: at, name: path.Base(d.Rel), self: protection{rel: d.Rel}, marks: k.marks}
	defer sub.close()
	var err error
	if k.opens {
		_, err = sub.folder()
	}
	l := k.known.find(sub, rules)
	if err == nil && l == nil {
		_, err = sub.folder()
	}
	switch {
	case err != nil: // a folder that cannot be opened counts as empty
		return k.fn(
			met{pathOf(w, w.childProtection(at.self, sub.name, true, func(string) bool { return false })), at.open},
		)
	case l != nil:
		sub.self = l.self
	default:
		sub.self = sub.open.protection
	}
	err = k.fn(met{pathOf(w, sub.self), at.open})
	switch {
	case err != nil:
		return err
	case depth == 0:
		k.deeper = true
		return nil
	}
	if l == nil {
		l = k.read(sub, rules)
	}
	return k.in(ctx, sub, l, depth-1)
}
