package runcommand

import (
	"context"
	"slices"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/proposal"
)

// askToKeep asks a person what becomes of the changes of a command that was tried on a copy: of those that need no
// question of their own. If none of them are kept, nothing else is asked.
func (s *settlement) askToKeep(ctx context.Context) {
	s.good = slices.DeleteFunc(s.good, changes.Change.TimesAlone)
	defer func() {
		s.good, s.free = append(s.free, s.good...), nil
		slices.SortStableFunc(s.good, changes.Compare)
		s.dropTyped(ctx)
	}()
	if len(s.good) == 0 {
		return
	}
	list := s.proposed(s.good)
	switch kept, why := s.asking().Keep(ctx, list, rels(s.asked), s.dropped); {
	case why != "":
		s.dropAll(why)
	case !kept.All:
		s.keepSome(list, kept)
	}
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
		typed := s.typed(ctx, p)
		if typed {
			s.drop(c.Rel, proposal.Typed)
		}
		return typed
	})
}

// keepSome drops what a person did not choose, and writes the files of which they chose a part.
func (s *settlement) keepSome(list []proposal.Change, kept proposal.Kept) {
	var good []proposal.Change
	files, folders := proposal.FilesAndFolders(list)
	for _, c := range files {
		part, partly := kept.Parts[c.Rel]
		switch {
		case !kept.Some[c.Rel]:
			s.drop(c.Rel, proposal.Discarded)
			continue
		case partly:
			if err := s.layer.Rewrite(c.Rel, part.Text); err != nil {
				s.drop(c.Rel, err.Error())
				continue
			}
			s.partly = append(s.partly, part.Note(c.Rel))
		}
		good = append(good, c)
	}
	var some []changes.Change
	for _, c := range append(good, proposal.WithFiles(folders, files, good)...) {
		some = append(some, s.good[c.At])
	}
	s.good = some
	slices.SortStableFunc(s.good, changes.Compare)
	if len(s.good) == 0 {
		for _, c := range s.asked {
			s.drop(c.Rel, proposal.Discarded)
		}
		s.asked = nil
	}
}

func rels(list []changes.Change) (out []string) {
	for _, c := range list {
		out = append(out, c.Rel)
	}
	return out
}
