package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed insert_text.md
var insertTextText string

type insertTextInput struct {
	Path   string `json:"path"`
	Text   string `json:"text"`
	After  string `json:"after,omitempty"`
	Before string `json:"before,omitempty"`
	AtEnd  bool   `json:"at_end,omitempty"`
}

var insertExamples = []json.RawMessage{
	json.RawMessage(`{"path":"src/main.py","after":"import os","text":"import sys"}`),
	json.RawMessage(`{"path":"notes.txt","at_end":true,"text":"The last line."}`),
}

// InsertText inserts lines into a file that this chat has read.
func InsertText(ws *workspace.Workspace) tools.Tool {
	return define(ws, tools.Spec{
		Name: "insert_text", Description: insertTextText, Verb: "insert into", Examples: insertExamples,
	}, editor.planInsert)
}

func (e editor) planInsert(ctx context.Context, in insertTextInput) (tools.Plan, error) {
	argument, err := in.place()
	if err != nil {
		return tools.Plan{}, err
	}
	d, err := e.draft(ctx, in.Path)
	if err != nil {
		return tools.Plan{}, err
	}
	at, err := in.find(ctx, d)
	if _, _, shown := e.reads.Shows(d.Abs, d.before, at.Start, at.End); !d.read && (err != nil || !shown) {
		again := "If the place is right, make the same call again:"
		if err != nil {
			again = "Call insert_text again with the text of a place in it:"
		}
		return e.unread(d, again), nil
	}
	if err != nil {
		return tools.Plan{}, notPlaced(d, argument, "", err)
	}
	if in.there(d, at) {
		// No failure, as for an edit that is done.
		return answered(
			d.Rel, "Nothing was changed: the text stands in %q at line %d already.", d.Rel,
			edit.LineAt(d.before, at.Start),
		), nil
	}
	d.change([]edit.Found{at})
	return e.plan(
		d, argument,
		fmt.Sprintf(
			"Inserted into %q at line %d (%s).", d.Rel, edit.LineAt(d.after, at.Start+lineBreak(at.New)),
			edit.Summary(d.before, d.after),
		),
	), nil
}

// place names the argument that says where, as a message quotes it.
func (in insertTextInput) place() (argument string, err error) {
	var given []string
	for name, is := range map[string]bool{`"after"`: in.After != "", `"before"`: in.Before != "", "at_end": in.AtEnd} {
		if is {
			given = append(given, name)
		}
	}
	switch {
	case strings.TrimSpace(in.Path) == "":
		return "", errors.New("path is empty")
	case in.Text == "":
		return "", errors.New("text is empty: nothing would be inserted")
	case len(given) != 1:
		return "", errors.New(
			`say where with one argument: "after" or "before" with a text of the file, or at_end true`,
		)
	}
	return given[0], nil
}

// find is the insertion: on lines of its own, between whole lines of the file.
func (in insertTextInput) find(ctx context.Context, d *draft) (edit.Found, error) {
	eol := edit.EOL(d.before)
	text := edit.WithEOL(in.Text, eol)
	if !strings.HasSuffix(text, eol) {
		text += eol
	}
	at, loose := len(d.before), ""
	if anchor := in.After + in.Before; anchor != "" {
		found, err := edit.Find(ctx, d.before, anchor, "")
		if err != nil {
			return edit.Found{}, err
		}
		loose = found.Loose
		if in.Before != "" {
			at = strings.LastIndexByte(d.before[:found.Start], '\n') + 1
		} else {
			at = lineEnd(d.before, found.End)
		}
	}
	if at > 0 && d.before[at-1] != '\n' {
		text = eol + text // the file does not end with a line end
	}
	return edit.Found{Place: edit.Place{Start: at, End: at, Loose: loose}, New: text}, nil
}

// lineEnd is the start of the line after the one that a place ends in.
func lineEnd(text string, end int) int {
	if end > 0 && text[end-1] == '\n' {
		return end
	}
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		return end + i + 1
	}
	return len(text)
}

// lineBreak is the length of the line end that a text begins with.
func lineBreak(text string) int {
	if strings.HasPrefix(text, "\r\n") {
		return 2
	}
	return len(text) - len(strings.TrimPrefix(text, "\n"))
}

// there says whether the text is at its place already: small models make a call again that was done.
func (in insertTextInput) there(d *draft, at edit.Found) bool {
	if strings.TrimSpace(in.Text) == "" {
		return false
	}
	if in.After != "" {
		return strings.HasPrefix(d.before[at.Start:], at.New)
	}
	return strings.HasSuffix(d.before[:at.Start], at.New)
}
