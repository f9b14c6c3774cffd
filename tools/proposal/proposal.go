// Package proposal asks a person which of some changes of files to keep, and applies those of a draft. What somebody
// did, a command or a program, is asked about in the same words, wherever its changes wait.
package proposal

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/excerpt"
)

// Change is what somebody did to a file, a link or a folder.
type Change struct {
	At      int // its place in the list of who asks
	Rel     string
	Kind    changes.Kind
	Mode    fs.FileMode // its type; of what was removed: that
	Link    string      // where a link leads
	Size    int64       // of a file, in bytes
	Group   string      // of what is decided on together; empty: it is decided on by itself
	Ignored bool        // git ignores it
	Whole   bool        // no part of it can be kept alone
	// Texts are what a file held and holds; nil: it was not there, or is not. ok is false if that is too large.
	Texts func() (before, after *string, ok bool)
}

// Dir reports whether the change is about a folder.
func (c Change) Dir() bool { return c.Mode.IsDir() }

// texts are those of a file that is text, before and after.
func (c Change) texts() (before, after *string, ok bool) {
	before, after, ok = c.Texts()
	return before, after, ok && !strings.ContainsRune(text(before)+text(after), 0)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Said is a kind of change in a word.
func Said(k changes.Kind) string {
	return map[changes.Kind]string{
		changes.Made: "Made", changes.Changed: "Changed", changes.Set: "Changed the mode or time of",
		changes.Removed: "Removed",
	}[k]
}

// AsEdit is the tool that edits whose call would do the same as a change.
func AsEdit(k changes.Kind) (tool string, e effect.Effect) {
	switch k {
	case changes.Made:
		return "write_file", effect.Edits
	case changes.Removed:
		return "delete_file", effect.Deletes
	case changes.Changed, changes.Set:
	}
	return "edit_file", effect.Edits
}

// FilesAndFolders sorts out the folders in which something else changed.
func FilesAndFolders(list []Change) (files, folders []Change) {
	for _, c := range list {
		if c.Dir() &&
			slices.ContainsFunc(
				list, func(in Change) bool { return !in.Dir() && strings.HasPrefix(in.Rel, c.Rel+"/") },
			) {
			folders = append(folders, c)
		} else {
			files = append(files, c)
		}
	}
	return files, folders
}

// WithFiles are the folders that go with the files that a person chose: made for one of them, removed with all of them.
func WithFiles(folders, files, yes []Change) (with []Change) {
	for _, f := range folders {
		in := func(c Change) bool { return strings.HasPrefix(c.Rel, f.Rel+"/") }
		chosen := slices.ContainsFunc(yes, in)
		if f.Kind == changes.Removed {
			chosen = !slices.ContainsFunc(files, func(c Change) bool {
				return in(c) && !slices.ContainsFunc(yes, func(y Change) bool { return y.Rel == c.Rel })
			})
		}
		if chosen {
			with = append(with, f)
		}
	}
	return with
}

// describe says what a change does: whole, with what it holds.
func describe(b *strings.Builder, c Change, whole bool, why string) {
	fmt.Fprintf(b, "\n%s %s", Said(c.Kind), c.Rel)
	if c.Dir() {
		b.WriteString("/")
	}
	if c.Link != "" {
		fmt.Fprintf(b, " -> %s", visible.Line(c.Link))
	}
	if why != "" {
		fmt.Fprintf(b, " (%s)", strings.TrimSuffix(why, "."))
	}
	if !whole || c.Dir() {
		return
	}
	if before, after, ok := c.texts(); ok {
		b.WriteString("\n\n" + strings.TrimRight(edit.Diff(c.Rel, text(before), text(after)), "\n") + "\n")
	} else if c.Mode.IsRegular() {
		fmt.Fprintf(b, ", %d bytes that are no text, or too many to show", c.Size)
	}
}

// edits are the texts of changes, for people who compare them side by side.
func edits(list []Change, root string) (out []tools.FileEdit) {
	if len(list) > maxFiles {
		return nil
	}
	for _, c := range list {
		if before, after, ok := c.texts(); ok && c.Kind != changes.Set {
			out = append(out, tools.FileEdit{
				Path: root + "/" + c.Rel, Rel: c.Rel, Before: text(before), After: text(after),
			})
		}
	}
	return out
}

// like are the tools that edit whose calls would do the same.
func like(list []Change) (names []string) {
	for _, c := range list {
		if tool, _ := AsEdit(c.Kind); !slices.Contains(names, tool) {
			names = append(names, tool)
		}
	}
	return names
}

func rels(list []Change) (out []string) {
	for _, c := range list {
		out = append(out, c.Rel)
	}
	return out
}

// Dropped are changes that are not applied, and why.
type Dropped struct {
	rels []string
	why  map[string]string
}

// Drop adds a path. The reason that was given last counts.
func (d *Dropped) Drop(rel, why string) {
	if d.why == nil {
		d.why = map[string]string{}
	}
	if _, is := d.why[rel]; !is {
		d.rels = append(d.rels, rel)
	}
	d.why[rel] = why
}

// Why says why a path is not applied; is is false if it is not dropped.
func (d *Dropped) Why(rel string) (why string, is bool) {
	why, is = d.why[rel]
	return why, is
}

// Paths lists what was dropped, in order.
func (d *Dropped) Paths() []string { return d.rels }

// Sentence says what was not applied, and why.
func (d *Dropped) Sentence() string {
	by := map[string][]string{}
	var whys []string
	for _, rel := range d.rels {
		why := d.why[rel]
		if by[why] == nil {
			whys = append(whys, why)
		}
		by[why] = append(by[why], rel)
	}
	var parts []string
	for _, why := range whys {
		parts = append(parts, SomeOf(by[why])+" ("+why+")")
	}
	return "Not applied: " + strings.Join(parts, "; ") + "."
}

// SomeOf names a few of many paths.
func SomeOf(paths []string) string { return visible.Line(excerpt.Names(paths, 5)) }
