package workspace

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-ls/assent/internal/visible"
)

// Path is a place in a workspace after links were followed.
type Path struct {
	Rel    string // slash-separated, relative to the root, "." for the root; what titles show
	Abs    string // absolute
	Asked  string // absolute, before links were followed
	Exists bool   // on disk, or as an open buffer that is not empty
	Dir    bool
	// Protected is a sentence why this path needs a question of its own, for reading and for writing, that no grant
	// covers; empty if it needs none.
	Protected string

	named string // relative to the root, before links were followed
}

// Guarded is a sentence why changing this path needs a question of its own that no grant covers; empty if it needs
// none, and for a protected path. Reading it needs none. It is worked out from the names of the path, so no path can
// lack it.
func (p Path) Guarded() string {
	if p.Protected != "" {
		return ""
	}
	return cmp.Or(guarded(p.Rel), guarded(p.named))
}

// Note is a sentence that a person should read who is asked about writing it ("runs when you build"); empty if
// nothing is known about it, and for folders and for protected or guarded files.
func (p Path) Note() string {
	if p.Dir || p.ToWrite() != "" {
		return ""
	}
	return cmp.Or(note(p.Rel), note(p.named))
}

// ToWrite is a sentence why writing, moving or deleting this path needs a question of its own; empty if it needs none.
func (p Path) ToWrite() string { return cmp.Or(p.Protected, p.Guarded()) }

// path makes the path of what is protected as is says. named is the path as somebody wrote it, relative to the
// root.
func (w *Workspace) path(at protection, named string, exists bool) Path {
	named = path.Clean("/" + named)
	p := Path{Rel: at.rel, Exists: exists, Dir: at.dir, Protected: at.why(), named: named[1:]}
	p.Abs = filepath.Join(w.root, filepath.FromSlash(p.Rel))
	p.Asked = p.Abs
	if p.named != p.Rel {
		p.Asked = filepath.Join(w.root, filepath.FromSlash(named))
		p.Protected = cmp.Or(p.Protected, protectionByName(named, at.dir).why())
	}
	return p
}

const (
	maxPath  = 4096 // bytes
	maxLinks = 40   // as Linux has it
)

// Resolve finds the place that a path means. The path may be relative or absolute inside the workspace and may begin
// with ./ or the workspace's name; an empty one is the root. A file that does not exist is no error: see Exists and
// Missing. ErrOutside, ErrInvalid and ErrNotRegular (devices, pipes, sockets) say what is refused. It looks at the path
// alone and searches for nothing: Nearby adds to an error what is near.
func (w *Workspace) Resolve(name string) (Path, error) {
	if err := checkCharacters(name); err != nil {
		return Path{}, err
	}
	rel, err := w.relative(name)
	if err != nil {
		return Path{}, err
	}
	return w.at(name, rel)
}

// at finds the place of a path relative to the root; asked is the path as messages tell it.
func (w *Workspace) at(asked, rel string) (Path, error) {
	found, err := w.follow(asked, rel)
	if err != nil {
		return Path{}, err
	}
	p := w.path(w.protectionOf(found.rel(), found.dir), rel, !found.missing())
	if err := w.denials().refuse(p.Rel, p.named); err != nil {
		return Path{}, err
	}
	if text, open := w.Shown(p); open && text != "" {
		p.Exists = true
	}
	return p, nil
}

// checkCharacters refuses what can be no path of a workspace by its characters alone.
func checkCharacters(name string) error {
	switch {
	case len(name) > maxPath:
		return Fail(ErrInvalid, "The path is too long.")
	case !utf8.ValidString(name):
		return Fail(ErrInvalid, "The path is not valid UTF-8.")
	case strings.Contains(name, `\`):
		return Fail(ErrInvalid, `The path %q holds a backslash: use "/" between folders.`, name)
	case strings.Contains(name, "://"), strings.HasPrefix(strings.ToLower(name), "file:"):
		return Fail(ErrInvalid, "%q is an address: use a path relative to the workspace.", name)
	case strings.Contains(name, "::$"):
		return Fail(ErrInvalid, "%q names a stream, not a file.", name)
	case len(name) >= 2 && name[1] == ':' && unicode.IsLetter(rune(name[0])):
		return Fail(ErrOutside, "%q is outside the workspace: use a path relative to it.", name)
	case name == "~" || strings.HasPrefix(name, "~/"):
		return Fail(ErrOutside, `"~" is outside the workspace: use a path relative to it.`)
	}
	for _, r := range name {
		if misleading(r) {
			return Fail(ErrInvalid, "The path %q holds the invisible character %U.", name, r)
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > 255 {
			return Fail(ErrInvalid, "A name in the path is longer than 255 bytes.")
		}
	}
	return nil
}

// misleading says whether a rune makes a path look like another one.
func misleading(r rune) bool {
	return unicode.IsControl(r) || visible.Hidden(r) && !visible.Joins(r)
}

// relative takes the workspace itself off a path by its words alone; what remains is slash-separated and not cleaned.
func (w *Workspace) relative(name string) (string, error) {
	if filepath.IsAbs(name) || strings.HasPrefix(name, "/") {
		for strings.HasPrefix(name, "//") {
			name = name[1:]
		}
		if rest, ok := w.inside(name); ok {
			return rest, nil
		}
		return "", Fail(ErrOutside, "%q is outside the workspace: use a path relative to it.", name)
	}
	for strings.HasPrefix(name, "./") {
		name = strings.TrimLeft(name[1:], "/")
	}
	if rest, ok := below(w.Name(), name); ok {
		if _, err := w.dir.Lstat(w.Name()); errors.Is(err, fs.ErrNotExist) {
			return rest, nil
		}
	}
	return name, nil
}
