package tools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed write_file.md
var writeFileText string

type writeFileInput struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// WriteFile makes a file, or replaces the whole content of one that this chat has read.
func WriteFile(ws *workspace.Workspace) Tool {
	return define(Spec{Name: "write_file", Description: writeFileText, Verb: "write", Effect: effect.Edits}, func(ctx context.Context, call Call, in writeFileInput) (Plan, error) {
		return editor{ws: ws, reads: call.Reads}.planWrite(ctx, in)
	})
}

func (e editor) planWrite(ctx context.Context, in writeFileInput) (Plan, error) {
	if strings.TrimSpace(in.Path) == "" || strings.HasSuffix(in.Path, "/") {
		return Plan{}, fmt.Errorf("path %q names no file", in.Path)
	}
	p, err := resolve(ctx, e.ws, in.Path)
	if err != nil {
		return Plan{}, err
	}
	if err := e.ws.Writable(p); err != nil {
		return Plan{}, err
	}
	if !p.Exists {
		return e.planNew(p, in.Content), nil
	}
	f, err := readText(ctx, e.ws, p)
	if err != nil {
		return Plan{}, err
	}
	read, current := e.reads.Knows(p.Abs, f.Text)
	if p.Protected != "" && !current {
		return Plan{}, unread(p)
	}
	after := in.Content
	if strings.Contains(f.Text, "\n") {
		after = edit.WithEOL(after, edit.EOL(f.Text))
	}
	// Small models leave the last line end out; that is never meant, and Neovim would keep it.
	if strings.HasSuffix(f.Text, "\n") && after != "" && !strings.HasSuffix(after, "\n") {
		after += edit.EOL(f.Text)
	}
	switch {
	case after == f.Text:
		return Plan{Target: p.Rel, Answered: new(Text(fmt.Sprintf("%q has this content already: nothing was changed.", p.Rel)))}, nil
	case current:
	case read:
		return e.answer(p, f.Text, fmt.Sprintf("Nothing was written: %q changed since it was read. Here it is now. Call write_file again if all of it should be replaced:", p.Rel)), nil
	default:
		return e.answer(p, f.Text, fmt.Sprintf("Nothing was written: %q exists and was not read yet. Here it is. Use edit_file for a change, or write_file again to replace all of it:", p.Rel)), nil
	}
	return Plan{
		Target:    p.Rel,
		Preview:   e.preview(p, f.Text, after, ""),
		Binding:   policy.Bind(p.Rel, f.Text, after),
		Paths:     rulePaths(e.ws, p),
		Protected: p.Protected,
		Notice:    p.Note,
		Run: func(ctx context.Context, _ Reporter) Result {
			what := fmt.Sprintf("Replaced the content of %q (%s).", p.Rel, edit.Summary(f.Text, after))
			return e.replace(ctx, p, &f.Text, after, edit.Change(f.Text, after), what)
		},
	}, nil
}

func (e editor) planNew(p workspace.Path, content string) Plan {
	return Plan{
		Target:    p.Rel + " (new)",
		Preview:   "A new file.\n" + e.preview(p, "", content, ""),
		Binding:   policy.Bind(p.Rel, "new", content),
		Paths:     rulePaths(e.ws, p),
		Protected: p.Protected,
		Notice:    p.Note,
		Run: func(ctx context.Context, _ Reporter) Result {
			what := fmt.Sprintf("Created %q (%d lines).", p.Rel, len(edit.Lines(content)))
			return e.replace(ctx, p, nil, content, edit.Change("", content), what)
		},
	}
}
