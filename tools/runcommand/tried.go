package runcommand

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/excerpt"
)

// askToKeep asks a person what becomes of the changes of a command that was tried on a copy: of those that need no
// question of their own. If none of them are kept, nothing else is asked.
func (s *settlement) askToKeep(ctx context.Context) {
	s.good = slices.DeleteFunc(s.good, changes.Change.TimesAlone)
	defer func() {
		s.good, s.free = append(s.free, s.good...), nil
		slices.SortStableFunc(s.good, compareChanges)
		s.dropTyped(ctx)
	}()
	if len(s.good) == 0 {
		return
	}
	all := s.pieces(s.good)
	reply, why := s.putTried(ctx, all)
	switch {
	case reply.Yes:
		return
	case reply.Other:
		reply, why = s.choose(ctx, all)
		if reply.Yes && len(reply.Form) > 0 {
			s.keepPieces(all, reply.Form)
			return
		}
	}
	if reply.Why != "" {
		why = fmt.Sprintf("the user discarded it, and says: %q", reply.Why)
	}
	s.dropAll(why)
}

// dropAll drops all that waits for an answer.
func (s *settlement) dropAll(why string) {
	for _, c := range slices.Concat(s.good, s.asked) {
		s.drop(c.Rel, why)
	}
	s.good, s.asked = nil, nil
}

// dropTyped drops the changes of files in which somebody typed since.
func (s *settlement) dropTyped(ctx context.Context) {
	s.good = slices.DeleteFunc(s.good, func(c changes.Change) bool {
		p, err := s.ws.Resolve(c.Rel)
		if err != nil || !p.Exists || p.Dir || c.Kind == changes.Removed || !c.Mode.IsRegular() {
			return false
		}
		text, open := s.ws.Shown(p)
		typed := open && s.differs(ctx, p, text)
		if typed {
			s.drop(c.Rel, typedIn)
		}
		return typed
	})
}

const typedIn = "it has unsaved changes in the editor"

const (
	keepAll   = "Keep all"
	keepSome  = "Choose what to keep"
	discard   = "Discard"
	discarded = "the user discarded it"
)

// putTried asks what becomes of all of it. why says why nothing is kept unless the answer is yes.
func (s *settlement) putTried(ctx context.Context, all []piece) (tools.Reply, string) {
	asker, ok := s.report.(tools.Asker)
	if !ok {
		return tools.Reply{}, nobodyThere
	}
	q := tools.Inquiry{
		From: "the command", Target: "Keep what the command did on the copy: " + s.counted(), Yes: keepAll,
		Other: keepSome, No: discard, Why: true, Files: s.edits(), Like: s.like(),
	}
	if len(all) == 1 {
		q.Other = ""
	}
	var reply tools.Reply
	err := tools.ErrLong
	texts := []func() string{s.triedDiffs, s.triedNames, func() string { return listed(all) }}
	if len(s.good) > maxFiles {
		texts = texts[2:]
	}
	for _, text := range texts {
		if !errors.Is(err, tools.ErrLong) {
			break
		}
		q.Text = s.triedHeading() + text()
		reply, err = asker.Ask(ctx, q)
	}
	return reply, s.whyNot(ctx, err, discarded)
}

// choose asks about each piece.
func (s *settlement) choose(ctx context.Context, all []piece) (tools.Reply, string) {
	asker, ok := s.report.(tools.Asker)
	if !ok {
		return tools.Reply{}, nobodyThere
	}
	var b strings.Builder
	for _, p := range all {
		fmt.Fprintf(&b, "%s\n%s\n", p.name, p.text)
	}
	q := tools.Inquiry{
		From: "the command", Target: "Choose what to keep of what the command did on the copy", No: discard, Why: true,
		Text: "Write keep or discard for each.\n\n" + b.String(), Form: formOf(all),
	}
	reply, err := asker.Ask(ctx, q)
	if errors.Is(err, tools.ErrLong) {
		q.Text = "Write keep or discard for each.\n" + listed(all)
		reply, err = asker.Ask(ctx, q)
	}
	return reply, s.whyNot(ctx, err, discarded)
}

const nobodyThere = "nobody was there who could be asked"

// whyNot says why changes are not applied after a question.
func (s *settlement) whyNot(ctx context.Context, err error, no string) string {
	switch {
	case err == nil:
		return no
	case errors.Is(err, tools.ErrLong):
		return "the question would be too long"
	case ctx.Err() != nil:
		return "the command was stopped"
	}
	return nobodyThere
}

