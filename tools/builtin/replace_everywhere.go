package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/paths"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/search"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed replace_everywhere.md
var replaceEverywhereText string

type replaceEverywhereInput struct {
	OldText string `json:"old_text"`
	NewText string `json:"new_text"`
	Path    string `json:"path,omitempty"`
}

// Limits of one call: nobody judges more at once.
const (
	maxReplacedFiles  = 50
	maxReplacedPlaces = 1_000
)

var replaceEverywhereExamples = []json.RawMessage{json.RawMessage(`{"old_text":"max_size","new_text":"limit"}`)}

// ReplaceEverywhere replaces a name or a text at all its places: in every file or in none. What is replaced is all in
// the call, and a person sees each place, so no file has to be read. Protected files are left out unless one is named,
// and then it has to be read.
func ReplaceEverywhere(ws *workspace.Workspace) tools.Tool {
	return define(ws, tools.Spec{
		Name: "replace_everywhere", Description: replaceEverywhereText, Verb: "replace",
		Arguments: map[string]tools.ArgumentKind{
			"old_text": tools.SaidText, "new_text": tools.SaidText, "path": tools.ExistingFolder,
		},
		Examples: replaceEverywhereExamples,
	}, editor.planEverywhere)
}

func (e editor) planEverywhere(ctx context.Context, in replaceEverywhereInput) (tools.Plan, error) {
	switch {
	case in.OldText == "":
		return tools.Plan{}, errors.New("old_text is empty: give the name or the text to replace")
	case in.OldText == in.NewText:
		return tools.Plan{}, errSame
	case len(in.OldText) > search.MaxPattern:
		return tools.Plan{}, fmt.Errorf("old_text is longer than %d bytes: use edit_file", search.MaxPattern)
	}
	name := paths.OrRoot(in.Path)
	at, err := paths.Existing(ctx, e.ws, name)
	if err != nil {
		return tools.Plan{}, err
	}
	if !at.Dir && at.Protected != "" { // an error must say nothing of a text that nobody allowed to be read
		if _, err := e.draft(ctx, name); err != nil {
			return tools.Plan{}, err
		}
	}
	r := replacement{editor: e, old: in.OldText, text: in.NewText}
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	switch err := r.files(ctx, at); {
	case errors.Is(err, context.DeadlineExceeded):
		return tools.Plan{}, fmt.Errorf(
			"nothing was changed: to look took more than %v. Give the path of a folder", maxSearch,
		)
	case err != nil:
		return tools.Plan{}, fmt.Errorf("nothing was changed: %w", err)
	case len(r.drafts) == 0:
		return tools.Plan{}, r.nothing(at.Rel)
	}
	return r.plan(at), nil
}

// replacement collects the files in which a text is replaced.
type replacement struct {
	editor

	old, text string
	drafts    []*draft
	places    int
	longer    []string // some words that the text is only a part of
	there     []string // some files that have the new text already
	skipped   []string // some files that are no text and have it, or that cannot be read
}

