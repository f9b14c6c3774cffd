package proposal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

// maxShown is how much of a file is compared for people, in bytes.
const maxShown = 1 << 20

// Settled is what became of the changes of a draft.
type Settled struct {
	Sentences []string           // for the model and for people
	Changes   []tools.FileChange // what was applied, in order, for the review of changes and Undo turn
}

// Settle asks a person which changes of a draft to keep, and makes those in ws, the workspace that the draft is of.
// Each is judged like an edit of its path by the tool that would make it: what is refused is dropped, what a rule or
// the mode allows is applied unasked, what is protected or a rule asks about has a question of its own, and all else is
// asked about in one. from is who made the changes, as people know them ("the program"). A file that is not any more
// what it was for the draft, on disk or in the editor, is dropped and never overwritten. Once ctx has ended, or
// something could not be written, nothing more is applied; what was applied before is among the Changes all the same.
func Settle(
	ctx context.Context, ws *workspace.Workspace, call tools.Call, report tools.Reporter, from string,
	list []workspace.DraftChange,
) Settled {
	s := settlement{ws: ws, from: from, judge: call.Judge, alone: call.JudgeAlone, whys: map[string]string{}}
	if s.judge == nil {
		s.judge = func(string, effect.Effect, workspace.Path) policy.Decision { return policy.Decision{} }
	}
	all := moves(list)
	for _, d := range all {
		s.sort(ctx, d)
	}
	s.dropHalves(all)
	asking := Asking{From: from, Root: ws.Root(), Report: report}
	s.askTogether(ctx, asking)
	s.askApart(ctx, asking)
	s.good = append(s.good, s.kept...)
	out := Settled{Changes: s.apply(ctx)}
	if out.Sentences = Sentences(s.applied, s.dropped); len(s.partly) > 0 {
		out.Sentences = append(out.Sentences, Partly(s.partly))
	}
	return out
}

// drafted is a change of a draft with its place in the workspace.
type drafted struct {
	workspace.DraftChange

	path  workspace.Path
	other *drafted // the other half of a move; nil: it is no move
}

func (d *drafted) kind() changes.Kind {
	switch {
	case d.Before == nil:
		return changes.Made
	case d.After == nil:
		return changes.Removed
	}
	return changes.Changed
}

// settlement decides what becomes of the changes of a draft.
type settlement struct {
	ws           *workspace.Workspace
	from         string
	judge, alone tools.Judge

	good, together, apart []*drafted // to be applied, and to be asked about
	kept                  []*drafted // what a person said yes to
	whys                  map[string]string
	dropped               Dropped
	partly                []string
	applied               map[changes.Kind][]string
}

// sort judges one change like an edit of its path.
func (s *settlement) sort(ctx context.Context, d *drafted) {
	p, err := s.ws.Resolve(d.Rel)
	switch {
	case err != nil:
		s.dropped.Drop(d.Rel, strings.TrimSuffix(err.Error(), "."))
		return
	case p.Rel != d.Rel || p.Dir:
		s.dropped.Drop(d.Rel, Meanwhile(s.from))
		return
	}
	d.path = p
	if why := s.changed(ctx, d); why != "" {
		s.dropped.Drop(d.Rel, why)
		return
	}
	standing, why := Judge(s.judge, s.alone, d.kind(), p)
	switch {
	case standing == Never:
		s.dropped.Drop(d.Rel, why)
	case p.ToWrite() != "", standing == Apart:
		s.apart = append(s.apart, d)
		s.whys[d.Rel] = cmp.Or(why, p.ToWrite())
	case standing == Free:
		s.good = append(s.good, d)
	default:
		s.together = append(s.together, d)
	}
}

// Meanwhile is why a file is not changed that somebody else changed while from ran.
func Meanwhile(from string) string { return "it was changed by somebody else while " + from + " ran" }