// keepPieces drops what a person did not choose, and writes the files of which they chose a part.
func (s *settlement) keepPieces(all []piece, form json.RawMessage) {
	chosen := map[string]string{}
	_ = json.Unmarshal(form, &chosen) // it was checked: what is missing is discarded
	kept, parts, total := map[string]bool{}, map[string][]piece{}, map[string]int{}
	for _, p := range all {
		for _, rel := range p.rels {
			total[rel]++
			if chosen[p.name] != keepPiece {
				continue
			}
			kept[rel] = true
			if p.hunk != nil {
				parts[rel] = append(parts[rel], p)
			}
		}
	}
	files, folders := filesAndFolders(s.good)
	s.good = nil
	for _, c := range files {
		switch hunks := parts[c.Rel]; {
		case !kept[c.Rel]:
			s.drop(c.Rel, discarded)
		case len(hunks) > 0 && len(hunks) < total[c.Rel]:
			s.keepHunks(c, hunks, total[c.Rel])
		default:
			s.good = append(s.good, c)
		}
	}
	s.good = append(s.good, withFiles(folders, files, s.good)...)
	slices.SortStableFunc(s.good, compareChanges)
	if len(s.good) == 0 {
		for _, c := range s.asked {
			s.drop(c.Rel, discarded)
		}
		s.asked = nil
	}
}

// keepHunks has the layer hold some hunks of a file alone.
func (s *settlement) keepHunks(c changes.Change, some []piece, of int) {
	var hunks []udiff.Edit
	for _, p := range some {
		hunks = append(hunks, *p.hunk)
	}
	if err := s.layer.Rewrite(c.Rel, withHunks(some[0].before, hunks)); err != nil {
		s.drop(c.Rel, err.Error())
		return
	}
	s.good = append(s.good, c)
	s.partly = append(s.partly, fmt.Sprintf("%s (%d of %d hunks)", visible.Line(c.Rel), len(hunks), of))
}

// triedHeading begins each question about a tried command.
func (s *settlement) triedHeading() string {
	ended := "The command has run"
	if s.unfinished() {
		ended = "The command did not come to its end"
	}
	said := ended + " on a copy. Nothing of what it changed there is in your workspace yet.\n"
	if len(s.asked) > 0 {
		said += fmt.Sprintf("Of these you are asked afterwards: %s.\n", someOf(rels(s.asked)))
	}
	if len(s.dropped) > 0 {
		said += s.notApplied() + "\n"
	}
	return said
}

func rels(list []changes.Change) (out []string) {
	for _, c := range list {
		out = append(out, c.Rel)
	}
	return out
}

// counted says in a few words what the command did.
func (s *settlement) counted() string {
	files, _ := filesAndFolders(s.good)
	if len(files) <= 2 {
		return someOf(rels(files))
	}
	return fmt.Sprintf("%s and %d more files", visible.Line(files[0].Rel), len(files)-1)
}

// triedDiffs are the changes with what they hold.
func (s *settlement) triedDiffs() string {
	var b strings.Builder
	ignored, files := s.apart()
	for _, c := range files {
		s.describe(&b, c, true)
	}
	return b.String() + ignoredRow(ignored)
}

// triedNames are the changes by their names.
func (s *settlement) triedNames() string {
	var b strings.Builder
	ignored, files := s.apart()
	for _, c := range files {
		s.describe(&b, c, false)
	}
	return b.String() + ignoredRow(ignored)
}

// apart are the changes of ignored files, and the others.
func (s *settlement) apart() (ignored, others []changes.Change) {
	files, _ := filesAndFolders(s.good)
	for _, c := range files {
		if s.ignored(c.Rel) {
			ignored = append(ignored, c)
		} else {
			others = append(others, c)
		}
	}
	return ignored, others
}

func ignoredRow(ignored []changes.Change) string {
	if len(ignored) == 0 {
		return ""
	}
	return fmt.Sprintf(
		"\n%s that git ignores: %s\n", excerpt.Counted(len(ignored), "file"), someOf(rels(ignored)),
	)
}

// listed are pieces by their names.
func listed(all []piece) string {
	var b strings.Builder
	for _, p := range all {
		b.WriteString("\n" + p.name)
	}
	return b.String() + "\n"
}

// edits are the texts of what the command did, for people who compare them side by side.
func (s *settlement) edits() (out []tools.FileEdit) {
	if len(s.good) > maxFiles {
		return nil
	}
	for _, c := range s.good {
		if before, after, ok := c.Texts(s.layer, maxUndoFile); ok && c.Kind != changes.Set &&
			!strings.ContainsRune(text(before)+text(after), 0) {
			out = append(out, tools.FileEdit{
				Path: s.layer.Root + "/" + c.Rel, Rel: c.Rel, Before: text(before), After: text(after),
			})
		}
	}
	return out
}

// like are the tools that edit whose calls would do the same.
func (s *settlement) like() (names []string) {
	for _, c := range s.good {
		if tool, _ := asEdit(c.Kind); !slices.Contains(names, tool) {
			names = append(names, tool)
		}
	}
	return names
}
