package trust

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/workspace"
)

// The places of files that do nothing until the user trusts them, relative to a workspace. A name of a file beginning
// with a dot is none.
const (
	Permissions = ".assent/permissions.json" // rules
	Tools       = ".assent/tools"            // the folder of user-defined tools, *.json
)

// Covers says what a file does that needs trust by content, to end the sentence "This file …"; empty if it needs none.
func Covers(rel string) string {
	switch {
	case rel == Permissions:
		return "changes what is allowed"
	case path.Dir(rel) == Tools && path.Ext(rel) == ".json" && path.Base(rel)[0] != '.':
		return "starts a program when its tool is called"
	}
	return ""
}

// File is a file of a workspace that needs trust by content.
type File struct {
	Rel     string
	Data    []byte // as saved; nil: it is not there any more, or cannot be trusted: see Why
	Missing bool
	Trusted bool
	Why     string // why nothing in it counts; one sentence, or empty
}

// List returns the files of a workspace that need trust by content, sorted by path, with those that were trusted and
// are gone. What cannot be read is listed with the reason, and the others all the same.
func (s *Store) List(ctx context.Context, ws *workspace.Workspace) ([]File, error) {
	names, err := candidates(ctx, ws)
	if err != nil {
		return nil, err
	}
	kept, err := s.records(ws.Key())
	if err != nil {
		return nil, err
	}
	for rel := range kept {
		if Covers(rel) != "" || !strings.Contains(rel, serverMark) {
			names = append(names, rel)
		}
	}
	slices.Sort(names)
	var files []File
	for _, rel := range slices.Compact(names) {
		f := File{Rel: rel}
		data, found, err := ws.ReadSaved(ctx, rel)
		_, was := kept[rel]
		switch {
		case err != nil:
			f.Why = err.Error()
		case len(data) > maxFile:
			f.Why = tooLong(rel) + "."
		case found:
			f.Data = data
			f.Trusted, f.Why = s.Trusted(ws.Key(), rel, data)
		case was:
			f.Missing = true
		default:
			continue
		}
		files = append(files, f)
	}
	return files, nil
}

// candidates are the paths where such files may be.
func candidates(ctx context.Context, ws *workspace.Workspace) ([]string, error) {
	names := []string{Permissions}
	dir, err := ws.Resolve(Tools)
	if err != nil || !dir.Exists || dir.Rel != Tools {
		return names, nil //nolint:nilerr // no folder, or a link, which nobody reads tools from
	}
	entries, err := ws.List(ctx, dir)
	if errors.Is(err, workspace.ErrNotRegular) || errors.Is(err, workspace.ErrNotFound) {
		return names, nil
	}
	for _, e := range entries {
		if rel := path.Join(Tools, e.Name); Covers(rel) != "" {
			names = append(names, rel)
		}
	}
	return names, err
}

// Server is the path under which the trust in one server is kept that a file of the workspace declares. It is no file:
// package mcp knows what is trusted with it.
func Server(file, name string) string { return file + serverMark + name }

const serverMark = "#"
