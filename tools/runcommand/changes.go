package runcommand

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/proposal"
	"github.com/assent-ls/assent/tools/sandbox/layers"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/workspace"
)

// The bounds of what is kept for Undo turn of what a command did.
const (
	maxUndoFile = 1 << 20  // bytes of one file, before or after
	maxUndo     = 64 << 20 // of all together
)

// settlement decides what becomes of what a command did in its view of the workspace.
type settlement struct {
	ws     *workspace.Workspace
	judge  tools.Judge
	report tools.Reporter
	layer  *changes.Layer
	ended  shell.Outcome
	// origins are what files held when the command began, by path, as far as an editor had them open.
	origins  map[string]string
	tried    bool                  // a person is asked about all of it
	alone    tools.Judge           // see running
	covered  []string              // what the command saw empty
	ignored  func(rel string) bool // git ignores it, as the ignore files on the disk say
	chat     *layers.Chat          // has what commands of the chat built, see mayBuild; nil: that is asked about
	mayBuild func(rel string, folder bool) bool
	taking   *layers.Taking // goes there, and asks nothing; nil: nothing does

	free        []changes.Change // that a rule or the mode allows as edits
	good, asked []changes.Change // what the approval of the command covers, and what needs a question of its own
	list        changes.List
	why         map[string]string // by path: why it is asked about
	dropped     proposal.Dropped  // what is not applied
	partly      []string          // files of which a person keeps some hunks, in words
}

// settled is what became of it.
type settled struct {
	sentences []string // for the model and for people
	changes   []tools.FileChange
}

// settle checks what a command did, asks a person about what needs a question, and applies what may be.
func (s *settlement) settle(ctx context.Context) (out settled) {
	list, err := changes.Read(ctx, s.layer)
	if err != nil {
		return settled{sentences: []string{fmt.Sprintf("Nothing that it did to files was applied: %v.", err)}}
	}
	s.why = map[string]string{}
	s.list = list
	for _, o := range list.LeftOut {
		s.drop(o.Rel, o.Why)
	}
	for _, c := range list.Changes {
		s.sort(ctx, c)
	}
	if s.tried && s.chat != nil {
		s.setAside(ctx)
	}
	s.keepRepositoriesWhole()
	if s.tried {
		s.askToKeep(ctx)
	}
	s.ask(ctx)
	s.good = append(s.good, s.foldersFor(s.good)...)
	slices.SortStableFunc(s.good, changes.Compare)
	out = s.apply(ctx)
	if len(s.partly) > 0 {
		out.sentences = append(out.sentences, proposal.Partly(s.partly))
	}
	if len(list.Kept) > 0 {
		out.sentences = append(out.sentences, "Kept, since commands do not see it: "+proposal.SomeOf(list.Kept)+".")
	}
	out.sentences = append(out.sentences, s.keepBuilt()...)
	return out
}

func (s *settlement) drop(rel, why string) { s.dropped.Drop(rel, why) }

// unseenText is why a change of a file is dropped that the command saw empty.
const unseenText = "reading it is asked about, so the command did not see what it holds"

// sort judges one change like an edit of its path.
func (s *settlement) sort(ctx context.Context, c changes.Change) {
	if slices.Contains(s.covered, c.Rel) || len(s.covered) > 0 && gitAttributes(c.Rel) {
		s.drop(c.Rel, unseenText)
		return
	}
	p, err := s.ws.Resolve(filepath.ToSlash(s.layer.Root) + "/" + c.Rel)
	switch {
	case err != nil && c.Mode.Type() == 0 || errors.Is(err, workspace.ErrDenied) ||
		errors.Is(err, workspace.ErrInvalid):
		s.drop(c.Rel, strings.TrimSuffix(err.Error(), "."))
		return
	case err != nil: // a link that leads nowhere, or outside: it is judged by its name
		p = workspace.Path{Rel: c.Rel, Abs: filepath.Join(s.layer.Root, filepath.FromSlash(c.Rel))}
		if kept, _ := workspace.Named(c.Rel, c.Dir()); kept {
			p.Protected = fmt.Sprintf("%q is protected.", c.Rel)
		}
	case c.Kind != changes.Removed && c.Mode.IsRegular() && p.Exists && !p.Dir:
		if s.typed(ctx, p) {
			s.drop(c.Rel, proposal.Typed)
			return
		}
	}
	standing, why := proposal.Judge(s.judge, s.alone, c.Kind, p)
	switch {
	case standing == proposal.Never:
		s.drop(c.Rel, why)
	case p.ToWrite() != "" && !gitData(c), standing == proposal.Apart, unfinished(s.ended) && !s.tried:
		s.asked = append(s.asked, c)
		s.why[c.Rel] = why
	case standing == proposal.Free && !unfinished(s.ended):
		s.free = append(s.free, c)
	default:
		s.good = append(s.good, c)
	}
}

