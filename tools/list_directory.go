package tools

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"slices"
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
	return define(Spec{Name: "list_directory", Description: listDirectoryText, Effect: effect.Reads, Arguments: map[string]ArgumentKind{"path": ExistingFolder}}, func(ctx context.Context, _ Call, in listDirectoryInput) (Plan, error) {
		name := orRoot(in.Path)
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

// ownFolder is where Assent keeps what it knows of a workspace.
const ownFolder = ".assent"

// kindOf orders the folders of a list before its files.
func kindOf(e workspace.Entry) int {
	if e.Dir {
		return 0
	}
	return 1
}

// counted is a number of things: "1 file", "2 files".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
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
	if p.Rel == "." { // it is Assent's, not the user's: a model that lists it tells the user of it
		entries = slices.DeleteFunc(entries, func(e workspace.Entry) bool { return e.Name == ownFolder })
	}
	if len(entries) == 0 {
		return leftOut(ws, Text("[The folder is empty.]"))
	}
	folders := 0
	slices.SortStableFunc(entries, func(a, b workspace.Entry) int { return kindOf(a) - kindOf(b) }) // the folders first, so that they are easy to count
	lines := make([]string, len(entries))
	for i, e := range entries {
		lines[i] = path.Join(p.Rel, e.Name)
		if e.Dir {
			folders++
			lines[i] += "/"
		}
		if e.Link != "" {
			lines[i] += " -> " + e.Link
		}
		if e.Ignored {
			lines[i] += " (ignored)"
		}
	}
	head := fmt.Sprintf("[%s, then %s]\n", counted(folders, "folder"), counted(len(entries)-folders, "file"))
	return leftOut(ws, Text(head+list(lines, "find_files finds names by a pattern.")))
}