// changed says why a file is not what it was for the draft; empty: it is.
func (s *settlement) changed(ctx context.Context, d *drafted) string {
	text, open := s.ws.Shown(d.path)
	var same bool
	switch {
	case ctx.Err() != nil:
		return s.from + " was stopped"
	case d.Before == nil:
		_, err := s.ws.Stat(d.path)
		same = errors.Is(err, fs.ErrNotExist) && text == ""
	case d.After != nil && open:
		same = text == *d.Before
	default:
		data, err := s.ws.ReadDisk(ctx, d.path)
		same = err == nil && string(data) == *d.Before && s.ws.Saved(ctx, d.path)
	}
	switch {
	case same:
		return ""
	case open && !s.ws.Saved(ctx, d.path):
		return Typed
	}
	return Meanwhile(s.from)
}

// moves finds the halves of moves among changes.
func moves(list []workspace.DraftChange) (all []*drafted) {
	made := map[string]*drafted{}
	for _, c := range list {
		d := &drafted{DraftChange: c}
		if all = append(all, d); d.Before == nil && *d.After != "" {
			made[*d.After] = d
		}
	}
	for _, d := range all {
		if d.After == nil && made[*d.Before] != nil && made[*d.Before].other == nil {
			d.other = made[*d.Before]
			d.other.other = d
		}
	}
	return all
}

// dropHalves drops each half of a move whose other half is dropped: a file would be lost, or be there twice.
func (s *settlement) dropHalves(all []*drafted) {
	for _, d := range all {
		if d.other != nil && s.isDropped(d.other) && !s.isDropped(d) {
			s.dropped.Drop(d.Rel, "it is one half of a move, and the other, "+d.other.Rel+", is not applied")
		}
	}
	for _, list := range []*[]*drafted{&s.good, &s.together, &s.apart} {
		*list = slices.DeleteFunc(*list, s.isDropped)
	}
}

// proposed are changes as a person is asked about them.
func proposed(list []*drafted) (out []Change) {
	for i, d := range list {
		size := max(len(text(d.Before)), len(text(d.After)))
		out = append(out, Change{
			At: i, Rel: d.Rel, Kind: d.kind(), Size: int64(len(text(d.After))),
			Texts: func() (before, after *string, ok bool) { return d.Before, d.After, size <= maxShown },
		})
	}
	return out
}

// askTogether asks about all that needs no question of its own. If none of it is kept, nothing else is asked.
func (s *settlement) askTogether(ctx context.Context, a Asking) {
	if len(s.together) == 0 {
		return
	}
	list := proposed(s.together)
	kept, why := a.Keep(ctx, list, rels(proposed(s.apart)), s.dropped)
	for _, d := range s.together {
		part, partly := kept.Parts[d.Rel]
		switch {
		case !kept.All && !kept.Some[d.Rel]:
			s.dropped.Drop(d.Rel, cmp.Or(why, Discarded))
			continue
		case partly:
			d.After = &part.Text
			s.partly = append(s.partly, part.Note(d.Rel))
		}
		s.kept = append(s.kept, d)
	}
	if len(s.kept) == 0 {
		for _, d := range s.apart {
			s.dropped.Drop(d.Rel, cmp.Or(why, Discarded))
		}
		s.apart = nil
	}
}

// askApart asks about all that needs a question of its own.
func (s *settlement) askApart(ctx context.Context, a Asking) {
	if len(s.apart) == 0 {
		return
	}
	yes, why := a.Apart(ctx, proposed(s.apart), s.whys)
	for i, d := range s.apart {
		if slices.ContainsFunc(yes, func(c Change) bool { return c.At == i }) {
			s.kept = append(s.kept, d)
		} else {
			s.dropped.Drop(d.Rel, why)
		}
	}
}

