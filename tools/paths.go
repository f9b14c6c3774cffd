package tools

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/tools/workspace"
)

// resolve finds what a model means by a path. "/src/a.go" is a file of the workspace if there is one there. An error
// names similar paths.
func resolve(ctx context.Context, ws *workspace.Workspace, name string) (workspace.Path, error) {
	name = strings.TrimSpace(name)
	p, err := ws.Resolve(name)
	if errors.Is(err, workspace.ErrNotFound) {
		return p, ws.Nearby(ctx, err, name)
	}
	if !errors.Is(err, workspace.ErrOutside) || !strings.HasPrefix(name, "/") {
		return p, err
	}
	if p, ok := insideOf(ws, name); ok {
		return p, nil
	}
	return p, ws.Nearby(ctx, err, path.Base(name))
}

// insideOf reads a path that begins with "/" as one from the workspace's root, if something exists there.
func insideOf(ws *workspace.Workspace, name string) (workspace.Path, bool) {
	rel := strings.TrimLeft(name, "/")
	if rel == "" {
		rel = "."
	}
	inside, err := ws.Resolve(rel)
	if err != nil {
		return workspace.Path{}, false
	}
	if inside.Exists {
		return inside, true
	}
	// A new file in a folder that exists; the root itself is no evidence, since every path is below it.
	dir, err := ws.Resolve(path.Dir(rel))
	return inside, err == nil && dir.Rel != "." && dir.Exists && dir.Dir
}

// orRoot is a path that may be left out: then it is that of the workspace.
func orRoot(path string) string {
	if strings.TrimSpace(path) == "" {
		return "."
	}
	return path
}

// existing is resolve for a path that must exist.
func existing(ctx context.Context, ws *workspace.Workspace, name string) (workspace.Path, error) {
	p, err := resolve(ctx, ws, name)
	if err == nil && !p.Exists {
		err = ws.Missing(ctx, name)
	}
	return p, err
}

// rulePaths are Plan.Paths of some places.
func rulePaths(ws *workspace.Workspace, places ...workspace.Path) []string {
	return rulePathsIn(ws.Root(), places...)
}

// rulePathsIn is rulePaths for a root.
func rulePathsIn(root string, places ...workspace.Path) []string {
	var paths []string
	for _, p := range places {
		paths = append(paths, p.Rel)
		if p.Asked == p.Abs {
			continue
		}
		if named, err := filepath.Rel(root, p.Asked); err == nil {
			paths = append(paths, filepath.ToSlash(named))
		}
	}
	return paths
}

// ExistingPath finds what a model means by the path of something that exists, for sources, and gives Plan.Paths of it.
// An error names similar paths.
func ExistingPath(ctx context.Context, ws *workspace.Workspace, name string) (workspace.Path, []string, error) {
	p, err := existing(ctx, ws, name)
	if err != nil {
		return p, nil, err
	}
	return p, rulePaths(ws, p), nil
}

// ReadText reads a file that must be text, unsaved changes included, for sources.
func ReadText(ctx context.Context, ws *workspace.Workspace, p workspace.Path) (workspace.File, error) {
	return readText(ctx, ws, p)
}

// Listed joins lines of a result within its bounds, for sources; rest says how to see those that are left out.
func Listed(lines []string, rest string) string { return list(lines, rest) }

// ShortLine bounds a line of a result, for sources.
func ShortLine(line string) string { return around(line, 0) }
