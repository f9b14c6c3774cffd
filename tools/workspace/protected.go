package workspace

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// shortForm is what Windows may call any name, a protected one too: "GIT~1".
var shortForm = lazyregexp.New(`^[^.~]{1,6}~[0-9]{1,6}(\.[^.]{0,3})?$`)

// protection is what is known of a file or folder, and of those above it: whether they need a question of their own.
type protection struct {
	rel    string
	dir    bool
	folded []string
	words  string // what it holds, by the words of its path; empty if they say nothing
	disk   string // what it holds, by what lies on the disk
}

// protectionOf follows a path below the root that leads through no link. What does not exist is classified, too.
func (w *Workspace) protectionOf(rel string, dir bool) protection {
	at := func(dir string) func(string) bool {
		return func(name string) bool {
			_, err := w.dir.Lstat(path.Join(dir, name))
			return err == nil
		}
	}
	s := w.rootProtection(at("."))
	names := split(rel)
	for i, name := range names {
		s = w.childProtection(s, name, dir || i < len(names)-1, at(path.Join(s.rel, name)))
	}
	return s
}

// rootProtection is the protection of the root. has says whether a name is in it.
func (w *Workspace) rootProtection(has func(name string) bool) protection {
	s := protection{rel: ".", dir: true}
	s.disk = w.diskHolds(s, has)
	return s
}

// childProtection is the protection of a name in a folder. has says whether a name is in it, if it is a folder itself.
func (w *Workspace) childProtection(in protection, name string, dir bool, has func(name string) bool) protection {
	s := in
	s.rel, s.dir = path.Join(in.rel, name), dir
	if name = fold(name); name != "" {
		s.folded = append(slices.Clip(in.folded), name)
		if s.words == "" {
			s.words = protectedName(s.folded)
		}
	}
	if s.disk == "" {
		s.disk = w.diskHolds(s, has)
	}
	return s
}

// why is Path.Protected.
func (s protection) why() string {
	switch {
	case s.words != "":
		return sentence(s.rel, s.words)
	case s.disk != "":
		return sentence(s.rel, s.disk)
	}
	return ""
}

// guarded is Path.Guarded for one of its names, relative to the root.
func guarded(rel string) string {
	if does, ok := builtinLists().guarded.matchPath(rel); ok {
		return fmt.Sprintf("%q %s: each change of it is asked about.", rel, does)
	}
	return ""
}

// note is Path.Note for one of its names, relative to the root.
func note(rel string) string {
	if does, ok := builtinLists().noted.matchPath(rel); ok {
		return fmt.Sprintf("%q %s.", rel, does)
	}
	return ""
}

// protectionByName is the protection of a path by its words alone: it may lead through links.
func protectionByName(asked string, dir bool) protection {
	asked = strings.TrimPrefix(asked, "/")
	s := protection{rel: asked, dir: dir}
	for s.folded = range foldedNames(asked) {
		if s.words == "" {
			s.words = protectedName(s.folded)
		}
	}
	return s
}

// protectedName says what the last of some folded names holds, if it is protected; those before it are not.
func protectedName(folded []string) string {
	holds, ok := builtinLists().protected.match(folded)
	if ok {
		if _, template := builtinLists().templates.match(folded); template {
			return ""
		}
		return holds
	}
	last := folded[len(folded)-1]
	// the expression is slow, and asked of every name before a command
	if strings.Contains(last, "~") && shortForm().MatchString(last) {
		return "what its long name says, and that may be protected"
	}
	return ""
}

func sentence(rel, holds string) string {
	return fmt.Sprintf("%q is protected: it holds %s.", rel, holds)
}

// diskHolds says what a path holds whose words say nothing, if it begins to be protected there: git takes every folder
// that has HEAD, objects and refs for a repository and obeys the settings in it, so the files of one are protected, and
// each HEAD, which would make one. So are the folders where Assent keeps what the user said, wherever they are.
func (w *Workspace) diskHolds(s protection, has func(name string) bool) string {
	const git = "git's own files, which can start programs"
	for _, own := range w.own {
		if _, inside := below(own, filepath.Join(w.root, filepath.FromSlash(s.rel))); inside {
			return "what you allowed and set in Assent"
		}
	}
	if !s.dir {
		if len(s.folded) > 0 && s.folded[len(s.folded)-1] == "head" {
			return git
		}
		return ""
	}
	if has("HEAD") && (has("objects") && has("refs") || has("commondir")) {
		return git
	}
	return ""
}