// apply makes the changes that are good, in the order in which each of them can be made.
func (s *settlement) apply(ctx context.Context) (done []tools.FileChange) {
	s.applied = map[changes.Kind][]string{}
	slices.SortStableFunc(s.good, func(a, b *drafted) int {
		return cmp.Or(cmp.Compare(s.turn(a), s.turn(b)), strings.Compare(a.Rel, b.Rel))
	})
	failed := ""
	for _, d := range s.good {
		why, lost := cmp.Or(failed, s.forbidden(d)), d.other != nil && s.isDropped(d.other)
		switch {
		case why != "":
		case lost && d.After == nil:
			why = "it was to be moved to " + d.other.Rel + ", which is not applied"
		default:
			if err := s.make(ctx, d); err != nil {
				why = s.whyNot(ctx, d, err)
				if !ofOneFile(err) {
					failed = fmt.Sprintf("%s could not be written", d.Rel)
					if ctx.Err() != nil {
						failed = s.from + " was stopped"
					}
				}
			}
		}
		if why != "" {
			s.dropped.Drop(d.Rel, why)
			continue
		}
		s.applied[d.kind()] = append(s.applied[d.kind()], d.Rel)
		done = append(done, tools.FileChange{Path: d.path.Abs, Before: d.Before, After: d.After, Mode: d.Mode})
	}
	return done
}

// ofOneFile reports whether an error says nothing about other files.
func ofOneFile(err error) bool {
	return slices.ContainsFunc([]error{
		workspace.ErrChanged, workspace.ErrUnsaved, workspace.ErrNotWritable, workspace.ErrNotRegular,
		workspace.ErrDenied,
	}, func(kind error) bool { return errors.Is(err, kind) })
}

// forbidden says why a change may not be made any more, since a rule or the mode has changed while a person was asked;
// empty: it may.
func (s *settlement) forbidden(d *drafted) string {
	standing, why := Judge(s.judge, s.alone, d.kind(), d.path)
	switch {
	case standing == Never:
		return why
	case standing != Free && !slices.Contains(s.kept, d):
		return "it is not allowed without a question any more"
	}
	return ""
}

// isDropped reports whether a change will not be made.
func (s *settlement) isDropped(d *drafted) bool {
	_, is := s.dropped.Why(d.Rel)
	return is
}

// turn orders changes: what is deleted goes last, so that no text is lost if another change fails, but first if it is
// in the way of another one.
func (s *settlement) turn(d *drafted) int {
	if d.After != nil {
		return 1
	}
	if slices.ContainsFunc(s.good, func(o *drafted) bool {
		return o.Before == nil && o != d &&
			(strings.HasPrefix(o.Rel, d.Rel+"/") || workspace.FoldPath(o.Rel) == workspace.FoldPath(d.Rel))
	}) {
		return 0
	}
	return 2
}

// make makes one change.
func (s *settlement) make(ctx context.Context, d *drafted) error {
	switch d.kind() {
	case changes.Made:
		return s.ws.Restore(ctx, d.path, *d.After, d.Mode)
	case changes.Removed:
		return s.ws.Delete(ctx, d.path, *d.Before)
	case changes.Changed, changes.Set:
	}
	return s.ws.Replace(ctx, d.path, d.Before, *d.After)
}

// whyNot says why a change could not be made.
func (s *settlement) whyNot(ctx context.Context, d *drafted, err error) string {
	switch {
	case ctx.Err() != nil:
		return s.from + " was stopped"
	case errors.Is(err, workspace.ErrChanged), errors.Is(err, workspace.ErrUnsaved):
		return cmp.Or(s.changed(ctx, d), Meanwhile(s.from))
	}
	return strings.TrimSuffix(err.Error(), ".")
}

// Sentences say what was applied, by kind, and what was not.
func Sentences(applied map[changes.Kind][]string, dropped Dropped) (out []string) {
	for _, k := range []changes.Kind{changes.Changed, changes.Made, changes.Removed} {
		if len(applied[k]) > 0 {
			out = append(out, Said(k)+": "+SomeOf(applied[k])+".")
		}
	}
	if len(dropped.rels) > 0 {
		out = append(out, dropped.Sentence())
	}
	return out
}

// Partly names the files of which a part was kept: see Part.Note.
func Partly(notes []string) string {
	return "The user kept a part of these: " + strings.Join(notes, ", ") + "."
}
