package session

import (
	"context"
	"errors"
	"path"

	"github.com/assent-ls/assent/agent/guide"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/workspace"
)

// maxPlaces is how many files and folders a model is given to choose from.
const maxPlaces = 150

var errEnough = errors.New("there are more")

// show is the text of a file, which counts as read from then on.
func (e Environment) show(reads *tools.ReadSet) func(context.Context, string) (text string, exists, ok bool) {
	return func(ctx context.Context, name string) (string, bool, bool) {
		p, err := e.Workspace.Resolve(name)
		switch {
		case err != nil || p.Dir || p.Protected != "":
			return "", false, false
		case !p.Exists:
			return "", false, true
		}
		file, err := e.Workspace.Read(ctx, p)
		if err != nil || file.Binary || len(file.Text) > guide.MaxShort {
			return "", true, false
		}
		reads.MarkRead(p.Abs, file.Text)
		return file.Text, true, true
	}
}

// place is what the calls of a chat would find.
func (e Environment) place(reads *tools.ReadSet) func(context.Context, string) guide.Place {
	if e.Workspace == nil {
		return nil
	}
	return func(ctx context.Context, request string) guide.Place {
		place := guide.Place{Request: request}
		root, err := e.Workspace.Resolve(".")
		if err != nil {
			return place
		}
		files, folders := []string{}, []string{"."}
		err = e.Workspace.Walk(ctx, root, func(p workspace.Path) error {
			switch {
			case len(files)+len(folders) > maxPlaces:
				return errEnough
			case p.Dir:
				folders = append(folders, p.Rel)
			case p.Protected == "":
				files = append(files, p.Rel)
				if info, err := e.Workspace.Stat(p); err == nil && info.Size() <= guide.MaxShort {
					place.Short = append(place.Short, p.Rel)
				}
			}
			return nil
		})
		if err == nil {
			place.Files, place.Folders = files, folders
		}
		for _, p := range e.Workspace.Mentioned(ctx, request) {
			if place.Files != nil && !contains(place.Files, p.Rel) {
				place.Files = append(place.Files, p.Rel)
			}
		}
		for _, abs := range reads.Paths() {
			p, err := e.Workspace.Resolve(abs)
			if err != nil {
				continue
			}
			if file, err := e.Workspace.Read(ctx, p); err == nil {
				if _, current := reads.Knows(p.Abs, file.Text); current {
					place.Read = append(place.Read, guide.File{Path: p.Rel, Text: file.Text})
				}
			}
		}
		return place
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if path.Clean(x) == path.Clean(s) {
			return true
		}
	}
	return false
}
