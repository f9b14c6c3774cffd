package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/paths"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed read_file.md
var readFileText string

type readFileInput struct {
	Path      string `json:"path"`
	StartLine int    `json:"start_line,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
}

// ReadFile reads a file as the user sees it, unsaved changes included.
func ReadFile(ws *workspace.Workspace) tools.Tool {
	return tools.Define(tools.Spec{
		Name: "read_file", Description: readFileText, Effect: effect.Reads, ShowsFile: "path",
		Arguments: map[string]tools.ArgumentKind{"path": tools.ExistingFile},
	}, func(ctx context.Context, call tools.Call, in readFileInput) (tools.Plan, error) {
		if in.StartLine < 0 || in.EndLine < 0 || in.EndLine > 0 && in.EndLine < in.StartLine {
			return tools.Plan{}, errors.New(
				"start_line and end_line count from 1, and end_line is not before start_line",
			)
		}
		p, err := paths.Existing(ctx, ws, in.Path)
		if err != nil {
			return tools.Plan{}, err
		}
		if p.Dir {
			return tools.Plan{}, fmt.Errorf("%q is a folder: use list_directory", p.Rel)
		}
		return tools.Plan{
			Target: p.Rel, Binding: p.Rel, Paths: paths.ForRules(ws, p), Protected: p.Protected,
			Run: func(ctx context.Context, _ tools.Reporter) tools.Result {
				return readFile(ctx, ws, call.Reads, p, in)
			},
		}, nil
	})
}

func readFile(
	ctx context.Context, ws *workspace.Workspace, reads *tools.ReadSet, p workspace.Path, in readFileInput,
) tools.Result {
	f, err := ws.Read(ctx, p)
	if image, wrong := content.NewImage(f.Data); err == nil && wrong == nil {
		return tools.Result{Parts: []content.Part{image}}
	}
	if err = paths.IsText(p, f, err); err != nil {
		return tools.FailedBy(err)
	}
	if total := len(edit.Lines(f.Text)); in.StartLine > total {
		return tools.Failed(fmt.Sprintf("%q has only %d lines.", p.Rel, total))
	}
	reads.MarkRead(p.Abs, f.Text)
	shown := tools.Text(excerpt.Lines(f.Text, in.StartLine, in.EndLine))
	shown.Value = linesOf(f.Text, in.StartLine, in.EndLine)
	return shown
}

// linesOf is a text from one line to another, counted from 1, with its own line ends; 0: from its start, to its end.
func linesOf(text string, first, last int) string {
	lines := slices.Collect(strings.Lines(text))
	if last == 0 || last > len(lines) {
		last = len(lines)
	}
	return strings.Join(lines[min(max(first, 1)-1, last):last], "")
}
