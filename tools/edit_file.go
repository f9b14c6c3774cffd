package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/content"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed edit_file.md
var editFileText string

type editFileInput struct {
	Path    string `json:"path"`
	OldText string `json:"old_text"`
	NewText string `json:"new_text"`
}

// EditFile replaces one place in a file that this chat has read.
func EditFile(ws *workspace.Workspace) Tool {
	return define(Spec{Name: "edit_file", Description: editFileText, Verb: "edit", Effect: effect.Edits}, func(ctx context.Context, call Call, in editFileInput) (Plan, error) {
		return editor{ws: ws, reads: call.Reads}.planEdit(ctx, in)
	})
}

// editor is what the tools that change files share in one call.
type editor struct {
	ws    *workspace.Workspace
	reads *ReadSet
}

func (e editor) planEdit(ctx context.Context, in editFileInput) (Plan, error) {
	p, err := existing(ctx, e.ws, in.Path)
	if err != nil {
		return Plan{}, err
	}
	if err := e.ws.Writable(p); err != nil {
		return Plan{}, err
	}
	if in.OldText == "" {
		return Plan{}, fmt.Errorf("old_text is empty: copy the text to replace from %q, or use write_file for the whole file", p.Rel)
	}
	if in.OldText == in.NewText {
		return Plan{}, errors.New("old_text and new_text are the same: nothing would change")
	}
	f, err := readText(ctx, e.ws, p)
	if err != nil {
		return Plan{}, err
	}
	read, current := e.reads.Knows(p.Abs, f.Text)
	if p.Protected != "" && !current {
		return Plan{}, unread(p)
	}
	if !read {
		again := "Call edit_file again with old_text copied from it:"
		if _, err := edit.Find(ctx, f.Text, in.OldText, in.NewText); err == nil {
			again = "If the edit is right, make the same call again:"
		}
		plan := e.answer(p, f.Text, fmt.Sprintf("Nothing was changed: %q was not read yet. Here it is. %s", p.Rel, again))
		plan.Answered.Retry = true
		return plan, nil
	}
	found, err := edit.Find(ctx, f.Text, in.OldText, in.NewText)
	if err != nil {
		return e.notFound(p, f.Text, in, current, err)
	}
	if in.NewText == "" {
		found = wholeLine(f.Text, found)
	}
	after := found.In(f.Text)
	if after == f.Text {
		return Plan{}, errors.New("old_text and new_text are the same: nothing would change")
	}
	above, old, changed, below := edit.Touched(f.Text, found.Place, found.New)
	return Plan{
		Target:    p.Rel,
		Preview:   e.preview(p, f.Text, after, found.Loose),
		Binding:   policy.Bind(p.Rel, above, old, changed, below),
		Paths:     rulePaths(e.ws, p),
		Protected: p.Protected,
		Notice:    p.Note,
		Run: func(ctx context.Context, _ Reporter) Result {
			what := fmt.Sprintf("Changed %q at line %d (%s).", p.Rel, edit.LineAt(f.Text, found.Start), edit.Summary(f.Text, after))
			return e.replace(ctx, p, &f.Text, after, edit.Make(f.Text, found.Place, found.New), what)
		},
	}, nil
}

// wholeLine extends a removal to the line end if the removed text is all of its lines: else an empty line would be left.
func wholeLine(text string, found edit.Found) edit.Found {
	if found.New != "" || found.Start == found.End || text[found.End-1] == '\n' || found.Start > 0 && text[found.Start-1] != '\n' {
		return found
	}
	rest := text[found.End:]
	for _, eol := range []string{"\r\n", "\n"} {
		if strings.HasPrefix(rest, eol) {
			found.End += len(eol)
			return found
		}
	}
	return found
}

// unread is the error for a protected file whose present text no person allowed the model to read. It is returned before any
// error that depends on that text.
func unread(p workspace.Path) error {
	return fmt.Errorf("%q was not read, or changed since: use read_file first", p.Rel)
}

// notFound answers an edit whose old_text is not found. It shows no text of a protected file.
func (e editor) notFound(p workspace.Path, text string, in editFileInput, current bool, err error) (Plan, error) {
	if _, ok := errors.AsType[*edit.NotFoundError](err); !ok {
		return Plan{}, err
	}
	if p.Protected != "" {
		return Plan{}, fmt.Errorf("old_text is not in %q: copy it exactly from what read_file shows", p.Rel)
	}
	if !current {
		return e.answer(p, text, fmt.Sprintf("Nothing was changed: %q changed since it was read, and old_text is not in it. Here it is now:", p.Rel)), nil
	}
	if strings.TrimSpace(in.NewText) != "" && strings.Contains(text, edit.WithEOL(in.NewText, edit.EOL(text))) {
		// No failure: small models make the same edit again and again to be rid of one.
		done := fmt.Sprintf("Nothing was changed: old_text is not in %q, and new_text is there already. This change seems to be done.", p.Rel)
		return Plan{Target: p.Rel, Answered: new(Text(done))}, nil
	}
	return Plan{}, err
}

// answer tells the model the text of a file instead of changing it.
func (e editor) answer(p workspace.Path, text, why string) Plan {
	return Plan{
		Target:    p.Rel,
		Answered:  new(Failed(why + "\n\n" + excerpt(text, 0, 0))),
		delivered: func() { e.reads.MarkRead(p.Abs, text) },
	}
}

func (e editor) preview(p workspace.Path, before, after, loose string) string {
	diff := edit.Diff(p.Rel, before, after)
	if loose != "" {
		diff += fmt.Sprintf("\n(The text in the file differs from old_text: %s. The diff shows what is replaced.)\n", loose)
	}
	return diff
}

// replace changes the file; what is the text of the result. before nil: the file is new.
func (e editor) replace(ctx context.Context, p workspace.Path, before *string, after string, h edit.Hunk, what string) Result {
	err := e.ws.Replace(ctx, p, before, after)
	if errors.Is(err, workspace.ErrUnknown) {
		return failure(err)
	}
	if err != nil {
		return failure(fmt.Errorf("nothing was changed: %w", err))
	}
	e.reads.MarkRead(p.Abs, after)
	return Result{
		Parts:   content.Texts(what),
		Changes: []FileChange{{Path: p.Abs, Before: before, After: &after}},
		Undo:    &Undo{Path: p.Abs, Hunk: h, Created: before == nil},
	}
}