// typed reports whether an editor shows something else than the disk holds.
func (s *settlement) typed(ctx context.Context, p workspace.Path) bool {
	shown, open := s.ws.Shown(p)
	if !open {
		return false
	}
	data, err := s.ws.ReadDisk(ctx, p)
	return err != nil || string(data) != shown
}

// unfinished reports whether a command did not come to its end by itself: then what it did is half of something.
func unfinished(o shell.Outcome) bool {
	// as the sandbox tells a signal
	return o.TimedOut || o.Canceled || o.Crowded || o.Signal != "" || o.Status > 128 && o.Status < 128+64
}

// gitNames are the names in git's folder that are data, and start nothing. All others there need a question.
var gitNames = []string{
	"objects", "refs", "logs", "index", "HEAD", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE",
	"AUTO_MERGE", "CHERRY_PICK_HEAD", "REVERT_HEAD",
	"COMMIT_EDITMSG", "SQUASH_MSG", "packed-refs",
}

// gitData reports whether a change is about the data of a repository alone.
func gitData(c changes.Change) bool {
	_, name, in := inRepository(c.Rel)
	first, _, _ := strings.Cut(name, "/")
	others := strings.HasSuffix(name, "alternates") // name folders with objects of other repositories
	return in && slices.Contains(gitNames, first) && !others && (c.Mode.IsRegular() || c.Dir())
}

// gitAttributes reports whether a path is the file by which git learns which texts it must not show.
func gitAttributes(rel string) bool {
	_, name, in := inRepository(rel)
	return in && name == "info/attributes"
}

// inRepository is the folder of git that a path lies in, and the path there.
func inRepository(rel string) (folder, name string, in bool) {
	for at := range len(rel) + 1 {
		if at == len(rel) || rel[at] == '/' {
			if first := rel[:at]; first == ".git" || strings.HasSuffix(first, "/.git") {
				return first, strings.TrimPrefix(rel[at:], "/"), true
			}
		}
	}
	return "", "", false
}

// keepRepositoriesWhole drops all that was done in the working tree of a repository, and to the repository, if a part
// of what was done to its data cannot be applied: half of it would lose work.
func (s *settlement) keepRepositoriesWhole() {
	changed := map[string]bool{} // the folders of repositories whose data changed
	for _, c := range slices.Concat(s.free, s.good) {
		if folder, _, in := inRepository(c.Rel); in && gitData(c) {
			changed[folder] = true
		}
	}
	for folder := range changed {
		if why := s.broken(folder); why != "" {
			s.dropIn(path.Dir(folder), why)
		}
	}
}

// broken says why what was done to a repository cannot be applied as a whole; empty: it can.
func (s *settlement) broken(folder string) string {
	in := func(c changes.Change) bool { f, _, in := inRepository(c.Rel); return in && f == folder }
	for _, rel := range s.dropped.Paths() {
		if f, _, in := inRepository(rel); in && f == folder {
			why, _ := s.dropped.Why(rel)
			return "of what it did to the repository, " + visible.Line(rel) + " cannot be applied: " + why
		}
	}
	all := slices.Concat(s.free, s.good, s.asked)
	all = slices.DeleteFunc(all, func(c changes.Change) bool { return !in(c) || c.Dir() })
	if touched := changes.Touched(s.layer, all); len(touched) > 0 {
		return "somebody else changed " + visible.Line(touched[0].Rel) + " while the command ran"
	}
	lost, err := s.list.LosesHidden(s.layer, folder)
	switch {
	case err != nil:
		return err.Error()
	case lost:
		return "git took files for deleted that it tracks and commands do not see: " + proposal.SomeOf(s.layer.Hidden)
	}
	return ""
}

// dropIn drops all that was done in a folder.
func (s *settlement) dropIn(folder, why string) {
	rest := func(list []changes.Change) []changes.Change {
		return slices.DeleteFunc(list, func(c changes.Change) bool {
			is := folder == "." || strings.HasPrefix(c.Rel, folder+"/")
			if is {
				s.drop(c.Rel, why)
			}
			return is
		})
	}
	s.free, s.good, s.asked = rest(s.free), rest(s.good), rest(s.asked)
}

// ask asks a person about all that needs a question, in one.
func (s *settlement) ask(ctx context.Context) {
	if len(s.asked) == 0 {
		return
	}
	said, why := s.asking().Apart(ctx, s.proposed(s.asked), s.why)
	var yes []changes.Change
	for _, c := range said {
		yes = append(yes, s.asked[c.At])
	}
	for _, c := range s.asked {
		if slices.ContainsFunc(yes, func(y changes.Change) bool { return y.Rel == c.Rel && y.Kind == c.Kind }) {
			s.good = append(s.good, c)
		} else {
			s.drop(c.Rel, why)
		}
	}
	s.asked = nil
	slices.SortStableFunc(s.good, changes.Compare)
	s.keepRepositoriesWhole()
}

