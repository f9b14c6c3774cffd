package prompts

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/tools/workspace"
)

// What the context of a turn may hold. A small model reads some 70 tokens a second on a plain processor: this is what
// a person waits for.
const (
	outlineLines  = 40
	attachedFile  = 6_000  // bytes of one file
	attachedFiles = 12_000 // bytes of all files
)

// Block is something sent once with a turn, shown as a context block.
type Block struct {
	Name string // "outline", "file PATH"
	Text string
	// File is the attached file; nil for other blocks. FileText is its whole text if Text shows all of it, and Whole
	// says so: only then does it count as read.
	File     *workspace.Path
	FileText string
	Whole    bool
}

// FirstTurn returns the context of the first turn: an outline of the workspace, and the files that the message names.
// ws may be nil: then there is none.
func FirstTurn(ctx context.Context, ws *workspace.Workspace, message string) []Block {
	return Turn(ctx, ws, message, true, nil)
}

// Turn returns the context of a turn: with the first one an outline of the workspace, with each the files that its
// message names and that the model does not know yet. known says whether the model read a file (by its absolute path)
// and whether it saw this very text; nil: it knows none. Equal workspaces and messages give equal blocks. ws may be nil.
func Turn(ctx context.Context, ws *workspace.Workspace, message string, first bool, known func(abs, text string) (read, current bool)) []Block {
	if ws == nil {
		return nil
	}
	var blocks []Block
	if first {
		text := "The workspace is empty."
		if outline := ws.Outline(ctx, outlineLines); outline != "" {
			text = "The files of the workspace:\n" + outline
		}
		blocks = append(blocks, Block{Name: "outline", Text: text})
	}
	room := attachedFiles
	for _, p := range ws.Mentioned(ctx, message) {
		f, err := ws.Read(ctx, p)
		if err != nil {
			continue // it was there a moment ago; the tools tell the model why it is not now
		}
		if known != nil {
			if _, current := known(p.Abs, f.Text); current {
				continue
			}
		}
		block := attach(p, f, min(room, attachedFile))
		room -= len(block.Text)
		blocks = append(blocks, block)
	}
	return blocks
}

// What stands in a file's block instead of its text, or below a part of it.
const (
	noText    = "This is not a text file"
	emptyFile = "This file is empty."
	theRest   = "read_file shows the rest]"
	allOfIt   = "read_file shows them]"
)

// Heading is what a model reads above a block: its name, and if it holds a whole file the number of its lines (blank
// ones at the end aside), which small models cannot count.
func Heading(name, text string) string {
	switch {
	case !strings.HasPrefix(name, "file "), text == emptyFile, strings.HasPrefix(text, noText),
		strings.HasSuffix(text, theRest), strings.HasSuffix(text, allOfIt):
		return name
	case !strings.Contains(text, "\n"):
		return name + " (1 line)"
	}
	return fmt.Sprintf("%s (%d lines)", name, strings.Count(text, "\n")+1)
}

// attach shows a file in at most limit bytes, by whole lines, and says what is left out.
func attach(p workspace.Path, f workspace.File, limit int) Block {
	block := Block{Name: "file " + p.Rel, File: &p}
	switch {
	case f.Binary:
		block.Text = fmt.Sprintf(noText+" (%d bytes).", f.Size)
	case f.Text == "":
		block.Text, block.Whole = emptyFile, true
	case len(f.Text) <= limit:
		block.Text, block.FileText, block.Whole = f.Text, f.Text, true
	default:
		head := f.Text[:max(0, limit)]
		head = head[:strings.LastIndexByte(head, '\n')+1]
		shown, all := strings.Count(head, "\n"), strings.Count(strings.TrimSuffix(f.Text, "\n"), "\n")+1
		block.Text = fmt.Sprintf("%s[lines 1 to %d of %d: "+theRest, head, shown, all)
		if shown == 0 {
			block.Text = fmt.Sprintf("[%d lines, not shown here: "+allOfIt, all)
		}
	}
	return block
}
