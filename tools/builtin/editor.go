package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/paths"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

// editor is what the tools that change files share in one call.
type editor struct {
	ws    *workspace.Workspace
	reads *tools.ReadSet
}

// define makes a tool that changes files.
func define[In any](
	ws *workspace.Workspace, spec tools.Spec, plan func(e editor, ctx context.Context, in In) (tools.Plan, error),
) tools.Tool {
	spec.Effect = effect.Edits
	return tools.Define(spec, func(ctx context.Context, call tools.Call, in In) (tools.Plan, error) {
		return plan(editor{ws: ws, reads: call.Reads}, ctx, in)
	})
}

// answered is a call that has nothing to do, which is no failure.
func answered(target, format string, args ...any) tools.Plan {
	return tools.Plan{Target: target, Answered: new(tools.Text(fmt.Sprintf(format, args...)))}
}

// draft is a file that was read, and what a call would make of it. Hunks are in order, each of the text that the one
// before it leaves.
type draft struct {
	workspace.Path

	before, after string
	created       bool // there is no file yet
	read, current bool // see ReadSet.Knows
	hunks         []edit.Hunk
	bound         []string // what an approval is bound to
	loose         []string // how texts in the file differ from those that were asked for
	lines         []int    // where it is changed, counted from 1
}

// draft opens a file that a call edits.
func (e editor) draft(ctx context.Context, name string) (*draft, error) {
	p, err := paths.Existing(ctx, e.ws, name)
	if err != nil {
		return nil, err
	}
	return e.draftOf(ctx, p)
}

// draftOf is draft of a file that was found.
func (e editor) draftOf(ctx context.Context, p workspace.Path) (*draft, error) {
	if err := e.ws.Writable(p); err != nil {
		return nil, err
	}
	f, err := paths.ReadText(ctx, e.ws, p)
	if err != nil {
		return nil, err
	}
	d := &draft{Path: p, before: f.Text, after: f.Text}
	d.read, d.current = e.reads.Knows(p.Abs, f.Text)
	if p.Protected != "" && !d.current {
		return nil, unread(p)
	}
	return d, nil
}

// unread is the error for a protected file whose present text no person allowed the model to read. It is returned
// before any error that depends on that text.
func unread(p workspace.Path) error {
	return fmt.Errorf("%q was not read, or changed since: use read_file first", p.Rel)
}

// maxHunks is how many places of one edit are kept apart; more are one hunk.
const maxHunks = 100

// change makes found edits, which are in order and do not overlap.
func (d *draft) change(all []edit.Found) {
	was, shift := d.after, 0
	if len(all) > maxHunks {
		d.changeMany(all)
		return
	}
	for _, f := range all {
		f.Start, f.End = f.Start+shift, f.End+shift
		above, old, changed, below := edit.Touched(d.after, f.Place, f.New)
		d.bound = append(d.bound, above, old, changed, below)
		d.hunks = append(d.hunks, edit.Make(d.after, f.Place, f.New))
		d.lines = append(d.lines, edit.LineAt(d.after, f.Start))
		d.after = f.In(d.after)
		shift = len(d.after) - len(was)
	}
	d.note(all[0].Loose)
}

func (d *draft) changeMany(all []edit.Found) {
	var b strings.Builder
	from := 0
	for _, f := range all {
		b.WriteString(d.after[from:f.Start])
		b.WriteString(f.New)
		from = f.End
	}
	b.WriteString(d.after[from:])
	d.bound = append(d.bound, d.after, b.String())
	d.hunks = append(d.hunks, edit.Change(d.after, b.String()))
	for _, f := range all {
		d.lines = append(d.lines, edit.LineAt(d.after, f.Start))
	}
	d.after = b.String()
	d.note(all[0].Loose)
}

func (d *draft) note(loose string) {
	if loose != "" && !slices.Contains(d.loose, loose) {
		d.loose = append(d.loose, loose)
	}
}