// asking is how a person is asked about what the command did.
func (s *settlement) asking() proposal.Asking {
	return proposal.Asking{
		From: "the command", Copy: true, Unfinished: unfinished(s.ended), Root: s.layer.Root, Report: s.report,
	}
}

// proposed are changes as a person is asked about them.
func (s *settlement) proposed(list []changes.Change) (out []proposal.Change) {
	for i, c := range list {
		p := proposal.Change{
			At: i, Rel: c.Rel, Kind: c.Kind, Mode: c.Mode, Link: c.Link, Size: c.Size, Whole: c.Linked(),
			Ignored: s.ignored(c.Rel),
			Texts:   func() (before, after *string, ok bool) { return c.Texts(s.layer, maxUndoFile) },
		}
		if folder, _, git := inRepository(c.Rel); git {
			p.Group = "the repository " + folder
		} else if p.Ignored {
			p.Group = ignoredFiles
		}
		out = append(out, p)
	}
	return out
}

const ignoredFiles = "ignored files"

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// apply applies what may be, and says what became of all.
func (s *settlement) apply(ctx context.Context) (out settled) {
	undo, large := s.undo()
	report, err := changes.Apply(s.layer, s.good)
	if err != nil {
		out.sentences = []string{fmt.Sprintf("What it did to files was not wholly applied: %v.", err)}
	}
	for i, c := range report.Conflicts {
		var done *changes.Change
		var u *tools.FileChange
		if i < maxConflicts {
			done, u = s.take(ctx, c)
		}
		if done == nil {
			s.drop(c.Rel, proposal.Meanwhile("the command"))
			continue
		}
		report.Applied = append(report.Applied, *done)
		if u != nil {
			undo = slices.DeleteFunc(undo, func(other tools.FileChange) bool { return other.Path == u.Path })
			undo = append(undo, *u)
		}
	}
	for _, f := range report.Failed {
		s.drop(f.Rel, f.Err.Error())
	}
	done := map[string]bool{}
	names := map[changes.Kind][]string{}
	for _, c := range report.Applied {
		done[c.Rel] = true
		if !c.Dir() && c.Kind != changes.Set && !strings.HasPrefix(c.Rel, ".git/") {
			names[c.Kind] = append(names[c.Kind], c.Rel)
		}
	}
	out.sentences = append(out.sentences, proposal.Sentences(names, s.dropped)...)
	for _, u := range undo {
		if rel, err := filepath.Rel(s.layer.Root, u.Path); err == nil && done[filepath.ToSlash(rel)] {
			out.changes = append(out.changes, u)
		}
	}
	kept := s.keep(report, out.changes)
	if large = slices.DeleteFunc(large, func(rel string) bool { return !done[rel] }); len(large) > 0 {
		said := "Undo turn does not cover what this command did to " + proposal.SomeOf(large) + ": too large."
		if kept != "" {
			said += " What was there is kept in " + visible.Line(kept) + "."
		}
		out.sentences = append(out.sentences, said)
	}
	return out
}

// keep keeps what was replaced or removed and Undo turn does not cover, git's own data aside: it returns the folder, or
// nothing.
func (s *settlement) keep(report changes.Report, covered []tools.FileChange) string {
	undo := map[string]bool{}
	for _, u := range covered {
		undo[u.Path] = true
	}
	some := slices.DeleteFunc(slices.Clone(report.Aside), func(a changes.Aside) bool {
		_, _, git := inRepository(a.Rel)
		return git || undo[filepath.Join(s.layer.Root, filepath.FromSlash(a.Rel))]
	})
	folder, err := s.layer.Keep(some)
	if err != nil {
		return ""
	}
	return folder
}

// undo is what Undo turn needs: the texts of files that are neither protected nor ignored. It is read before anything
// is applied.
func (s *settlement) undo() (all []tools.FileChange, large []string) {
	room := int64(maxUndo)
	for _, c := range s.good {
		if !c.Mode.IsRegular() || c.Kind == changes.Set || s.ignored(c.Rel) {
			continue
		}
		if kept, _ := workspace.Named(c.Rel, false); kept {
			continue
		}
		before, after, ok := c.Texts(s.layer, min(maxUndoFile, room))
		if !ok {
			large = append(large, c.Rel)
			continue
		}
		room -= int64(len(text(before)) + len(text(after)))
		u := tools.FileChange{
			Path: filepath.Join(s.layer.Root, filepath.FromSlash(c.Rel)), Before: before, After: after,
		}
		if c.Kind == changes.Removed {
			u.Mode = c.Mode.Perm()
		}
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b tools.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return all, large
}
