package ledger

import (
	"context"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Diff shows all that a turn changed, and what of it still waits for a decision.
func (l *Ledger) Diff(ctx context.Context, turn Turn) (string, error) {
	x, err := l.store.load()
	if err != nil {
		return "", err
	}
	t := x.turn(turn)
	if t == nil {
		return "", errNoTurn
	}
	var list, diffs strings.Builder
	for _, f := range t.Files {
		fmt.Fprintf(&list, "%s: %s\n", f.Path, l.status(ctx, *t, f))
		for _, s := range f.Steps {
			before, after, err := l.store.getBoth(s.Before, s.After)
			if err != nil {
				return "", fmt.Errorf("%q: %w", f.Path, err)
			}
			diffs.WriteString("\n" + diffOf(f.Path, before, after))
		}
	}
	return list.String() + diffs.String(), nil
}

// status says what of a turn's changes of a file waits for a decision.
func (l *Ledger) status(ctx context.Context, t turnRecord, f touched) string {
	waiting, err := l.Hunks(ctx, l.abs(f.Path))
	switch {
	case t.Undone:
		return "undone"
	case err != nil:
		return err.Error()
	case len(waiting) == 0:
		return "nothing waits for a decision"
	case waiting[0].Made:
		return "made, and waits for a decision"
	case waiting[0].Deleted:
		return "deleted, and waits for a decision"
	case len(waiting) == 1:
		return "1 change waits for a decision, at " + waiting[0].where()
	}
	var places []string
	for _, h := range waiting {
		places = append(places, h.where())
	}
	return fmt.Sprintf("%d changes wait for a decision, at %s", len(waiting), strings.Join(places, ", "))
}

// diffOf is the diff of one step of a file.
func diffOf(rel string, before, after *string) string {
	switch {
	case before == nil && after == nil:
		return ""
	case before == nil:
		return "made " + rel + "\n" + unified("/dev/null", rel, "", *after)
	case after == nil:
		return "deleted " + rel + "\n" + unified(rel, "/dev/null", *before, "")
	}
	return unified(rel, rel, *before, *after)
}

// unified is a unified diff. Line ends are shown only where they differ.
func unified(from, to, before, after string) string {
	const long = "\r\n"
	if strings.Count(before+after, "\n") == strings.Count(before+after, long) {
		before, after = strings.ReplaceAll(before, long, "\n"), strings.ReplaceAll(after, long, "\n")
	}
	return udiff.Unified(from, to, before, after)
}