// differs says how the file differs from the text that was asked for; empty if it does not.
func (d *draft) differs(argument string) string {
	if len(d.loose) == 0 {
		return ""
	}
	return fmt.Sprintf("The text in the file differs from %s: %s.", argument, strings.Join(d.loose, ", "))
}

// knows reports whether the model may change what a draft changes: it has read the file, or was shown all lines that
// are changed.
func (e editor) knows(d *draft) bool {
	changed := edit.Changed(d.before, d.after)
	_, _, shown := e.reads.Shows(d.Abs, d.before, changed.Start, changed.End)
	return d.read || shown && d.before != d.after
}

// unread tells the model the text of a file that it did not read, and how to make its call again.
func (e editor) unread(d *draft, again string) tools.Plan {
	plan := e.answer(d, "Nothing was changed: %q was not read yet. Here it is. %s", d.Rel, again)
	plan.Answered.Retry = true
	return plan
}

// answer tells the model the text of a file instead of changing it.
func (e editor) answer(d *draft, why string, args ...any) tools.Plan {
	return tools.Plan{
		Target:    d.Rel,
		Paths:     paths.ForRules(e.ws, d.Path),
		Answered:  new(tools.Failed(fmt.Sprintf(why, args...) + "\n\n" + excerpt.Lines(d.before, 0, 0))),
		Delivered: func() { e.reads.MarkRead(d.Abs, d.before) },
	}
}

// maxWhole is how long a file may be for a failed edit to offer to write it again as a whole, which small models do
// better.
const maxWhole = 60

// whole offers a short file to be written again; empty if it is long.
func whole(d *draft) string {
	if d.Protected != "" || len(edit.Lines(d.after)) >= maxWhole || len(d.after) > excerpt.MaxBytes {
		return ""
	}
	return fmt.Sprintf(
		"\n\nOr write all of %q again with write_file. It is now:\n\n%s", d.Rel, excerpt.Lines(d.after, 0, 0),
	)
}

// notPlaced is the error for a text that is not found, or more than once, in a file that was read. argument held the
// text; all says what to do if every place is meant. It shows no text of a protected file.
func notPlaced(d *draft, argument, all string, err error) error {
	if many, ok := errors.AsType[*edit.AmbiguousError](err); ok {
		text := many.Say(argument)
		if d.Protected == "" {
			text += many.Show() + "\n\n"
		} else {
			text += " "
		}
		return fmt.Errorf(
			"%sFor one of them, add lines before or after it to %s, so that it is found only once.%s",
			text, argument, all,
		)
	}
	missing, ok := errors.AsType[*edit.NotFoundError](err)
	switch {
	case !ok:
		return err
	case d.Protected != "":
		return fmt.Errorf("%s is not in %q: copy it exactly from what read_file shows", argument, d.Rel)
	}
	return errors.New(strings.TrimSuffix(missing.Say(argument), ".") + "." + whole(d))
}

// plan is a call that changes one file; what is the text of its result.
func (e editor) plan(d *draft, argument, what string) tools.Plan {
	loose := d.differs(argument)
	preview := edit.Diff(d.Rel, d.before, d.after)
	if loose != "" {
		preview += "\n(" + loose + " The diff shows what is replaced.)\n"
		what += " " + loose
	}
	return tools.Plan{
		Target:    d.Rel,
		Preview:   preview,
		Files:     []tools.FileEdit{{Path: d.Abs, Rel: d.Rel, Before: d.before, After: d.after}},
		Binding:   policy.Bind(append([]string{d.Rel}, d.bound...)...),
		Paths:     paths.ForRules(e.ws, d.Path),
		Protected: d.ToWrite(),
		Notice:    d.Note(),
		Run: func(ctx context.Context, _ tools.Reporter) tools.Result {
			return e.replaceAll(ctx, []*draft{d}, what)
		},
	}
}
