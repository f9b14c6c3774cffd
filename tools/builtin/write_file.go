package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/paths"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed write_file.md
var writeFileText string

type writeFileInput struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// WriteFile makes a file, or replaces the whole content of one that this chat has read.
func WriteFile(ws *workspace.Workspace) tools.Tool {
	return define(ws, tools.Spec{
		Name: "write_file", Description: writeFileText, Verb: "write",
		Arguments: map[string]tools.ArgumentKind{"path": tools.NewFile},
	}, editor.planWrite)
}

func (e editor) planWrite(ctx context.Context, in writeFileInput) (tools.Plan, error) {
	if strings.TrimSpace(in.Path) == "" || strings.HasSuffix(in.Path, "/") {
		return tools.Plan{}, fmt.Errorf("path %q names no file", in.Path)
	}
	p, err := paths.Resolve(ctx, e.ws, in.Path)
	if err != nil {
		return tools.Plan{}, err
	}
	if !p.Exists {
		return e.planNew(p, in.Content)
	}
	d, err := e.draft(ctx, in.Path)
	if err != nil {
		return tools.Plan{}, err
	}
	d.after = in.Content
	if strings.Contains(d.before, "\n") {
		d.after = edit.WithEOL(d.after, edit.EOL(d.before))
	}
	// Small models leave the last line end out; that is never meant, and Neovim would keep it.
	if strings.HasSuffix(d.before, "\n") && d.after != "" && !strings.HasSuffix(d.after, "\n") {
		d.after += edit.EOL(d.before)
	}
	switch {
	case d.after == d.before:
		return answered(d.Rel, "%q has this content already: nothing was changed.", d.Rel), nil
	case d.current && e.reads.Hesitates(d.Abs, d.before, d.after, losesMost(d.before, d.after)):
		return tools.Plan{}, fmt.Errorf("this would delete most of %q: content must be all of the file, "+
			"not only what is new. Write it again with the lines that stay, "+
			"or use edit_file. If they are to be deleted, make the same call again", d.Rel)
	case d.current:
	case d.read:
		return e.answer(
			d, "Nothing was written: %q changed since it was read. Here it is now. "+
				"Call write_file again if all of it should be replaced:", d.Rel,
		), nil
	default:
		return e.answer(
			d, "Nothing was written: %q exists and was not read yet. Here it is. "+
				"Use edit_file for a change, or write_file again to replace all of it:", d.Rel,
		), nil
	}
	d.bound, d.hunks = []string{d.before, d.after}, []edit.Hunk{edit.Change(d.before, d.after)}
	return e.plan(
		d, "content", fmt.Sprintf("Replaced the content of %q (%s).", d.Rel, edit.Summary(d.before, d.after)),
	), nil
}

// losesMost reports whether a new content leaves out most of what a file has: models write only what they changed, or
// "the rest as before".
func losesMost(before, after string) bool {
	const few = 3
	left := map[string]int{}
	for _, line := range edit.Lines(after) {
		left[strings.TrimSpace(line)]++
	}
	all, lost := 0, 0
	for _, line := range edit.Lines(before) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		all++
		if left[line]--; left[line] < 0 {
			lost++
		}
	}
	return lost > few && 2*lost > all
}

func (e editor) planNew(p workspace.Path, content string) (tools.Plan, error) {
	if err := e.ws.Writable(p); err != nil {
		return tools.Plan{}, err
	}
	d := &draft{Path: p, created: true, after: content}
	d.bound, d.hunks = []string{"new", content}, []edit.Hunk{edit.Change("", content)}
	plan := e.plan(d, "content", fmt.Sprintf("Created %q (%d lines).", p.Rel, len(edit.Lines(content))))
	plan.Target += " (new)"
	plan.Preview = "A new file.\n" + plan.Preview
	return plan, nil
}
