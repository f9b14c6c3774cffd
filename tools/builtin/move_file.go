package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/paths"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed move_file.md
var moveFileText string

type moveFileInput struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// MoveFile gives a file another path.
func MoveFile(ws *workspace.Workspace) tools.Tool {
	return tools.Define(tools.Spec{
		Name: "move_file", Description: moveFileText, Verb: "move", Effect: effect.Edits,
		Arguments: map[string]tools.ArgumentKind{"from": tools.ExistingFile, "to": tools.NewPath},
	}, func(ctx context.Context, call tools.Call, in moveFileInput) (tools.Plan, error) {
		s, err := savedFile(ctx, ws, in.From)
		if err != nil {
			return tools.Plan{}, err
		}
		to, err := newPath(ctx, ws, in.To, s.Path)
		if err != nil {
			return tools.Plan{}, err
		}
		notice := strings.TrimSpace(s.Note() + " " + to.Note())
		if s.Protected != "" && to.Protected == "" {
			notice = strings.TrimSpace(notice + " Under its new path the file is not protected any more.")
		}
		_, current := call.Reads.Knows(s.Abs, s.text)
		return tools.Plan{
			Target:    s.Rel + " -> " + to.Rel,
			Preview:   s.describe("Moves") + fmt.Sprintf("to    %q\n", to.Rel),
			Binding:   policy.Bind(s.Rel, to.Rel, s.text),
			Paths:     paths.ForRules(ws, s.Path, to),
			Protected: strings.TrimSpace(s.ToWrite() + " " + to.ToWrite()),
			Notice:    notice,
			Waits:     s.waits,
			Run: func(ctx context.Context, _ tools.Reporter) tools.Result {
				if err := ws.Move(ctx, s.Path, to, s.text); err != nil {
					return untouched(err)
				}
				if current {
					call.Reads.MarkRead(to.Abs, s.text)
				}
				return tools.Result{
					Parts: content.Texts(fmt.Sprintf("Moved %q to %q.", s.Rel, to.Rel)),
					Changes: []tools.FileChange{
						{Path: s.Abs, Before: &s.text, Mode: s.mode}, {Path: to.Abs, After: &s.text, Mode: s.mode},
					},
					Undo: &tools.Undo{Files: []tools.FileUndo{{Path: to.Abs, MovedFrom: s.Abs}}},
				}
			},
		}, nil
	})
}

// newPath is where a file is to be moved: nothing is there yet. A folder means the file's own name in it.
func newPath(ctx context.Context, ws *workspace.Workspace, name string, from workspace.Path) (workspace.Path, error) {
	if strings.TrimSpace(name) == "" {
		return workspace.Path{}, errors.New("to is empty: give the new path")
	}
	to, err := paths.Resolve(ctx, ws, name)
	inFolder := err == nil && to.Dir
	if strings.HasSuffix(strings.TrimSpace(name), "/") &&
		(errors.Is(err, workspace.ErrNotFound) || err == nil && !to.Exists) {
		inFolder = true // which is not there yet
	}
	if inFolder {
		to, err = paths.Resolve(ctx, ws, strings.TrimRight(strings.TrimSpace(name), "/")+"/"+path.Base(from.Rel))
	}
	switch {
	case err != nil:
		return to, err
	case to.Rel == from.Rel:
		return to, fmt.Errorf("%q is there already: nothing would change", to.Rel)
	case to.Exists:
		return to, fmt.Errorf("%q exists already: choose another path%s", to.Rel, freePath(ctx, ws, to, from))
	}
	return to, ws.Writable(to)
}

// freePath names the path that was meant where a file of the folder was given for the folder; empty: that is taken,
// too.
func freePath(ctx context.Context, ws *workspace.Workspace, taken, from workspace.Path) string {
	name := path.Join(path.Dir(taken.Rel), path.Base(from.Rel))
	if meant, err := paths.Resolve(ctx, ws, name); name == from.Rel || err == nil && meant.Exists {
		return ""
	}
	return fmt.Sprintf(", such as %q", name)
}
