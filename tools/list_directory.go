package tools

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"strings"

	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed list_directory.md
var listDirectoryText string

type listDirectoryInput struct {
	Path string `json:"path"`
}

// ListDirectory lists what is in a folder, by paths from the workspace's root, as all tools take them.
func ListDirectory(ws *workspace.Workspace) Tool {
	return define(Spec{Name: "list_directory", Description: listDirectoryText, Effect: effect.Reads}, func(ctx context.Context, _ Call, in listDirectoryInput) (Plan, error) {
		name := in.Path
		if strings.TrimSpace(name) == "" {
			name = "."
		}
		p, err := existingFolder(ctx, ws, name)
		if err != nil {
			return Plan{}, err
		}
		return Plan{
			Target: p.Rel, Binding: p.Rel, Paths: rulePaths(ws, p), Protected: p.Protected,
			Run: func(ctx context.Context, _ Reporter) Result { return listDirectory(ctx, ws, p) },
		}, nil
	})
}

// existingFolder resolves a folder; an error names folders with similar names.
func existingFolder(ctx context.Context, ws *workspace.Workspace, name string) (workspace.Path, error) {
	p, err := resolve(ctx, ws, name)
	switch {
	case err != nil:
		return p, err
	case !p.Exists:
		return p, ws.Missing(ctx, strings.TrimRight(name, "/")+"/")
	case !p.Dir:
		return p, fmt.Errorf("%q is a file, not a folder: use read_file, or list its folder %q", p.Rel, path.Dir(p.Rel))
	}
	return p, nil
}

func listDirectory(ctx context.Context, ws *workspace.Workspace, p workspace.Path) Result {
	entries, err := ws.List(ctx, p)
	if err != nil {
		return failure(err)
	}
	if len(entries) == 0 {
		return leftOut(ws, Text("[The folder is empty.]"))
	}
	lines := make([]string, len(entries))
	for i, e := range entries {
		lines[i] = path.Join(p.Rel, e.Name)
		if e.Dir {
			lines[i] += "/"
		}
		if e.Link != "" {
			lines[i] += " -> " + e.Link
		}
		if e.Ignored {
			lines[i] += " (ignored)"
		}
	}
	return leftOut(ws, Text(list(lines, "find_files finds names by a pattern.")))
}
