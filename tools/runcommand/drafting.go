package runcommand

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/proposal"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/workspace"
)

// drafting makes what a command did in its view of a draft changes of the draft: who made the draft asks about them
// with all others.
type drafting struct {
	ws      *workspace.Workspace
	layer   *changes.Layer
	saw     []workspace.DraftChange // the draft as the command found it
	covered []string                // what the command saw empty
	ignored func(rel string) bool

	dropped proposal.Dropped
	done    map[changes.Kind][]string
}

// take takes it all, but for what a draft cannot hold, and says what became of it. Nothing is taken of a command that
// did not come to its end.
func (d *drafting) take(ctx context.Context, o shell.Outcome) []string {
	if unfinished(o) {
		return []string{"It did not come to its end, so nothing of what it did to files is kept."}
	}
	list, err := changes.Read(ctx, d.layer)
	if err != nil {
		return []string{fmt.Sprintf("Nothing of what it did to files is kept: %v.", err)}
	}
	d.done = map[changes.Kind][]string{}
	for _, o := range list.LeftOut {
		d.dropped.Drop(o.Rel, o.Why)
	}
	seen := map[string]bool{}
	for _, c := range list.Changes {
		if c.Kind != changes.Set { // of these the text is that of the disk
			seen[c.Rel] = true
			d.takeOne(ctx, c)
		}
	}
	for _, was := range d.saw { // what the command made of the draft's files and is on the disk, or nothing
		if seen[was.Rel] || !sandbox.ShowsDrafted(was.Rel) {
			continue
		}
		text, touched, ok := changes.Left(d.layer, was.Rel, workspace.MaxFile)
		switch {
		case !ok:
			d.dropped.Drop(was.Rel, unusable)
		case touched:
			d.set(ctx, was.Rel, text, 0)
		}
	}
	return proposal.Sentences(d.done, d.dropped)
}

// onDisk is said of a command that is in no sandbox, and so on no draft.
const onDisk = "It ran on the files on disk: it did not see what was changed before and waits for an answer."

const unusable = "it is no file, or too large"

// takeOne takes a difference between what the command left and the disk.
func (d *drafting) takeOne(ctx context.Context, c changes.Change) {
	_, _, git := inRepository(c.Rel)
	switch {
	case c.Dir():
		return
	case git:
		d.dropped.Drop(c.Rel, "repositories of git are not changed by a program's commands")
		return
	case slices.Contains(d.covered, c.Rel):
		d.dropped.Drop(c.Rel, unseenText)
		return
	case d.ignored(c.Rel):
		d.dropped.Drop(c.Rel, "git ignores it")
		return
	}
	var text *string
	if c.Kind != changes.Removed {
		_, after, ok := c.Texts(d.layer, workspace.MaxFile)
		if !ok || !c.Mode.IsRegular() {
			d.dropped.Drop(c.Rel, unusable)
			return
		}
		text = after
	}
	d.set(ctx, c.Rel, text, c.Mode.Perm())
}

// set gives a file of the draft a text; nil: it is deleted.
func (d *drafting) set(ctx context.Context, rel string, text *string, mode fs.FileMode) {
	kind, err := d.write(ctx, rel, text, mode)
	switch {
	case err != nil:
		d.dropped.Drop(rel, strings.TrimSuffix(err.Error(), "."))
	case kind != 0:
		d.done[kind] = append(d.done[kind], rel)
	}
}

func (d *drafting) write(ctx context.Context, rel string, text *string, mode fs.FileMode) (changes.Kind, error) {
	p, err := d.ws.Resolve(filepath.ToSlash(d.layer.Root) + "/" + rel)
	if err != nil {
		return 0, err
	}
	_, err = d.ws.Stat(p)
	there := err == nil
	if there && !d.ws.Saved(ctx, p) {
		return 0, errors.New(proposal.Typed)
	}
	switch {
	case !there && text == nil:
		return 0, nil
	case !there:
		if mode&0o111 == 0 {
			mode = 0 // that of new files
		}
		return changes.Made, d.ws.Restore(ctx, p, *text, mode)
	}
	data, err := d.ws.ReadDisk(ctx, p)
	if err != nil {
		return 0, err
	}
	if text == nil {
		return changes.Removed, d.ws.Delete(ctx, p, string(data))
	}
	if string(data) == *text {
		return 0, nil
	}
	before, err := d.ws.Read(ctx, p)
	if err != nil {
		return 0, err
	}
	was := before.Content()
	return changes.Changed, d.ws.Replace(ctx, p, &was, *text)
}
