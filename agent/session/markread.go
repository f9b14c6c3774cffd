package session

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/workspace"
)

// markRead marks the files that a chat shows as read: a chat that was opened again has read what is in it. Anybody
// may have written that, so that it counts only for files that are read without a question.
func (e Environment) markRead(ctx context.Context, chat *transcript.Chat, reads *tools.ReadSet) {
	if e.Workspace == nil {
		return
	}
	pathOf := map[string]string{} // the argument that names a file, by the tools that show its text
	for _, spec := range e.Tools.Known().Specs() {
		if spec.ShowsFile != "" {
			pathOf[spec.Name] = spec.ShowsFile
		}
	}
	for _, turn := range chat.Turns {
		results := turn.Results()
		for _, block := range turn.Blocks {
			switch b := block.(type) {
			case transcript.Context:
				if path, ok := attach.FilePath(b.Name); ok && !b.NotSent {
					e.markFileRead(ctx, path, b.Text, reads)
				}
				if path, lines, ok := attach.ShownLines(b.Name, b.Text); ok && !b.NotSent {
					e.markLinesRead(ctx, path, lines, reads)
				}
			case transcript.Call:
				var arguments map[string]any
				result, argument := results[b.ID], pathOf[b.Tool]
				if argument != "" && result.Status == transcript.OK && json.Unmarshal(b.Arguments, &arguments) == nil {
					path, _ := arguments[argument].(string)
					e.markFileRead(ctx, path, result.Text, reads)
				}
			}
		}
	}
}

// markFileRead marks one file as read with the text that was shown; how the text ends is not shown.
func (e Environment) markFileRead(ctx context.Context, path, shown string, reads *tools.ReadSet) {
	p, ok := e.shownFile(path)
	if !ok {
		return
	}
	if known, _ := reads.Knows(p.Abs, shown); known {
		return
	}
	if file, err := e.Workspace.Read(ctx, p); err == nil && sameText(file, shown) {
		shown = file.Text
	}
	reads.MarkRead(p.Abs, shown)
}

// shownFile finds a file that is read without a question.
func (e Environment) shownFile(path string) (p workspace.Path, ok bool) {
	p, err := e.Workspace.Resolve(path)
	return p, err == nil && p.Exists && !p.Dir && p.Protected == ""
}

// markLinesRead is markFileRead for some lines of a file. Those that are not there any more do not count.
func (e Environment) markLinesRead(ctx context.Context, path, lines string, reads *tools.ReadSet) {
	p, ok := e.shownFile(path)
	if !ok {
		return
	}
	if file, err := e.Workspace.Read(ctx, p); err == nil {
		reads.MarkShown(p.Abs, edit.WithEOL(strings.TrimSuffix(lines, "\n"), edit.EOL(file.Text)))
	}
}

// sameText compares a file with what a chat shows of it: line ends and the end aside.
func sameText(f workspace.File, shown string) bool {
	text, shown := strings.TrimRight(attach.Unmarked(f.Text), "\n"), strings.TrimRight(shown, "\n")
	return text == shown || visible.Text(text) == shown
}
