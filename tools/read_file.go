package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/effect"
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
func ReadFile(ws *workspace.Workspace) Tool {
	return define(Spec{Name: "read_file", Description: readFileText, Effect: effect.Reads, ShowsFile: "path", Arguments: map[string]ArgumentKind{"path": ExistingFile}}, func(ctx context.Context, call Call, in readFileInput) (Plan, error) {
		if in.StartLine < 0 || in.EndLine < 0 || in.EndLine > 0 && in.EndLine < in.StartLine {
			return Plan{}, errors.New("start_line and end_line count from 1, and end_line is not before start_line")
		}
		p, err := existing(ctx, ws, in.Path)
		if err != nil {
			return Plan{}, err
		}
		if p.Dir {
			return Plan{}, fmt.Errorf("%q is a folder: use list_directory", p.Rel)
		}
		return Plan{
			Target: p.Rel, Binding: p.Rel, Paths: rulePaths(ws, p), Protected: p.Protected,
			Run: func(ctx context.Context, _ Reporter) Result { return readFile(ctx, ws, call.Reads, p, in) },
		}, nil
	})
}

func readFile(ctx context.Context, ws *workspace.Workspace, reads *ReadSet, p workspace.Path, in readFileInput) Result {
	f, err := ws.Read(ctx, p)
	if image, wrong := content.NewImage(f.Data); err == nil && wrong == nil {
		return Result{Parts: []content.Part{image}}
	}
	if err = isText(p, f, err); err != nil {
		return failure(err)
	}
	if total := len(edit.Lines(f.Text)); in.StartLine > total {
		return Failed(fmt.Sprintf("%q has only %d lines.", p.Rel, total))
	}
	reads.MarkRead(p.Abs, f.Text)
	return Text(excerpt(f.Text, in.StartLine, in.EndLine))
}

// readText reads a file that must be text.
func readText(ctx context.Context, ws *workspace.Workspace, p workspace.Path) (workspace.File, error) {
	f, err := ws.Read(ctx, p)
	return f, isText(p, f, err)
}

// isText is the error of reading a file that must be text: err, or one for a binary file.
func isText(p workspace.Path, f workspace.File, err error) error {
	if err == nil && f.Binary {
		return fmt.Errorf("%q is not a text file (%d bytes)", p.Rel, f.Size)
	}
	return err
}
