package relevant

import (
	"context"
	"path"
	"slices"

	"github.com/assent-ls/assent/agent/guidance/schema"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/workspace"
)

// maxKnown is how many bytes a file has at most whose lines a model is given to choose from.
const maxKnown = 64_000

// maxLikely is how many files a message is likely about at most, of those that it does not name.
const maxLikely = 10

// Finder looks at the workspace of a chat. Its fields are set by whoever makes it; it may be used concurrently.
type Finder struct {
	Workspace *workspace.Workspace
	Words     *Words
	Reads     *tools.ReadSet                              // what the model of the chat has read
	MayRead   func(ctx context.Context, path string) bool // whether the model may read a file without a question
}

// About is what a message has to do with the workspace, with files that the model may read.
func (f Finder) About(ctx context.Context, request string, bring Bringing) About {
	about := f.Words.Look(ctx, f.Workspace, request, bring)
	about.Files = slices.DeleteFunc(about.Files, func(file string) bool { return !f.MayRead(ctx, file) })
	if !slices.Contains(about.Files, about.Meant) {
		about.Meant = ""
	}
	about.Bring = slices.DeleteFunc(about.Bring, func(b Brought) bool { return !f.MayRead(ctx, b.Path) })
	return about
}

// Show is the text of a short file that the model may read, which counts as read from then on. ok is false for every
// other file; a file that does not exist has no text.
func (f Finder) Show(ctx context.Context, name string) (text string, exists, ok bool) {
	p, err := f.Workspace.Resolve(name)
	switch {
	case err != nil || p.Dir || p.Protected != "" || p.Exists && !f.MayRead(ctx, p.Rel):
		return "", false, false
	case !p.Exists:
		return "", false, true
	}
	file, err := f.Workspace.Read(ctx, p)
	if err != nil || file.Binary || len(file.Text) > schema.MaxShort {
		return "", true, false
	}
	f.Reads.MarkRead(p.Abs, file.Text)
	return file.Text, true, true
}

// Place is what a call would find.
func (f Finder) Place(ctx context.Context, request string) schema.Place {
	place := schema.Place{Request: request, Read: f.read(ctx)}
	root, err := f.Workspace.Resolve(".")
	if err != nil {
		return place
	}
	files, folders := []string{}, []string{"."}
	err = f.Workspace.Walk(ctx, root, func(p workspace.Path) error {
		switch {
		case p.Dir:
			folders = append(folders, p.Rel)
		case p.Protected == "":
			files = append(files, p.Rel)
		}
		return nil
	})
	if err != nil { // more than anybody could choose from
		return place
	}
	place.Files, place.Folders = files, folders
	if len(files) <= schema.MaxPaths {
		f.addUnlisted(ctx, &place)
	}
	mentioned := f.Workspace.Mentioned(ctx, request)
	for _, p := range mentioned {
		if !slices.Contains(place.Files, p.Rel) {
			place.Files = append(place.Files, p.Rel)
		}
	}
	for _, file := range f.mayBeShort(place, mentioned) {
		if p, err := f.Workspace.Resolve(file); err == nil {
			if info, err := f.Workspace.Stat(p); err == nil && info.Size() <= schema.MaxShort {
				place.Short = append(place.Short, file)
			}
		}
	}
	return place
}

// addUnlisted adds what no walk lists: what a .gitignore excludes, and links. It can be named all the same.
func (f Finder) addUnlisted(ctx context.Context, place *schema.Place) {
	for _, folder := range place.Folders {
		dir, err := f.Workspace.Resolve(folder)
		if err != nil {
			continue
		}
		entries, err := f.Workspace.List(ctx, dir)
		if err != nil {
			continue // it is gone by now
		}
		for _, entry := range entries {
			rel := path.Join(folder, entry.Name)
			switch link := entry.Link != "" && entry.Link != "outside"; {
			case entry.Protected != "" || !entry.Ignored && !link:
			case entry.Dir:
				place.Unlisted = append(place.Unlisted, rel)
			case !slices.Contains(place.Files, rel):
				place.Files = append(place.Files, rel)
			}
		}
	}
}

// read are the files that the model has read and that are as it knows them.
func (f Finder) read(ctx context.Context) (read []schema.File) {
	for _, abs := range f.Reads.Paths() {
		p, err := f.Workspace.Resolve(abs)
		if err != nil {
			continue
		}
		if info, err := f.Workspace.Stat(p); err != nil || info.Size() > maxKnown {
			continue
		}
		if file, err := f.Workspace.Read(ctx, p); err == nil {
			if _, current := f.Reads.Knows(p.Abs, file.Text); current {
				read = append(read, schema.File{Path: p.Rel, Text: file.Text})
			}
		}
	}
	return read
}

// mayBeShort lists the files whose sizes count for a call: of a large workspace only those that it is likely about,
// since all of them take long.
func (f Finder) mayBeShort(place schema.Place, mentioned []workspace.Path) []string {
	if len(place.Files) <= schema.MaxPaths {
		return place.Files
	}
	var files []string
	add := func(file string) {
		if !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	for _, known := range place.Read {
		add(known.Path)
	}
	for _, p := range mentioned {
		add(p.Rel)
	}
	for _, file := range f.Words.Rank(place.Request, maxLikely) {
		add(file)
	}
	return files
}
