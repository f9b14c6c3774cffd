package runcommand

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/proposal"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/workspace"
)

// built is the chat whose layer a command sees, in which may be what may says. One that was approved in the ordinary
// way sees none: it changes the workspace itself, and what it makes of files that it finds in the layer would be half
// of something there.
func (r running) built(may func(rel string, folder bool) bool) sandbox.Chat {
	if !r.place.holds || !r.tried && !r.reads {
		return sandbox.Chat{}
	}
	keeps := r.tried && !r.silent && !workspace.IsDraft(r.ws)
	return sandbox.Chat{Name: r.call.Chat, Keeps: keeps, Ignored: may}
}

// unseen says what of the chat's layer a command that was approved in the ordinary way did not see; empty: nothing.
func (r running) unseen() string {
	s, ok := r.place.sandbox.(Layered)
	if !ok || r.tried || r.reads || r.call.Chat == "" {
		return ""
	}
	store, err := s.Layers()
	if err != nil {
		return ""
	}
	parts, _ := store.Of(r.ws.Root(), r.call.Chat)
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("\n[Only tried commands of this chat see what they built: %s.]", partNames(parts))
}

// ignoring says which files are ignored, by the ignore files on the disk, whatever the command writes in them, and by
// the index on the disk: what git tracks it does not ignore. mayBuild says of files and folders whether they may be in
// the layer of a chat: git ignores them, and they neither start anything nor hold a secret.
func ignoring(ws *workspace.Workspace) (ignored func(rel string) bool, mayBuild func(rel string, folder bool) bool) {
	anyone, git := ws.Ignores(), workspace.GitIgnores(ws)
	tracked := sync.OnceValue(func() func(rel string) bool { return changes.Tracked(ws.Root()) })
	ignored = func(rel string) bool { return anyone(rel) && !tracked()(rel) }
	mayBuild = func(rel string, folder bool) bool {
		if !git(rel, folder) {
			return false
		}
		kept, _ := workspace.Named(rel, folder)
		return !kept && !tracked()(rel)
	}
	return ignored, mayBuild
}

// setAside takes what goes into the layer of the chat out of what is asked about and applied. What a rule denies or
// asks about does not go there.
func (s *settlement) setAside(ctx context.Context) {
	barred := map[string]bool{}
	for _, rel := range s.dropped.Paths() {
		barred[rel] = true
	}
	for _, c := range slices.Concat(s.free, s.good) {
		delete(barred, c.Rel) // what was dropped of it is a right alone
	}
	for _, c := range s.asked {
		barred[c.Rel] = true
	}
	taking, err := s.chat.Take(ctx, s.layer, func(rel string, folder bool) bool {
		return !barred[rel] && s.mayBuild(rel, folder)
	})
	if err != nil || taking.Empty() {
		return // it is asked about
	}
	s.taking = taking
	goes := func(c changes.Change) bool { return taking.Has(c.Rel) }
	s.free, s.good = slices.DeleteFunc(s.free, goes), slices.DeleteFunc(s.good, goes)
}

// foldersFor are the new folders that some changes need although they go into the layer.
func (s *settlement) foldersFor(some []changes.Change) (folders []changes.Change) {
	if s.taking == nil {
		return nil
	}
	for _, c := range s.list.Changes {
		in := func(in changes.Change) bool { return strings.HasPrefix(in.Rel, c.Rel+"/") }
		if c.Dir() && c.Kind == changes.Made && s.taking.Has(c.Rel) && slices.ContainsFunc(some, in) {
			folders = append(folders, c)
		}
	}
	return folders
}

// keepBuilt puts what a command built into the layer of its chat, if it ended and nothing else that it changed was
// left out: what is built from a discarded text would pass for newer than the text that is there.
func (s *settlement) keepBuilt() (sentences []string) {
	if s.taking == nil {
		return nil
	}
	what := fmt.Sprintf(
		"%s that git ignores (%s)", excerpt.Counted(s.taking.Files(), "file"), proposal.SomeOf(s.taking.Parts()),
	)
	why := ""
	switch {
	case unfinished(s.ended):
		why = "it did not come to its end"
	case len(s.partly) > 0 || slices.ContainsFunc(s.dropped.Paths(), s.isSource):
		why = "not all else that it changed was kept"
	}
	if why != "" && s.taking.Files() == 0 {
		return nil
	}
	if why != "" {
		return []string{"Dropped, since " + why + ": " + what + "."}
	}
	kept, dropped, err := s.taking.Keep()
	switch {
	case err != nil:
		return []string{fmt.Sprintf("Dropped: %s: %v.", what, err)}
	case len(kept) > 0:
		sentences = append(
			sentences, "Not in the workspace, and there for the next tried commands of this chat: "+what+".",
		)
	}
	return append(sentences, dropped...)
}

// isSource reports whether builds may depend on a file: git does not ignore it.
func (s *settlement) isSource(rel string) bool { return !s.ignored(rel) }
