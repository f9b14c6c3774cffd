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

	"github.com/assent-ls/assent/visible"
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
	// Guarded is a sentence why changing this path needs a question of its own that no grant covers; empty if it needs none, and
	// of what is protected. Reading it needs none.
	Guarded string
	// Note is a sentence that a person should read who is asked about writing it ("runs when you build"); empty if
	// nothing is known of it. It is of files that are neither protected nor guarded.
	Note string
}

// ToWrite is a sentence why writing, moving or deleting this path needs a question of its own; empty if it needs none.
func (p Path) ToWrite() string { return cmp.Or(p.Protected, p.Guarded) }

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
	p := Path{Rel: found.rel(), Dir: found.dir, Exists: !found.missing}
	p.Abs = filepath.Join(w.root, filepath.FromSlash(p.Rel))
	p.Asked = filepath.Join(w.root, filepath.FromSlash(path.Clean("/"+rel)))
	stands, words := w.protectionOf(p.Rel, p.Dir), protectionByName(path.Clean("/"+rel), p.Dir)
	if p.Protected = stands.why(); p.Protected == "" {
		p.Protected = words.why()
	}
	switch {
	case p.Protected != "":
	case stands.guarded() != "" || words.guarded() != "":
		p.Guarded = cmp.Or(stands.guarded(), words.guarded())
	default:
		p.Note = cmp.Or(stands.note(), words.note())
	}
	if err := w.denials().refuse(p.Rel, strings.TrimPrefix(path.Clean("/"+rel), "/")); err != nil {
		return Path{}, err
	}
	if text, open := w.buffer(p); open && text != "" {
		p.Exists = true
	}
	return p, nil
}

// checkCharacters refuses what can be no path of a workspace by its characters alone.
func checkCharacters(name string) error {
	switch {
	case len(name) > maxPath:
		return fail(ErrInvalid, "The path is too long.")
	case !utf8.ValidString(name):
		return fail(ErrInvalid, "The path is not valid UTF-8.")
	case strings.Contains(name, `\`):
		return fail(ErrInvalid, `The path %q holds a backslash: use "/" between folders.`, name)
	case strings.Contains(name, "://"):
		return fail(ErrInvalid, "%q is an address: use a path relative to the workspace.", name)
	case strings.HasPrefix(strings.ToLower(name), "file:"):
		return fail(ErrInvalid, "%q is an address: use a path relative to the workspace.", name)
	case strings.Contains(name, "::$"):
		return fail(ErrInvalid, "%q names a stream, not a file.", name)
	case len(name) >= 2 && name[1] == ':' && unicode.IsLetter(rune(name[0])):
		return fail(ErrOutside, "%q is outside the workspace: use a path relative to it.", name)
	case name == "~" || strings.HasPrefix(name, "~/"):
		return fail(ErrOutside, `"~" is outside the workspace: use a path relative to it.`)
	}
	for _, r := range name {
		if misleading(r) {
			return fail(ErrInvalid, "The path %q holds the invisible character %U.", name, r)
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > 255 {
			return fail(ErrInvalid, "A name in the path is longer than 255 bytes.")
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
		for _, root := range []string{w.root, w.given} {
			if rest, ok := below(root, name); ok {
				return rest, nil
			}
		}
		return "", fail(ErrOutside, "%q is outside the workspace: use a path relative to it.", name)
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
