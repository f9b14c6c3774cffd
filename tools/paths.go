package tools

import (
	"errors"
	"path"
	"strings"

	"github.com/assent-ls/assent/tools/workspace"
)

// resolve finds the place that a model means by a path. "/src/a.go" means a file of the workspace if there is one.
func resolve(ws *workspace.Workspace, name string) (workspace.Path, error) {
	name = strings.TrimSpace(name)
	p, err := ws.Resolve(name)
	if !errors.Is(err, workspace.ErrOutside) || !strings.HasPrefix(name, "/") {
		return p, err
	}
	rel := strings.TrimLeft(name, "/")
	if rel == "" {
		rel = "."
	}
	inside, again := ws.Resolve(rel)
	if again != nil {
		return p, err
	}
	if inside.Exists {
		return inside, nil
	}
	// A new file in a folder that exists; the root itself says nothing, since every path has it.
	if dir, failed := ws.Resolve(path.Dir(rel)); failed == nil && dir.Rel != "." && dir.Exists && dir.Dir {
		return inside, nil
	}
	return p, err
}

// existing is resolve for a path that must exist.
func existing(ws *workspace.Workspace, name string) (workspace.Path, error) {
	p, err := resolve(ws, name)
	if err == nil && !p.Exists {
		err = ws.Missing(name)
	}
	return p, err
}
