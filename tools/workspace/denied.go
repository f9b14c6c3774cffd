package workspace

import (
	"context"
	"errors"
	"io/fs"
	"strings"
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
			return fail(ErrDenied, "%q is denied: %s", name, why)
		}
	}
	return nil
}

// hides reports whether a path is left out of lists.
func (d *Denials) hides(rel string) bool { return d != nil && d.Why(rel) != "" }

// LeftOut is a sentence for the model about what lists and searches do not show because rules deny it; empty if there is nothing.
func (w *Workspace) LeftOut() string {
	d := w.denials()
	if d == nil || len(d.Globs) == 0 {
		return ""
	}
	return "Left out, because rules of the user deny it: " + strings.Join(d.Globs, ", ") + "."
}

// DeniedPaths lists what is there and denied, or kept from commands, ignored files too, for a sandbox to hide: a folder stands for all in it.
func (w *Workspace) DeniedPaths(ctx context.Context) []string {
	d := w.denials()
	if d == nil {
		return nil
	}
	var found []string
	_ = fs.WalkDir(w.dir.FS(), ".", func(rel string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case rel != "." && (d.hides(rel) || d.FromCommands != nil && d.FromCommands(rel)):
			found = append(found, rel)
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
		case err != nil:
			return nil //nolint:nilerr // who cannot read it cannot, either
		}
		return nil
	})
	return found
}
