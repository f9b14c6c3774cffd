package ledger

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/workspace"
)

// Done is a turn that changed files.
type Done struct {
	Turn

	Calls  []string // the IDs of the calls that changed something
	Paths  []string // absolute
	Undone bool
}

// Turns lists the turns of a chat that changed files, the oldest first.
func (l *Ledger) Turns(chat string) ([]Done, error) {
	x, err := l.store.load()
	if err != nil {
		return nil, err
	}
	var all []Done
	for _, t := range x.Turns {
		if t.Chat != chat {
			continue
		}
		d := Done{Turn: Turn{t.Chat, t.ID}, Calls: slices.Clone(t.Calls), Undone: t.Undone}
		for _, f := range t.Files {
			d.Paths = append(d.Paths, l.abs(f.Path))
		}
		all = append(all, d)
	}
	return all, nil
}

// TurnOf is the newest turn that changed a file.
func (l *Ledger) TurnOf(abs string) (Turn, error) {
	rel, err := l.relative(abs)
	if err != nil {
		return Turn{}, err
	}
	x, err := l.store.load()
	if err != nil {
		return Turn{}, err
	}
	for _, t := range slices.Backward(x.Turns) {
		if slices.ContainsFunc(t.Files, func(f touched) bool { return f.Path == rel }) {
			return Turn{t.Chat, t.ID}, nil
		}
	}
	return Turn{}, errNoTurn
}

var errNoTurn = errors.New(
	"what this turn changed is not kept any more, so it cannot be undone: use the editor's own undo, or git",
)

// UndoTurn gives every file that a turn changed back what the turn took away, and takes away what it put there. What
// others changed elsewhere in these files stays. If somebody changed the same lines since, nothing is done: ErrEdited,
// which names them.
func (l *Ledger) UndoTurn(ctx context.Context, turn Turn) error {
	return l.turn(ctx, turn, true, undoing)
}

// RedoTurn does again what UndoTurn undid.
func (l *Ledger) RedoTurn(ctx context.Context, turn Turn) error {
	return l.turn(ctx, turn, false, func(f touched) []step { return []step{{f.To, f.From}} })
}

// turn undoes or redoes a turn: steps are what is to be done to a file.
func (l *Ledger) turn(ctx context.Context, turn Turn, undo bool, steps func(touched) []step) error {
	l.applying.Lock()
	defer l.applying.Unlock()
	x, err := l.store.load()
	if err != nil {
		return err
	}
	t := x.turn(turn)
	switch {
	case t == nil:
		return errNoTurn
	case undo && t.Undone:
		return errors.New("this turn is undone already: Redo turn brings it back")
	case !undo && !t.Undone:
		return errors.New("this turn is not undone, so there is nothing to do again")
	}
	edits, err := l.plan(ctx, *t, x.after(t), steps)
	if err != nil {
		return fmt.Errorf("%s: %w", nothing(undo), err)
	}
	if !slices.ContainsFunc(edits, edit.changes) {
		return fmt.Errorf("%s: the files are as they would be after it", nothing(undo))
	}
	if stay, err := l.applyAll(ctx, edits); err != nil {
		if len(stay) > 0 {
			return fmt.Errorf("only %s could be changed: %w", some(stay), err)
		}
		if errors.Is(err, workspace.ErrUnknown) { // it may be done still
			return fmt.Errorf("all other files of the turn are as they were: %w", err)
		}
		return fmt.Errorf("%s: %w", nothing(undo), err)
	}
	return l.store.update(func(x *index) error { return l.mark(x, turn, undo, edits) })
}

func nothing(undo bool) string {
	if undo {
		return "nothing was undone"
	}
	return "nothing was done again"
}

// plan finds what would become of every file of a turn, and refuses if somebody, or one of the later turns, changed the
// same lines.
func (l *Ledger) plan(
	ctx context.Context, t turnRecord, later []turnRecord, steps func(touched) []step,
) ([]edit, error) {
	var edits []edit
	var refused, hindered []string
	var by string
	for _, f := range t.Files {
		path, current, err := l.current(ctx, f.Path)
		if err != nil {
			return nil, err
		}
		e := edit{path: path, before: current, after: current, mode: f.Mode}
		where, err := l.stepsOn(&e.after, steps(f))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", f.Path, err)
		}
		if where != "" {
			where = fmt.Sprintf("%s of %q", where, f.Path)
			if chat, ok := l.hinders(later, current, f.Path, steps(f)); ok {
				hindered, by = append(hindered, where), chat
			} else {
				refused = append(refused, where)
			}
		}
		edits = append(edits, e)
	}
	switch {
	case len(refused) > 0:
		return nil, fmt.Errorf("%s: %w by somebody else, and that would be lost. "+
			"Change it back first, or reject single changes in the files",
			strings.Join(refused, ", "), ErrEdited)
	case len(hindered) > 0:
		whose := "this chat"
		if by != t.Chat {
			whose = fmt.Sprintf("%q", filepath.Base(by))
		}
		return nil, fmt.Errorf(
			"%s: %w by a later turn of %s, and that would be lost. Undo that turn first", strings.Join(hindered, ", "),
			ErrEdited, whose,
		)
	}
	return edits, nil
}

