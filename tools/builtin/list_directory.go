package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/paths"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed list_directory.md
var listDirectoryText string

type listDirectoryInput struct {
	Path string `json:"path"`
}

// ListDirectory lists what is in a folder, by paths from the workspace's root, as all tools take them.
func ListDirectory(ws *workspace.Workspace) tools.Tool {
	return tools.Define(tools.Spec{
		Name: "list_directory", Description: listDirectoryText, Effect: effect.Reads, Returns: "list[str]",
		Arguments: map[string]tools.ArgumentKind{"path": tools.ExistingFolder},
	}, func(ctx context.Context, _ tools.Call, in listDirectoryInput) (tools.Plan, error) {
		p, err := existingFolder(ctx, ws, paths.OrRoot(in.Path))
		if err != nil {
			return tools.Plan{}, err
		}
		return tools.Plan{
			Target: p.Rel, Binding: p.Rel, Paths: paths.ForRules(ws, p), Protected: p.Protected,
			Run: func(ctx context.Context, _ tools.Reporter) tools.Result { return listDirectory(ctx, ws, p) },
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

// existingFolder resolves a folder; an error names folders with similar names.
func existingFolder(ctx context.Context, ws *workspace.Workspace, name string) (workspace.Path, error) {
	p, err := paths.Resolve(ctx, ws, name)
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

func listDirectory(ctx context.Context, ws *workspace.Workspace, p workspace.Path) tools.Result {
	entries, err := ws.List(ctx, p)
	if err != nil {
		return tools.FailedBy(err)
	}
	if p.Rel == "." { // it is Assent's, not the user's: a model that lists it tells the user of it
		entries = slices.DeleteFunc(entries, func(e workspace.Entry) bool { return e.Name == ownFolder })
	}
	if len(entries) == 0 {
		empty := tools.LeftOut(ws, tools.Text("[The folder is empty.]"))
		empty.Value = []string{}
		return empty
	}
	folders := 0
	// the folders first, so that they are easy to count
	slices.SortStableFunc(entries, func(a, b workspace.Entry) int { return kindOf(a) - kindOf(b) })
	lines, names := make([]string, len(entries)), make([]string, len(entries))
	for i, e := range entries {
		lines[i] = path.Join(p.Rel, e.Name)
		if e.Dir {
			folders++
			lines[i] += "/"
		}
		names[i] = lines[i]
		if e.Link != "" {
			lines[i] += " -> " + e.Link
		}
		if e.Ignored {
			lines[i] += " (ignored)"
		}
	}
	head := fmt.Sprintf(
		"[%s, then %s]\n", excerpt.Counted(folders, "folder"), excerpt.Counted(len(entries)-folders, "file"),
	)
	list := tools.LeftOut(ws, tools.Text(head+excerpt.List(lines, "find_files finds names by a pattern.")))
	list.Value = names
	return list
}
