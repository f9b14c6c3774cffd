package search

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-ls/assent/internal/ranking"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/excerpt"
)

const (
	minWord    = 3 // bytes of a word that may say what is looked for
	maxTurn    = 3 // lines of one file before those of others
	maxFolders = 8 // that are named with what they have
	maxDeep    = 3 // folders in folders that are told apart
)

// Tiers of matches, the best first.
const (
	tierDefinition = iota // it defines what is looked for
	tierPath              // the path of the file has the word
	tierOther
	tierFar // in a test, or in other people's code
)

const noDefinition = 0

// sure is added where a word of the language says that a line defines something.
const sure = 1000

// match is a line that matches.
type match struct {
	Place

	line    int
	text    string // shortened
	defines int    // how surely it defines what is looked for, and how much of the name that is; see definitionAt
	tier    int
	turn    int // the lines of a file come in turns, so that no file hides the others
}

func tierOf(m match, far int, inPath bool) int {
	switch {
	case far > 0:
		return tierFar
	case m.defines > noDefinition:
		return tierDefinition
	case inPath:
		return tierPath
	}
	return tierOther
}

// compare puts the better match first. No two are equal.
func (m match) compare(other match) int {
	return cmp.Or(
		cmp.Compare(m.tier, other.tier), cmp.Compare(other.defines, m.defines), cmp.Compare(m.turn, other.turn),
		cmp.Compare(m.Order, other.Order), cmp.Compare(m.line, other.line),
	)
}

// together puts the better match first, but lines of one file beside each other.
func (m match) together(other match) int {
	m.turn = other.turn
	return m.compare(other)
}

func (m match) String() string { return fmt.Sprintf("%s:%d: %s", m.Rel, m.line, m.text) }

// fileMatches are those of one file.
type fileMatches struct {
	Place

	far   int
	count int
	lines []match
}

// Matches are the best of all, and how many there are.
type Matches struct {
	top     []match // the best, unsorted
	count   int
	folders map[string]int
}

func newMatches() *Matches { return &Matches{folders: map[string]int{}} }

func (m *Matches) add(found fileMatches) {
	m.top = append(m.top, found.lines...)
	m.count += found.count
	m.folders[found.folder()] += found.count
	if len(m.top) > 4*excerpt.MaxLines {
		m.prune()
	}
}

// prune keeps the best.
func (m *Matches) prune() {
	slices.SortFunc(m.top, match.compare)
	m.top = slices.Clone(m.top[:min(len(m.top), excerpt.MaxLines)])
}

// merge adds what another search found.
func (m *Matches) merge(other *Matches) {
	m.top = append(m.top, other.top...)
	m.count += other.count
	for folder, n := range other.folders {
		m.folders[folder] += n
	}
}

// Line is a line that matches.
type Line struct {
	Path string `json:"path"`
	Line int    `json:"line"` // from 1
	Text string `json:"text"` // shortened
}

// Lines are all matches, by path and line. complete is false if there were too many to keep: then they are the best.
func (m *Matches) Lines() (lines []Line, complete bool) {
	top := slices.SortedFunc(slices.Values(m.top), match.together)
	for _, one := range top {
		lines = append(lines, Line{one.Rel, one.line, one.text})
	}
	return lines, len(top) == m.count
}

// List lists the best matches in about room bytes, and says how many of the others are in which folders below where was
// searched.
func (m *Matches) List(where string, room int) string {
	m.prune()
	shown, size := 0, 0
	for i, one := range m.top {
		if size += len(one.String()) + 1; size <= room || i == 0 {
			shown++
		}
	}
	top := slices.Clone(m.top[:shown])
	left := maps.Clone(m.folders)
	for _, one := range top {
		left[one.folder()]--
	}
	slices.SortFunc(top, match.together)
	var b strings.Builder
	for _, one := range top {
		fmt.Fprintln(&b, one)
	}
	if shown < m.count {
		fmt.Fprintf(
			&b, "[%d of %d lines shown, the likeliest. The others are in %s. Give a path or a narrower pattern.]",
			shown, m.count, foldersOf(left, where),
		)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// foldersOf says how many lines are in which folders, as finely as a few words can.
func foldersOf(counts map[string]int, where string) string {
	var grouped map[string]int
	for depth := maxDeep; depth > 0; depth-- {
		grouped = map[string]int{}
		for folder, n := range counts {
			if n > 0 {
				grouped[upTo(folder, where, depth)] += n
			}
		}
		if len(grouped) <= maxFolders {
			break
		}
	}
	names := slices.SortedFunc(maps.Keys(grouped), func(a, b string) int {
		return cmp.Or(
			cmp.Compare(ranking.Remoteness(a+"/x"), ranking.Remoteness(b+"/x")), cmp.Compare(grouped[b], grouped[a]),
			cmp.Compare(a, b),
		)
	})
	var words []string
	for i, name := range names {
		if i == maxFolders {
			rest := 0
			for _, name := range names[i:] {
				rest += grouped[name]
			}
			return fmt.Sprintf("%s, and %d more folders (%d)", strings.Join(words, ", "), len(names)-i, rest)
		}
		words = append(words, fmt.Sprintf("%s (%d)", name, grouped[name]))
	}
	return strings.Join(words, ", ")
}

// upTo is a folder at most so many folders below another one.
func upTo(folder, where string, depth int) string {
	rest := folder
	if where != "." {
		inside, below := strings.CutPrefix(folder, where+"/")
		if !below {
			return folder
		}
		rest = inside
	}
	names := strings.Split(rest, "/")
	return path.Join(where, path.Join(names[:min(depth, len(names))]...))
}

// definitions are the expressions of lines that define something, the surest first.
var definitions = sync.OnceValue(func() []*regexp.Regexp { return ranking.Definitions(ranking.Name)[:2] })

// definitionAt says how surely a line defines a name that a match in it touches: the part of the name that matches, in
// percent, and sure.
func definitionAt(line []byte, at []int) int {
	if at[1]-at[0] < minWord || len(line) > excerpt.MaxLongLine || ranking.IsStatement(string(line)) {
		return noDefinition
	}
	for i, re := range definitions() {
		found := re.FindSubmatchIndex(line)
		if found == nil {
			continue
		}
		name := found[2:4]
		if name[0] < 0 {
			name = found[4:6]
		}
		if part := min(at[1], name[1]) - max(at[0], name[0]); part > 0 {
			return 100*part/(name[1]-name[0]) + sure*(1-i)
		}
	}
	return noDefinition
}

// wordOf is the longest word of a pattern; empty: none says what is looked for.
func wordOf(pattern string) string {
	word := longestPart(pattern, func(r rune) bool { return !edit.InName(r) })
	if len(word) < minWord {
		return ""
	}
	return word
}

// longestPart is the longest part of a text between runes that separate parts, the first of several.
func longestPart(text string, separates func(rune) bool) (longest string) {
	for part := range strings.FieldsFuncSeq(text, separates) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}
