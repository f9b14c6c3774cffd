package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/paths"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed delete_file.md
var deleteFileText string

type deleteFileInput struct {
	Path string `json:"path"`
}

// DeleteFile deletes a file.
func DeleteFile(ws *workspace.Workspace) tools.Tool {
	return tools.Define(tools.Spec{
		Name: "delete_file", Description: deleteFileText, Verb: "delete", Effect: effect.Deletes,
		Arguments: map[string]tools.ArgumentKind{"path": tools.ExistingFile},
	}, func(ctx context.Context, _ tools.Call, in deleteFileInput) (tools.Plan, error) {
		s, err := savedFile(ctx, ws, in.Path)
		if err != nil {
			return tools.Plan{}, err
		}
		return tools.Plan{
			Target:    s.Rel,
			Preview:   s.describe("Deletes") + s.deletion(),
			Binding:   policy.Bind(s.Rel, s.text),
			Paths:     paths.ForRules(ws, s.Path),
			Protected: s.ToWrite(),
			Notice:    s.Note(),
			Waits:     s.waits,
			Run: func(ctx context.Context, _ tools.Reporter) tools.Result {
				if err := ws.Delete(ctx, s.Path, s.text); err != nil {
					return untouched(err)
				}
				return tools.Result{
					Parts:   content.Texts(fmt.Sprintf("Deleted %q.", s.Rel)),
					Changes: []tools.FileChange{{Path: s.Abs, Before: &s.text, Mode: s.mode}},
					Undo:    &tools.Undo{Files: []tools.FileUndo{{Path: s.Abs, Deleted: &s.text, Mode: s.mode}}},
				}
			},
		}, nil
	})
}

// onDisk is a file as it is on disk, which a call deletes or moves.
type onDisk struct {
	workspace.Path

	text   string // all bytes
	mode   fs.FileMode
	binary bool
	waits  string // why it cannot be deleted or moved now; empty: it can
}

func savedFile(ctx context.Context, ws *workspace.Workspace, name string) (onDisk, error) {
	p, err := paths.Existing(ctx, ws, name)
	if err != nil {
		return onDisk{}, err
	}
	if p.Dir {
		return onDisk{}, fmt.Errorf("%q is a folder: only files can be deleted or moved, one by one", p.Rel)
	}
	if err := errors.Join(notLinked(ws, p), ws.Writable(p)); err != nil {
		return onDisk{}, err
	}
	f, err := ws.Read(ctx, p)
	if err != nil {
		return onDisk{}, err
	}
	s := onDisk{Path: p, text: f.Content(), binary: f.Binary}
	if info, err := ws.Stat(p); err == nil {
		s.mode = info.Mode().Perm()
	}
	switch {
	case !ws.Saved(ctx, p):
		s.waits = fmt.Sprintf("%q has changes in the editor that are not saved: save it first.", p.Rel)
	case f.Buffer: // which may leave out a byte order mark
		data, err := ws.ReadDisk(ctx, p)
		if err != nil {
			return onDisk{}, err
		}
		s.text = string(data)
	}
	return s, nil
}

// notLinked refuses a file that was named by a link to it: whoever names a link may mean the link.
func notLinked(ws *workspace.Workspace, p workspace.Path) error {
	paths := paths.ForRules(ws, p)
	named := paths[len(paths)-1]
	info, err := ws.Stat(workspace.Path{Rel: named})
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%q is a link to %q: name that file itself", named, p.Rel)
	}
	return nil
}

// describe says what is deleted or moved; the bytes of a binary file are not shown.
func (s onDisk) describe(does string) string {
	kind := fmt.Sprintf("%d lines", len(edit.Lines(s.text)))
	switch {
	case s.binary:
		kind = "not a text file"
	case s.text == "":
		kind = "empty"
	}
	return fmt.Sprintf("%s %q (%d bytes, %s).\n", does, s.Rel, len(s.text), kind)
}

func (s onDisk) deletion() string {
	if s.binary || s.text == "" {
		return ""
	}
	return edit.Diff(s.Rel, s.text, "")
}

// untouched is the result of a call that did nothing, unless it is not known what it did.
func untouched(err error) tools.Result {
	if errors.Is(err, workspace.ErrUnknown) {
		return tools.Failed(tools.Sentence(err.Error())) // also when time ran out
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return tools.Failed("Nothing was changed: the time ran out before the editor took it.")
	}
	return tools.FailedBy(fmt.Errorf("nothing was changed: %w", err))
}
