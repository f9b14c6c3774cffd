package runcommand

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/gitdiff"
	"github.com/assent-ls/assent/tools/ledger"
)

// maxConflicts is how many files a person is asked about that somebody else changed, too.
const maxConflicts = 5

// conflict is a file that both a command and somebody else changed.
type conflict struct {
	*settlement
	layer  *changes.Layer // with the disk as it is now
	change changes.Change // what taking the command's file would do
	whole  bool           // the texts are known
	theirs string         // what the disk holds
	ours   string         // what the command wrote
	both   string         // what both changed, joined; empty: it cannot be joined
	places int            // where both changed the same lines; both has the command's there
}

// take asks about a file that somebody else changed while the command ran, and applies what the person takes. If done
// is nil, what the disk holds stays.
func (s *settlement) take(ctx context.Context, c changes.Change) (done *changes.Change, undo *tools.FileChange) {
	asker, ok := s.report.(tools.Asker)
	if _, _, git := inRepository(c.Rel); !ok || git || !c.Mode.IsRegular() || c.Kind == changes.Removed ||
		c.Kind == changes.Set {
		return nil, nil
	}
	k, ok := s.conflict(ctx, c.Rel)
	if !ok {
		return nil, nil
	}
	reply, err := asker.Ask(ctx, k.question())
	if err != nil || !reply.Yes && !reply.Other {
		return nil, nil
	}
	if reply.Other {
		if err := k.layer.Rewrite(c.Rel, k.both); err != nil {
			return nil, nil
		}
		k.ours = k.both
		if k.change, ok = changeOf(ctx, k.layer, c.Rel); !ok {
			return nil, nil
		}
	}
	if before, _, ok := k.change.Texts(k.layer, maxUndoFile); k.whole && (!ok || text(before) != k.theirs) {
		return nil, nil // it was changed once more
	}
	report, err := changes.Apply(k.layer, []changes.Change{k.change})
	if err != nil || len(report.Applied) == 0 {
		return nil, nil
	}
	if k.whole {
		undo = &tools.FileChange{Path: s.layer.Root + "/" + c.Rel, Before: &k.theirs, After: &k.ours}
	}
	return &report.Applied[0], undo
}

// conflict reads what is known of one. It has none if the file is no file any more.
func (s *settlement) conflict(ctx context.Context, rel string) (k conflict, ok bool) {
	layer, err := s.layer.Again()
	if err != nil {
		return k, false
	}
	k = conflict{settlement: s, layer: layer}
	if k.change, ok = changeOf(ctx, layer, rel); !ok || k.change.Kind == changes.Removed || !k.change.Mode.IsRegular() {
		return k, false
	}
	before, after, whole := k.change.Texts(layer, maxUndoFile)
	if k.whole = whole && before != nil && !strings.ContainsRune(text(before)+text(after), 0); !k.whole {
		return k, true
	}
	k.theirs, k.ours = *before, *after
	origin, known := s.origins[rel]
	if !known {
		origin, err = gitdiff.Committed(ctx, s.ws, rel)
		known = err == nil
	}
	if known {
		if both, places := ledger.Merge(origin, k.theirs, k.ours); both != k.ours && both != k.theirs {
			k.both, k.places = both, places
		}
	}
	return k, true
}

// changeOf is what a command did to one path.
func changeOf(ctx context.Context, layer *changes.Layer, rel string) (changes.Change, bool) {
	list, err := changes.Read(ctx, layer)
	i := slices.IndexFunc(list.Changes, func(c changes.Change) bool { return c.Rel == rel })
	if err != nil || i < 0 {
		return changes.Change{}, false
	}
	return list.Changes[i], true
}

func (k conflict) question() tools.Inquiry {
	rel := visible.Line(k.change.Rel)
	said := fmt.Sprintf("Somebody else changed %s while the command ran. ", rel)
	other := ""
	switch {
	case k.whole:
		said += "What you take you can keep or reject hunk by hunk, as any change of this turn. " +
			"This is what the command would make of the file as it is:\n\n" +
			edit.Diff(rel, k.theirs, k.ours)
		if k.both == "" {
			break
		}
		other = "Take both changes"
		how := "The changes do not touch each other."
		if k.places > 0 {
			how = fmt.Sprintf(
				"Both changed the same lines in %s, where the command's are taken.", excerpt.Counted(k.places, "place"),
			)
		}
		said += "\n" + how + " This is what both would make of it:\n\n" + edit.Diff(rel, k.theirs, k.both)
	default:
		said += fmt.Sprintf("The command's file has %d bytes, which are no text, or too many to show.\n", k.change.Size)
	}
	return tools.Inquiry{
		From: "the command", Target: "Take what the command made of " + rel, Text: said, Yes: "Take the command's file",
		Other: other,
	}
}
