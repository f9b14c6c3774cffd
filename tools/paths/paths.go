// Package paths finds what a model means by a path of the workspace. An error names similar paths.
package paths

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/tools/workspace"
)

// Resolve finds what a model means by a path. "/src/a.go" is a file of the workspace if there is one there. An error
// names similar paths.
func Resolve(ctx context.Context, ws *workspace.Workspace, name string) (workspace.Path, error) {
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
	rel := cmp.Or(strings.TrimLeft(name, "/"), ".")
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

// OrRoot is a path that may be left out: then it is that of the workspace.
func OrRoot(path string) string {
	if strings.TrimSpace(path) == "" {
		return "."
	}
	return path
}

// Existing is Resolve for a path that must exist.
func Existing(ctx context.Context, ws *workspace.Workspace, name string) (workspace.Path, error) {
	p, err := Resolve(ctx, ws, name)
	if err == nil && !p.Exists {
		err = ws.Missing(ctx, name)
	}
	return p, err
}

// ForRules are the Plan.Paths of a tool that reads or changes some places.
func ForRules(ws *workspace.Workspace, places ...workspace.Path) []string {
	return ForRulesIn(ws.Root(), places...)
}

// ForRulesIn is ForRules for the root of a workspace.
func ForRulesIn(root string, places ...workspace.Path) []string {
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
	p, err := Existing(ctx, ws, name)
	if err != nil {
		return p, nil, err
	}
	return p, ForRules(ws, p), nil
}

// ReadText reads a file that must be text.
func ReadText(ctx context.Context, ws *workspace.Workspace, p workspace.Path) (workspace.File, error) {
	f, err := ws.Read(ctx, p)
	return f, IsText(p, f, err)
}

// IsText is the error of reading a file that must be text: err, or one for a binary file.
func IsText(p workspace.Path, f workspace.File, err error) error {
	if err == nil && f.Binary {
		return fmt.Errorf("%q is not a text file (%d bytes)", p.Rel, f.Size)
	}
	return err
}