// files looks at each file that is searched.
func (r *replacement) files(ctx context.Context, at workspace.Path) error {
	one := func(p workspace.Path) error {
		if p.Dir || p.Protected != "" && p.Rel != at.Rel {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := r.ws.Read(ctx, p)
		if err != nil || f.Binary {
			r.skip(p, f, err)
			return nil // nothing in it can be replaced
		}
		return r.look(ctx, p, f.Text)
	}
	if at.Dir {
		return r.ws.Walk(ctx, at, one)
	}
	return one(at)
}

// skip notes a file whose text cannot be replaced.
func (r *replacement) skip(p workspace.Path, f workspace.File, err error) {
	if len(r.skipped) < search.MaxNamed && (err != nil || len(edit.WholeWords(string(f.Data), r.old)) > 0) {
		r.skipped = append(r.skipped, p.Rel)
	}
}

// leftOut says in which other files the text may be; empty: in none.
func (r *replacement) leftOut() string {
	if len(r.skipped) == 0 {
		return ""
	}
	return fmt.Sprintf(
		" It may also be in what is no UTF-8 text, too large, or cannot be read: %s.", strings.Join(r.skipped, ", "),
	)
}

// look replaces the text in one file.
func (r *replacement) look(ctx context.Context, p workspace.Path, text string) error {
	if len(r.there) < search.MaxNamed && search.IsName(r.text) && len(edit.WholeWords(text, r.text)) > 0 {
		r.there = append(r.there, p.Rel)
	}
	found := r.find(text)
	if len(found) == 0 {
		return nil
	}
	if r.places += len(found); len(r.drafts) == maxReplacedFiles || r.places > maxReplacedPlaces {
		return fmt.Errorf(
			"%q is at more than %d places or in more than %d files. Give the path of a folder", r.old,
			maxReplacedPlaces, maxReplacedFiles,
		)
	}
	d, err := r.draftOf(ctx, p)
	if err != nil {
		return err
	}
	if d.before != text { // it changed in between
		if found = r.find(d.before); len(found) == 0 {
			return nil
		}
	}
	d.change(found)
	r.drafts = append(r.drafts, d)
	return nil
}

// find finds the places of the text that is replaced, with the line ends of the file: those of a name as a whole word.
func (r *replacement) find(text string) []edit.Found {
	var found []edit.Found
	eol := edit.EOL(text)
	old, changed := edit.WithEOL(r.old, eol), edit.WithEOL(r.text, eol)
	starts := edit.WholeWords(text, old)
	for _, start := range starts {
		found = append(found, edit.Found{Place: edit.Place{Start: start, End: start + len(old)}, New: changed})
	}
	if at := strings.Index(text, old); at >= 0 && len(starts) == 0 && len(r.longer) < search.MaxNamed {
		if word := wordAround(text, at, len(old)); !slices.Contains(r.longer, word) {
			r.longer = append(r.longer, word)
		}
	}
	return found
}

// nothing is the error for a text that is nowhere.
func (r *replacement) nothing(where string) error {
	in := "in any file that can be changed"
	if len(r.skipped) == 0 {
		in = "in any file"
	}
	if where != "." {
		in = "in " + where
	}
	if len(r.longer) > 0 {
		return fmt.Errorf(
			"nothing was changed: %q is no word of its own %s, only a part of %s.%s", r.old, in,
			strings.Join(r.longer, ", "), r.leftOut(),
		)
	}
	if len(r.there) > 0 {
		return fmt.Errorf(
			"nothing was changed: %q is not %s, and %q is in %s: it seems to be done.%s", r.old, in, r.text,
			strings.Join(r.there, ", "), r.leftOut(),
		)
	}
	return fmt.Errorf(
		"nothing was changed: %q is not %s. search_files finds how it is written.%s", r.old, in, r.leftOut(),
	)
}

func (r *replacement) plan(at workspace.Path) tools.Plan {
	plan := r.planDrafts(r.drafts)
	plan.Target = fmt.Sprintf(
		"%q by %q in %s", excerpt.Cut(r.old, excerpt.MaxLongLine), excerpt.Cut(r.text, excerpt.MaxLongLine),
		excerpt.Counted(len(r.drafts), "file"),
	)
	if len(r.there) > 0 {
		plan.Notice = strings.TrimSpace(
			plan.Notice + fmt.Sprintf(" %q is already in %s.", r.text, strings.Join(r.there, ", ")),
		)
	}
	if left := r.leftOut(); left != "" {
		plan.Notice = strings.TrimSpace(plan.Notice + left)
		run := plan.Run
		plan.Run = func(ctx context.Context, to tools.Reporter) tools.Result {
			result := run(ctx, to)
			result.Parts = append(result.Parts, content.Text(strings.TrimSpace(left)))
			return result
		}
	}
	plan.Binding = policy.Bind(at.Rel, plan.Binding)
	return plan
}

// wordAround is the word that a part of a text belongs to.
func wordAround(text string, at, length int) string {
	before := strings.TrimRightFunc(text[:at], edit.InName)
	after := strings.TrimLeftFunc(text[at+length:], edit.InName)
	return excerpt.Cut(text[len(before):len(text)-len(after)], excerpt.MaxLongLine)
}
