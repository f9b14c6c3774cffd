package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/paths"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed edit_files.md
var editFilesText string

type editFilesInput struct {
	Edits []editFileInput `json:"edits"`
}

var editFilesExamples = []json.RawMessage{
	json.RawMessage(
		`{"edits":[{"path":"a.py","old_text":"max_size","new_text":"limit","replace_all":true},{"path":"b.py","old_text":"max_size=1","new_text":"limit=1"}]}`,
	),
}

const maxEdits = 100 // of one call

// EditFiles makes several edits in files that this chat has read: all of them or none.
func EditFiles(ws *workspace.Workspace) tools.Tool {
	return define(ws, tools.Spec{
		Name: "edit_files", Description: editFilesText, Verb: "edit", Examples: editFilesExamples,
	}, editor.planEdits)
}

// planEdits makes every edit in the text that the edits before it leave.
func (e editor) planEdits(ctx context.Context, in editFilesInput) (tools.Plan, error) {
	edits := in.Edits
	if len(edits) == 0 || len(edits) > maxEdits {
		return tools.Plan{}, fmt.Errorf(
			"edits must have 1 to %d edits, each with path, old_text and new_text", maxEdits,
		)
	}
	drafts, of, err := e.drafts(ctx, edits)
	if err != nil {
		return tools.Plan{}, err
	}
	unread := slices.DeleteFunc(slices.Clone(drafts), func(d *draft) bool { return d.read })
	done := 0
	for i, in := range edits {
		d := of[i]
		err := in.apply(ctx, d)
		if err == nil {
			continue
		}
		if len(unread) > 0 {
			return e.answerAll(unread), nil
		}
		_, missing := errors.AsType[*edit.NotFoundError](err)
		missing = missing && d.Protected == ""
		if missing && !d.current {
			return e.answer(
				d, "Nothing was changed: %q changed since it was read, and old_text of edit %d is not in it. "+
					"Here it is now:", d.Rel, i+1,
			), nil
		}
		if errors.Is(err, errStands) || missing && in.done(d) {
			if done++; done == len(edits) {
				return answered(
					targets(drafts),
					"Nothing was changed: these edits seem to be done, since every new_text is there already.",
				), nil
			}
			continue
		}
		return tools.Plan{}, inEdit(
			i, d, notPlaced(d, "old_text", " For all of them, give this edit replace_all true.", err),
		)
	}
	if slices.ContainsFunc(unread, func(d *draft) bool { return !e.knows(d) }) {
		return e.answerAll(unread), nil
	}
	if done > 0 {
		return tools.Plan{}, fmt.Errorf(
			"nothing was changed: %d of the edits seem to be done, since new_text is there already. "+
				"Call edit_files again without them",
			done,
		)
	}
	return e.planDrafts(drafts), nil
}

// drafts opens the files of edits: each once, in order, and for every edit its own.
func (e editor) drafts(ctx context.Context, edits []editFileInput) (all, of []*draft, err error) {
	for i, in := range edits {
		d, err := e.draft(ctx, in.Path)
		if err != nil {
			return nil, nil, fmt.Errorf("nothing was changed. Edit %d: %w", i+1, err)
		}
		if at := slices.IndexFunc(all, func(other *draft) bool { return other.Abs == d.Abs }); at >= 0 {
			d = all[at]
		} else {
			all = append(all, d)
		}
		if err := in.check(d); err != nil {
			return nil, nil, inEdit(i, d, err)
		}
		of = append(of, d)
	}
	return all, of, nil
}

func inEdit(i int, d *draft, err error) error {
	return fmt.Errorf("nothing was changed. Edit %d, in %q: %w", i+1, d.Rel, err)
}

// answerAll tells the model the texts of files instead of changing them.
func (e editor) answerAll(drafts []*draft) tools.Plan {
	var text strings.Builder
	text.WriteString(
		"Nothing was changed: these files were not read yet. Here they are. " +
			"Call edit_files again with every old_text copied from them.",
	)
	for _, d := range drafts {
		fmt.Fprintf(&text, "\n\n%q:\n\n%s", d.Rel, excerpt.Lines(d.before, 0, 0))
	}
	plan := tools.Plan{Target: targets(drafts), Answered: new(tools.Failed(text.String()))}
	plan.Answered.Retry = true
	for _, d := range drafts {
		plan.Paths = append(plan.Paths, paths.ForRules(e.ws, d.Path)...)
	}
	plan.Delivered = func() {
		for _, d := range drafts {
			e.reads.MarkRead(d.Abs, d.before)
		}
	}
	return plan
}

// targets names files for a title.
func targets(drafts []*draft) string {
	names := make([]string, len(drafts))
	for i, d := range drafts {
		names[i] = d.Rel
	}
	return strings.Join(names, ", ")
}

// planDrafts is a call that changes several files.
func (e editor) planDrafts(drafts []*draft) tools.Plan {
	plan := tools.Plan{Target: targets(drafts)}
	var bound, said []string
	for _, d := range drafts {
		one := e.plan(d, "old_text", "") // one result names the differences of all files
		plan.Preview += one.Preview
		plan.Files = append(plan.Files, one.Files...)
		plan.Paths = append(plan.Paths, one.Paths...)
		plan.Protected = strings.TrimSpace(plan.Protected + " " + one.Protected)
		plan.Notice = strings.TrimSpace(plan.Notice + " " + one.Notice)
		bound = append(bound, one.Binding)
		said = append(said, fmt.Sprintf("%q at %s (%s)", d.Rel, atLines(d.lines), edit.Summary(d.before, d.after)))
		if differs := d.differs("old_text"); differs != "" {
			said[len(said)-1] += ". " + strings.TrimSuffix(differs, ".")
		}
	}
	plan.Binding = policy.Bind(bound...)
	plan.Run = func(ctx context.Context, _ tools.Reporter) tools.Result {
		return e.replaceAll(ctx, drafts, "Changed:\n"+strings.Join(said, "\n"))
	}
	return plan
}