// after lists the turns after one that are not undone, the newest first.
func (x *index) after(t *turnRecord) (later []turnRecord) {
	for i := len(x.Turns) - 1; i >= 0 && &x.Turns[i] != t; i-- {
		if !x.Turns[i].Undone {
			later = append(later, x.Turns[i])
		}
	}
	return later
}

// hinders reports whether steps could be done on a text if later turns were undone, and the chat of the newest of these
// that changed it.
func (l *Ledger) hinders(later []turnRecord, text *string, path string, steps []step) (chat string, ok bool) {
	for _, t := range later {
		for _, f := range t.Files {
			if f.Path != path {
				continue
			}
			if chat == "" {
				chat = t.Chat
			}
			if where, err := l.stepsOn(&text, undoing(f)); where != "" || err != nil {
				return "", false
			}
			if l.can(text, steps) {
				return chat, true
			}
		}
	}
	return "", false
}

// can reports whether steps can be done on a text.
func (l *Ledger) can(text *string, steps []step) bool {
	where, err := l.stepsOn(&text, steps)
	return where == "" && err == nil
}

// undoing are the steps that take back what a turn did to a file.
func undoing(f touched) []step {
	steps := make([]step, 0, len(f.Steps))
	for _, s := range slices.Backward(f.Steps) {
		steps = append(steps, step{s.After, s.Before})
	}
	return steps
}

// stepsOn does steps on a text up to one that cannot be done: where names the lines that somebody else changed, too.
func (l *Ledger) stepsOn(text **string, steps []step) (where string, err error) {
	for _, s := range steps {
		if s.Before == s.After {
			continue
		}
		if where, err := l.stepOn(text, s); where != "" || err != nil {
			return where, err
		}
	}
	return "", nil
}

// stepOn does one step on a text. where names the lines that somebody else changed, too.
func (l *Ledger) stepOn(text **string, s step) (where string, err error) {
	from, to, err := l.store.getBoth(s.Before, s.After)
	if err != nil {
		return "", err
	}
	now := *text
	from, to = asShown(from, to, now)
	switch {
	case same(now, from), same(now, to):
		*text = to
	case now == nil:
		return "all", nil // it was deleted
	case from == nil || to == nil:
		return "the text", nil
	default:
		merged, conflicts := merge(*from, *to, *now)
		if len(conflicts) > 0 {
			return linesOf(*now, conflicts), nil
		}
		*text = &merged
	}
	return "", nil
}

// same reports whether two texts are the same, or both no file.
func same(a, b *string) bool { return !edit{before: a, after: b}.changes() }

// linesOf names the lines of some places of a text.
func linesOf(text string, at []span) string {
	const most = 4
	var names []string
	for _, s := range at[:min(len(at), most)] {
		names = append(names, lineRange(strings.Count(text[:s.start], "\n"), lines(s.of(text))))
	}
	if len(at) > most {
		names = append(names, "and more")
	}
	return strings.Join(names, ", ")
}

// mark keeps that a turn was undone or redone, and from which texts to which.
func (l *Ledger) mark(x *index, turn Turn, undone bool, edits []edit) error {
	t := x.turn(turn)
	if t == nil {
		return nil // it has become too old meanwhile
	}
	t.Undone = undone
	for i := range t.Files {
		f := &t.Files[i]
		f.From, f.To = none, none
		at := slices.IndexFunc(edits, func(e edit) bool { return e.path.Rel == f.Path })
		if !undone || at < 0 {
			continue
		}
		kept, err := l.store.putBoth(edits[at].before, edits[at].after)
		if err != nil {
			return err
		}
		f.From, f.To = kept.Before, kept.After
	}
	x.tellOfTurn(*t)
	return nil
}
