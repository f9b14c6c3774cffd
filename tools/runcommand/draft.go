package runcommand

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/proposal"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/workspace"
)

// drafted are the files of a draft as a command is to see them.
func drafted(ctx context.Context, ws *workspace.Workspace) (files []sandbox.File) {
	for _, c := range ws.Drafted(ctx) {
		files = append(files, sandbox.File{Rel: c.Rel, Text: c.After})
	}
	return files
}

// intoDraft has a draft hold what a command left that saw it. Only texts can be drafted: what else the command changed
// is dropped, and what git ignores is too.
func intoDraft(
	ctx context.Context, ws *workspace.Workspace, layer *changes.Layer, saw []sandbox.File, ignored func(string) bool,
) (sentences []string) {
	list, err := changes.Read(ctx, layer)
	if err != nil {
		return []string{fmt.Sprintf("Nothing that it did to files was kept: %v.", err)}
	}
	left := map[string]*string{} // what the files that it saw or changed hold now
	before := map[string]*string{}
	for _, c := range ws.Drafted(ctx) {
		if slices.ContainsFunc(saw, func(f sandbox.File) bool { return f.Rel == c.Rel }) {
			left[c.Rel], before[c.Rel] = c.Before, c.After // unless the layer has it: as it was without the draft
		}
	}
	var dropped proposal.Dropped
	for _, o := range list.LeftOut {
		dropped.Drop(o.Rel, o.Why)
	}
	for _, c := range list.Changes {
		_, _, git := inRepository(c.Rel)
		was, now, ok := c.Texts(layer, maxUndoFile)
		switch {
		case c.Dir(), c.TimesAlone():
		case git:
			dropped.Drop(c.Rel, "a program cannot change a repository")
		case ignored(c.Rel):
			dropped.Drop(c.Rel, "git ignores it")
		case !ok, !c.Mode.IsRegular(), c.Kind == changes.Set, strings.ContainsRune(text(was)+text(now), 0):
			dropped.Drop(c.Rel, "a program can only change texts of up to 1 MB")
		default:
			if _, seen := before[c.Rel]; !seen {
				before[c.Rel] = was
			}
			left[c.Rel] = now
		}
	}
	var made []string
	for _, rel := range slices.Sorted(maps.Keys(left)) {
		switch changed, err := draft(ctx, ws, rel, before[rel], left[rel]); {
		case err != nil:
			dropped.Drop(rel, strings.TrimSuffix(err.Error(), "."))
		case changed:
			made = append(made, rel)
		}
	}
	if len(made) > 0 {
		sentences = append(sentences, "Changed in the draft: "+proposal.SomeOf(made)+".")
	}
	if len(dropped.Paths()) > 0 {
		sentences = append(sentences, dropped.Sentence())
	}
	return sentences
}

// draft has a file of a draft hold what a command left, unless somebody else changed it since the command began.
func draft(ctx context.Context, ws *workspace.Workspace, rel string, before, after *string) (changed bool, err error) {
	p, err := ws.Resolve(rel)
	if err != nil {
		return false, err
	}
	var now *string
	switch f, err := ws.Read(ctx, p); {
	case err == nil:
		now = new(f.Content())
	case !errors.Is(err, workspace.ErrNotFound):
		return false, err
	}
	same := func(a, b *string) bool { return (a == nil) == (b == nil) && text(a) == text(b) }
	switch {
	case same(now, after):
		return false, nil
	case !same(now, before):
		return false, errors.New(proposal.Typed)
	case after == nil:
		return true, ws.Delete(ctx, p, *now)
	}
	return true, ws.Replace(ctx, p, now, *after)
}
