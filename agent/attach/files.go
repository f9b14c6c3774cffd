package attach

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools/workspace"
)

// MaxFile is how many bytes of a file that a message names are attached at most.
const MaxFile = 6_000

// Reads knows which files the model of a chat has read, by absolute path, and with which text: tools.ReadSet.
type Reads interface {
	Knows(abs, text string) (read, current bool)
	MarkRead(abs, text string)
	MarkShown(abs, lines string)
}

// Files is the source of the files that a message names and that the model does not know as they are now. link returns
// the path by which the chat links a file, given its path from the root.
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

// ShownLines are the lines of a file that a block of this name shows, as they are there with the line end \n, and the
// path of the file; ok is false if it shows something else.
func ShownLines(name, text string) (path, lines string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(name, "selection: "), "lines ")
	if !ok {
		rest, ok = strings.CutPrefix(name, "line ")
	}
	_, path, has := strings.Cut(rest, " of ")
	if strings.HasSuffix(text, allOfIt) {
		text = text[:strings.LastIndexByte(text, '\n')+1]
	}
	return path, text, ok && has
}

// FilePath is the path of the file that a block of this name shows; ok is false if it shows something else.
func FilePath(name string) (path string, ok bool) { return strings.CutPrefix(name, "file ") }

// Mentions implements Source.
func (f files) Mentions(ctx context.Context, message Message) []string {
	var paths []string
	for _, p := range f.workspace.Mentioned(ctx, withoutMentions(message.Text)) {
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
	if f.knows(p, file) {
		return Block{}, false
	}
	block, whole := f.block(p, file, min(limit, MaxFile))
	if whole {
		f.reads.MarkRead(p.Abs, file.Text)
	}
	return block, true
}

// knows reports whether the model knows a file as it is.
func (f files) knows(p workspace.Path, file workspace.File) bool {
	_, current := f.reads.Knows(p.Abs, file.Text)
	return current
}

// block shows a file in at most limit bytes; whole says that it shows all of it.
func (f files) block(p workspace.Path, file workspace.File, limit int) (block Block, whole bool) {
	name := f.Name() + " " + p.Rel
	if image, err := content.NewImage(file.Data); err == nil {
		image.Path = f.link(p.Rel)
		kind := " but an image:"
		if image.Sound() {
			kind = " but a sound:"
		}
		return Block{name, []content.Part{content.Text(noText + kind), image}}, false
	}
	text, whole := show(file, limit)
	return Block{name, content.Texts(text)}, whole
}

// What is in a file's block instead of its text, or below a part of it.
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
	switch _, whole := WholeFile(name, text); {
	case !whole:
		return name
	case !strings.Contains(text, "\n"):
		return name + " (1 line)"
	}
	return fmt.Sprintf("%s (%d lines)", name, strings.Count(text, "\n")+1)
}

// WholeFile is the path of the file that a block holds whole; whole is false for every other block, and where there is
// nothing to read.
func WholeFile(name, text string) (path string, whole bool) {
	path, isFile := FilePath(name)
	return path, isFile && text != emptyFile && !strings.HasPrefix(text, noText) &&
		!strings.HasSuffix(text, theRest) && !strings.HasSuffix(text, allOfIt)
}
