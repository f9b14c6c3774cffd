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

// Denials says which paths rules of the user deny: tools, context and commands never see what they hold.
type Denials struct {
	Why   func(rel string) string // why a path is denied: a sentence; empty: it is not
	Globs []string                // as the rules have them
	// FromCommands says which other paths commands do not see, since they are to be asked about; nil: none.
	FromCommands func(rel string) bool
}

// ErrDenied says that a rule denies a path.
var ErrDenied = errors.New("denied by a rule")

// Deny sets where the denials of this moment come from; nil, or a nil result: nothing is denied.
func (w *Workspace) Deny(now func() *Denials) { w.denied.Store(&now) }

// denials are those of this moment; nil: there are none.
func (w *Workspace) denials() *Denials {
	if now := w.denied.Load(); now != nil && *now != nil {
		return (*now)()
	}
	return nil
}

// refuse is the error about a path that is denied, as it was named or where it leads.
func (d *Denials) refuse(names ...string) error {
	if d == nil {
		return nil
	}
	for _, name := range names {
		if why := d.Why(name); why != "" {
			return Fail(ErrDenied, "%q is denied: %s", name, why)
		}
	}
	return nil
}

// hides reports whether a path is left out of lists.
func (d *Denials) hides(rel string) bool { return d != nil && d.Why(rel) != "" }

// LeftOut is a sentence for the model about what lists and searches do not show because rules deny it; empty if there
// is nothing.
func (w *Workspace) LeftOut() string {
	d := w.denials()
	if d == nil || len(d.Globs) == 0 {
		return ""
	}
	return "Left out, because rules of the user deny it: " + strings.Join(d.Globs, ", ") + "."
}

// DeniedPaths lists what is there and denied, or kept from commands, ignored files too, for a sandbox to hide: a folder
// stands for all in it. What a rule denies by the name of a link to a folder has that name.
func (w *Workspace) DeniedPaths(ctx context.Context) []string {
	d := w.denials()
	if d == nil {
		return nil
	}
	var found, links []string
	look := func(rel string, entry fs.DirEntry) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case d.hides(rel) || d.FromCommands != nil && d.FromCommands(rel):
			found = append(found, rel)
			return fs.SkipDir
		case entry.Type()&fs.ModeSymlink != 0 && d.names(path.Base(rel)):
			links = append(links, rel)
		}
		return nil
	}
	_ = everyName(w.dir, ".", look)
	for _, link := range links { // one that leads out of the workspace, or to a file, has nothing in it
		if at, err := w.follow(link, link); err == nil && at.dir {
			_ = inFolder(w.dir, at.rel(), link, look)
		}
	}
	return found
}

// everyName calls look for all names below a folder that has a name itself, links not followed. fs.SkipDir leaves out
// what is below a name.
func everyName(in tree.Directory, named string, look func(rel string, entry fs.DirEntry) error) error {
	names, _ := in.Entries(-1) // who cannot read it cannot, either
	slices.SortFunc(names, byName)
	for _, entry := range names {
		rel := path.Join(named, entry.Name())
		err := look(rel, entry)
		if err == nil && entry.IsDir() {
			err = inFolder(in, entry.Name(), rel, look)
		}
		if err != nil && !errors.Is(err, fs.SkipDir) {
			return err
		}
	}
	return nil
}

func inFolder(in tree.Directory, name, named string, look func(rel string, entry fs.DirEntry) error) error {
	sub, err := in.Folder(name)
	if err != nil {
		return nil // as above
	}
	defer sub.Close() //nolint:errcheck // only read
	return everyName(sub, named, look)
}

// names reports whether a rule denies something in folders with this name.
func (d *Denials) names(folder string) bool {
	return slices.ContainsFunc(d.Globs, func(glob string) bool {
		parts := strings.Split(glob, "/")
		return slices.ContainsFunc(parts[:len(parts)-1], func(part string) bool {
			is, err := path.Match(part, folder)
			return part != "**" && (is || err != nil)
		})
	})
}

// DeniedPatterns are patterns of what rules deny, for a repository of git that may lie deeper than the root, in the
// form of [AskedPatterns].
func (w *Workspace) DeniedPatterns(ctx context.Context) []string {
	var all, out []string
	if d := w.denials(); d != nil {
		all = slices.Clone(d.Globs)
	}
	for _, denied := range w.DeniedPaths(ctx) {
		all = append(all, strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(denied))
	}
	for _, p := range all {
		for p, more := p, true; more && !strings.HasPrefix(p, "*"); _, p, more = strings.Cut(p, "/") {
			out = append(out, p, p+"/**")
		}
		if strings.HasPrefix(p, "*") {
			out = append(out, p, p+"/**")
		}
	}
	return out
}
