package proposal

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/excerpt"
)

// The bounds of what a person decides on by itself: with more files, the folders are decided on.
const (
	maxFiles  = 40
	maxPieces = 80
)

// piece is what a person keeps or discards.
type piece struct {
	name   string      // its field in a form: a number, and what it is
	text   string      // what it does, for people
	rels   []string    // the paths that it is about
	hunk   *udiff.Edit // of a text; nil: all of the files
	before string      // the text that has the hunk
}

// The answers to a piece.
const (
	keepPiece    = "keep"
	discardPiece = "discard"
)

// pieces divides changes into what can be decided on by itself: a hunk, a file, a group, or a folder where there are
// too many files.
func pieces(list []Change) (all []piece) {
	var files []Change
	groups := map[string][]string{}
	for _, c := range list {
		if c.Group != "" {
			groups[c.Group] = append(groups[c.Group], c.Rel)
		} else {
			files = append(files, c)
		}
	}
	if alone, _ := FilesAndFolders(files); len(alone) > maxFiles {
		folderOf := grouping(alone)
		for _, c := range alone {
			folder := folderOf(c.Rel)
			groups[folder] = append(groups[folder], c.Rel)
		}
	} else {
		all = byFile(alone)
	}
	for name, rels := range groups {
		all = append(all, piece{name: name + " (" + excerpt.Counted(len(rels), "file") + ")", rels: rels})
	}
	slices.SortStableFunc(all, func(a, b piece) int { return strings.Compare(a.order(), b.order()) })
	for i := range all {
		all[i].name = fmt.Sprintf("%d %s", i+1, visible.Line(all[i].name))
	}
	return all
}

// order sorts files before groups of them.
func (p piece) order() string {
	if len(p.rels) == 1 {
		return "a" + p.rels[0]
	}
	return "b" + p.name
}

// byFile are the pieces of files that are few: their hunks, if each of their files can be written by itself.
func byFile(files []Change) (all []piece) {
	for _, c := range files {
		whole := piece{name: c.Rel, text: Said(c.Kind) + "\n", rels: []string{c.Rel}}
		before, hunks := hunksOf(c)
		if len(hunks) == 1 {
			whole.text = shownHunk(before, hunks[0])
		}
		if len(hunks) < 2 || len(all)+len(hunks) > maxPieces {
			all = append(all, whole)
			continue
		}
		for i, h := range hunks {
			line := strings.Count(before[:h.Start], "\n") + 1
			all = append(all, piece{
				name: fmt.Sprintf("%s line %d", c.Rel, line), rels: []string{c.Rel}, hunk: &hunks[i], before: before,
				text: shownHunk(before, h),
			})
		}
	}
	return all
}

// hunksOf are the hunks of a changed text, and what it was; none if they cannot be told apart.
func hunksOf(c Change) (was string, hunks []udiff.Edit) {
	if c.Kind != changes.Changed || !c.Mode.IsRegular() || c.Whole {
		return "", nil
	}
	before, after, ok := c.texts()
	if !ok {
		return "", nil
	}
	return *before, hunksBetween(*before, *after)
}

// hunksBetween are the changed places of a text by lines, of which no two touch each other.
func hunksBetween(before, after string) (out []udiff.Edit) {
	for _, e := range udiff.Lines(before, after) {
		if n := len(out); n > 0 && out[n-1].End == e.Start {
			out[n-1].End, out[n-1].New = e.End, out[n-1].New+e.New
			continue
		}
		out = append(out, e)
	}
	return out
}

// withHunks is a text after some of its hunks.
func withHunks(before string, hunks []piece) string {
	var b strings.Builder
	at := 0
	for _, p := range hunks {
		b.WriteString(before[at:p.hunk.Start] + p.hunk.New)
		at = p.hunk.End
	}
	return b.String() + before[at:]
}

func shownHunk(before string, h udiff.Edit) string {
	return marked("-", before[h.Start:h.End]) + marked("+", h.New)
}

// marked puts a mark before each line of a text.
func marked(mark, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(mark + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}

// grouping gives the folder by which each of some files is grouped: the deepest above it of which there are few.
func grouping(files []Change) (folderOf func(rel string) string) {
	for depth := maxDepth; depth > 0; depth-- {
		folders := map[string]bool{}
		for _, c := range files {
			folders[upTo(c.Rel, depth)] = true
		}
		if len(folders) <= maxFiles {
			return func(rel string) string { return upTo(rel, depth) }
		}
	}
	return func(string) string { return "the workspace" }
}

const maxDepth = 6

// upTo is the folder of a path, of which no more than some names count.
func upTo(rel string, depth int) string {
	names := strings.Split(path.Dir(rel), "/")
	if path.Dir(rel) == "." {
		return "the workspace's own folder"
	}
	return strings.Join(names[:min(depth, len(names))], "/") + "/"
}

// formOf is the schema of the form in which a person decides on pieces: at first all are discarded.
func formOf(all []piece) json.RawMessage {
	var fields, names []string
	for _, p := range all {
		name, _ := json.Marshal(p.name)
		about, _ := json.Marshal(visible.Text(excerpt.Cut(p.text, 2000)))
		names = append(names, string(name))
		fields = append(fields, fmt.Sprintf(
			`%s:{"type":"string","enum":[%q,%q],"default":%[3]q,"description":%[4]s}`,
			name, keepPiece, discardPiece, about,
		))
	}
	return json.RawMessage(fmt.Sprintf(
		`{"type":"object","properties":{%s},"required":[%s]}`, strings.Join(fields, ","), strings.Join(names, ","),
	))
}

// listed are pieces by their names.
func listed(all []piece) string {
	var b strings.Builder
	for _, p := range all {
		b.WriteString("\n" + p.name)
	}
	return b.String() + "\n"
}

// Part is what a person keeps of a file: some of its hunks.
type Part struct {
	Text      string // with these hunks alone
	Hunks, Of int
}

// Note names the file that it is a part of.
func (p Part) Note(rel string) string {
	return fmt.Sprintf("%s (%d of %d hunks)", visible.Line(rel), p.Hunks, p.Of)
}

// Kept is what a person keeps.
type Kept struct {
	All   bool
	Some  map[string]bool // by path, if not all: what is kept, wholly or in part
	Parts map[string]Part // by path: of those of which a part is kept
}

// keptOf is what a person chose in a form.
func keptOf(all []piece, form json.RawMessage) Kept {
	chosen := map[string]string{}
	_ = json.Unmarshal(form, &chosen) // it was checked: what is missing is discarded
	kept := Kept{Some: map[string]bool{}, Parts: map[string]Part{}}
	hunks, total := map[string][]piece{}, map[string]int{}
	for _, p := range all {
		for _, rel := range p.rels {
			total[rel]++
			if chosen[p.name] != keepPiece {
				continue
			}
			kept.Some[rel] = true
			if p.hunk != nil {
				hunks[rel] = append(hunks[rel], p)
			}
		}
	}
	for rel, some := range hunks {
		if len(some) < total[rel] {
			kept.Parts[rel] = Part{withHunks(some[0].before, some), len(some), total[rel]}
		}
	}
	return kept
}
