package attach

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/assent-ls/assent/content"
	"github.com/assent-ls/assent/tools/workspace"
)

const maxFile = 6_000 // bytes of one file

// Reads knows which files the model of a chat has read, by absolute path, and with which text: tools.ReadSet.
type Reads interface {
	Knows(abs, text string) (read, current bool)
	MarkRead(abs, text string)
}

// Files is the source of the files that a message names and that the model does not know as they are now. link returns the
// path by which the chat links a file, given its path from the root.
func Files(ws *workspace.Workspace, reads Reads, link func(rel string) string) Source {
	return files{ws, reads, link}
}

type files struct {
	workspace *workspace.Workspace
	reads     Reads
	link      func(rel string) string
}

// Name implements Source.
func (files) Name() string { return "file" }

// FilePath is the path of the file that a block of this name shows; ok is false if it shows something else.
func FilePath(name string) (path string, ok bool) { return strings.CutPrefix(name, "file ") }

// Complete implements Source: paths from the root, one folder at a time. Folders end with a slash.
func (f files) Complete(ctx context.Context, prefix string) []string {
	var names []string
	folder, err := f.workspace.Resolve(prefix[:strings.LastIndexByte(prefix, '/')+1])
	if err != nil || !folder.Dir || folder.Protected != "" {
		return nil
	}
	// After an error, what was found before it is offered.
	_ = f.workspace.Walk(ctx, folder, func(p workspace.Path) error {
		name := p.Rel
		if p.Dir {
			name += "/"
		}
		if strings.HasPrefix(name, prefix) && p.Protected == "" {
			names = append(names, name)
		}
		switch {
		case len(names) == maxCompleted:
			return fs.SkipAll
		case p.Dir:
			return fs.SkipDir
		}
		return nil
	})
	return names
}

// Mentions implements Source.
func (f files) Mentions(ctx context.Context, message string, _ bool) []string {
	var paths []string
	for _, p := range f.workspace.Mentioned(ctx, message) {
		paths = append(paths, p.Rel)
	}
	return paths
}

// Resolve implements Source.
func (f files) Resolve(ctx context.Context, mention string, limit int) (Block, bool) {
	p, err := f.workspace.Resolve(mention)
	if err != nil || !p.Exists || p.Dir || p.Protected != "" {
		return Block{}, false
	}
	file, err := f.workspace.Read(ctx, p)
	if err != nil {
		return Block{}, false // the tools tell the model why
	}
	if _, current := f.reads.Knows(p.Abs, file.Text); current {
		return Block{}, false
	}
	if image, err := content.NewImage(file.Data); err == nil {
		image.Path = f.link(p.Rel)
		return Block{f.Name() + " " + p.Rel, []content.Part{content.Text(noText + " but an image:"), image}}, true
	}
	text, whole := show(file, min(limit, maxFile))
	if whole {
		f.reads.MarkRead(p.Abs, file.Text)
	}
	return Block{f.Name() + " " + p.Rel, content.Texts(text)}, true
}

// What stands in a file's block instead of its text, or below a part of it.
const (
	noText    = "This is not a text file"
	emptyFile = "This file is empty."
	theRest   = "read_file shows the rest]"
	allOfIt   = "read_file shows them]"
)

// show shows a file in at most limit bytes, by whole lines, and says what is left out; whole says that nothing is.
func show(f workspace.File, limit int) (text string, whole bool) {
	switch {
	case f.Binary:
		return fmt.Sprintf(noText+" (%d bytes).", f.Size), false
	case f.Text == "":
		return emptyFile, true
	case len(f.Text) <= limit:
		return f.Text, true
	}
	head := f.Text[:max(0, limit)]
	head = head[:strings.LastIndexByte(head, '\n')+1]
	shown, all := strings.Count(head, "\n"), strings.Count(strings.TrimSuffix(f.Text, "\n"), "\n")+1
	if shown == 0 {
		return fmt.Sprintf("[%d lines, not shown here: "+allOfIt, all), false
	}
	return fmt.Sprintf("%s[lines 1 to %d of %d: "+theRest, head, shown, all), false
}

// Heading is what a model reads above a block: its name, and if it holds a whole file the number of its lines (blank
// ones at the end aside), which small models cannot count.
func Heading(name, text string) string {
	_, isFile := FilePath(name)
	switch {
	case !isFile, text == emptyFile, strings.HasPrefix(text, noText),
		strings.HasSuffix(text, theRest), strings.HasSuffix(text, allOfIt):
		return name
	case !strings.Contains(text, "\n"):
		return name + " (1 line)"
	}
	return fmt.Sprintf("%s (%d lines)", name, strings.Count(text, "\n")+1)
}
