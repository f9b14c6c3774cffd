package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/workspace"
)

// rollbackTime limits how long files are changed back for after a call could not be finished.
const rollbackTime = 30 * time.Second

// replaceAll changes files one after the other; what is the text of the result. If one cannot be changed, those before
// it are changed back. If that is not known of one, all stays as it is, since the editor may still do it.
func (e editor) replaceAll(ctx context.Context, drafts []*draft, what string) tools.Result {
	for i, d := range drafts {
		err := e.ws.Replace(ctx, d.Path, d.was(), d.after)
		if err == nil {
			continue
		}
		if errors.Is(err, workspace.ErrUnknown) {
			return e.changed(
				drafts[:i],
				tools.Sentence(err.Error())+leftOver("Changed before that", drafts[:i])+
					leftOver("Not changed", drafts[i+1:]),
				true,
			)
		}
		kept := e.changeBack(ctx, drafts[:i])
		if len(kept) == 0 {
			return untouched(err)
		}
		return e.changed(
			kept, tools.FailedBy(err).Text()+leftOver("Changed before that, and could not be changed back", kept), true,
		)
	}
	return e.changed(drafts, what, false)
}

// was is the text before the call; nil if there is no file yet.
func (d *draft) was() *string {
	if d.created {
		return nil
	}
	return &d.before
}

func leftOver(what string, drafts []*draft) string {
	if len(drafts) == 0 {
		return ""
	}
	return fmt.Sprintf(" %s: %s.", what, targets(drafts))
}

// changeBack undoes the change of files, and returns those where it could not. It works on after a Stop.
func (e editor) changeBack(ctx context.Context, drafts []*draft) (kept []*draft) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
	defer cancel()
	for _, d := range slices.Backward(drafts) {
		if e.ws.Replace(ctx, d.Path, &d.after, d.before) != nil {
			kept = append(kept, d)
		}
	}
	return kept
}

// changed is the result of a call that changed files.
func (e editor) changed(drafts []*draft, text string, failed bool) tools.Result {
	r := tools.Result{Parts: content.Texts(text), Failed: failed}
	for _, d := range drafts {
		if d.created {
			e.reads.MarkRead(d.Abs, d.after)
		} else {
			e.reads.MarkChanged(d.Abs, d.before, d.after)
		}
		r.Changes = append(r.Changes, tools.FileChange{Path: d.Abs, Before: d.was(), After: &d.after})
		if r.Undo == nil {
			r.Undo = &tools.Undo{}
		}
		r.Undo.Files = append(r.Undo.Files, tools.FileUndo{Path: d.Abs, Hunks: d.hunks})
	}
	return r
}
