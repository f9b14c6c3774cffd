package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed edit_file.md
var editFileText string

type editFileInput struct {
	Path       string `json:"path"`
	OldText    string `json:"old_text"`
	NewText    string `json:"new_text"`
	ReplaceAll bool   `json:"replace_all,omitempty"`
}

// EditFile replaces a text in a file that this chat has read: one place, or all of them.
func EditFile(ws *workspace.Workspace) tools.Tool {
	return define(ws, tools.Spec{
		Name: "edit_file", Description: editFileText, Verb: "edit",
		Arguments: map[string]tools.ArgumentKind{"path": tools.ExistingFile, "old_text": tools.CopiedText},
	}, editor.planEdit)
}

func (e editor) planEdit(ctx context.Context, in editFileInput) (tools.Plan, error) {
	d, err := e.draft(ctx, in.Path)
	if err != nil {
		return tools.Plan{}, err
	}
	if err := in.check(d); err != nil {
		return tools.Plan{}, err
	}
	err = in.apply(ctx, d)
	if !e.knows(d) {
		again := "Call edit_file again with old_text copied from it:"
		if err == nil {
			again = "If the edit is right, make the same call again:"
		}
		return e.unread(d, again), nil
	}
	if err != nil {
		return e.notFound(d, in, err)
	}
	if d.after == d.before {
		return tools.Plan{}, errSame
	}
	return e.plan(
		d, "old_text", fmt.Sprintf("Changed %q at %s (%s).", d.Rel, atLines(d.lines), edit.Summary(d.before, d.after)),
	), nil
}

var errSame = errors.New("old_text and new_text are the same: nothing would change")

// check says what is wrong with an edit before it is looked for.
func (in editFileInput) check(d *draft) error {
	switch in.OldText {
	case "":
		return fmt.Errorf(
			"old_text is empty: copy the text to replace from %q, or use write_file for the whole file", d.Rel,
		)
	case in.NewText:
		return errSame
	}
	return nil
}

// errStands is the error of an edit that would repeat a text that is already there (edit.Found.Stands).
var errStands = errors.New(
	"what new_text adds stands there already: this change seems to be done. " +
		"If it is to stand there twice, copy both into old_text",
)

// apply makes the edit in a draft. Errors are errStands and those of edit.Find.
func (in editFileInput) apply(ctx context.Context, d *draft) error {
	var all []edit.Found
	if in.ReplaceAll {
		places, err := edit.FindAll(ctx, d.after, in.OldText, in.NewText)
		if err != nil {
			return err
		}
		all = places
	} else {
		one, err := edit.Find(ctx, d.after, in.OldText, in.NewText)
		if err != nil {
			return err
		}
		if one.Stands(d.after) {
			return errStands
		}
		all = []edit.Found{one}
	}
	if in.NewText == "" {
		for i := range all {
			end := len(d.after)
			if i+1 < len(all) {
				end = all[i+1].Start
			}
			if whole := wholeLine(d.after, all[i]); whole.End <= end {
				all[i] = whole
			}
		}
	}
	d.change(all)
	return nil
}

// atLines names the first lines of some places.
func atLines(lines []int) string {
	if len(lines) == 1 {
		return fmt.Sprintf("line %d", lines[0])
	}
	var list []string
	for _, n := range lines {
		list = append(list, fmt.Sprint(n))
	}
	return fmt.Sprintf("%d places, lines %s", len(lines), excerpt.Names(list, 10))
}

// wholeLine extends a removal to the line end if the removed text is all of its lines: else an empty line would be
// left.
func wholeLine(text string, found edit.Found) edit.Found {
	if found.New != "" || found.Start == found.End || text[found.End-1] == '\n' ||
		found.Start > 0 && text[found.Start-1] != '\n' {
		return found
	}
	found.End += lineBreak(text[found.End:])
	return found
}

// notFound answers an edit whose old_text is not found, or more than once.
func (e editor) notFound(d *draft, in editFileInput, err error) (tools.Plan, error) {
	if errors.Is(err, errStands) { // no failure, as below
		return answered(d.Rel, "Nothing was changed in %q: %s.", d.Rel, err), nil
	}
	if _, missing := errors.AsType[*edit.NotFoundError](err); missing && d.Protected == "" {
		if !d.current {
			return e.answer(
				d, "Nothing was changed: %q changed since it was read, and old_text is not in it. Here it is now:",
				d.Rel,
			), nil
		}
		if in.done(d) {
			// No failure: small models make the same edit again and again to be rid of one.
			return answered(
				d.Rel, "Nothing was changed: old_text is not in %q, and new_text is there already. "+
					"This change seems to be done.", d.Rel,
			), nil
		}
	}
	return tools.Plan{}, notPlaced(d, "old_text", " For all of them, make the same call with replace_all true.", err)
}

// done says whether the new text is there.
func (in editFileInput) done(d *draft) bool {
	return strings.TrimSpace(in.NewText) != "" && strings.Contains(d.after, edit.WithEOL(in.NewText, edit.EOL(d.after)))
}
