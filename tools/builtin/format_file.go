package builtin

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/paths"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed format_file.md
var formatFileText string

type formatFileInput struct {
	Path string `json:"path"`
}

// FormatFile changes a file to what formatted makes of its text, which has no effects.
func FormatFile(
	ws *workspace.Workspace, formatted func(ctx context.Context, path, text string) (string, error),
) tools.Tool {
	spec := tools.Spec{
		Name: "format_file", Description: formatFileText, Verb: "format",
		Arguments: map[string]tools.ArgumentKind{"path": tools.ExistingFile},
	}
	return define(ws, spec, func(e editor, ctx context.Context, in formatFileInput) (tools.Plan, error) {
		d, err := e.draft(ctx, in.Path)
		if err != nil {
			return tools.Plan{}, err
		}
		if d.after, err = formatted(ctx, d.Abs, d.before); err != nil {
			return tools.Plan{}, fmt.Errorf("%q was not formatted: %w", d.Rel, err)
		}
		if d.after == d.before {
			plan := answered(d.Rel, "%q is formatted already: nothing was changed.", d.Rel)
			plan.Paths = paths.ForRules(ws, d.Path)
			return plan, nil
		}
		d.bound, d.hunks = []string{d.before, d.after}, []edit.Hunk{edit.Change(d.before, d.after)}
		return e.plan(d, "the file", fmt.Sprintf("Formatted %q (%s).", d.Rel, edit.Summary(d.before, d.after))), nil
	})
}
