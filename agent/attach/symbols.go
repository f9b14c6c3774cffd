package attach

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/ranking"
	"github.com/assent-ls/assent/tools/workspace"
)

// How much of a workspace is searched for definitions. There is no index: a search reads the files as they are now,
// unsaved changes included.
const (
	maxSymbolFiles = 5_000
	maxSymbolBytes = 64 << 20
	maxSymbolFile  = 1 << 20 // a larger one is generated, or data
	maxDefinitions = 50
	maxShownWhole  = 3
)

// definition is where a symbol is defined.
type definition struct {
	path     workspace.Path
	symbol   string
	line     int // of its name, from 1
	first    int // with the comment above it
	last     int
	text     string
	original string // text as it is there, with its line ends
}

// symbol shows where a symbol is defined: the lines of its definitions, found by the words that languages define things
// with.
func (s *Mentioned) symbol(ctx context.Context, name string, limit int) (Found, error) {
	owner, last := "", name
	if at := strings.LastIndexAny(name, ".:#"); at >= 0 {
		owner, last = strings.TrimRight(name[:at], ".:#"), name[at+1:]
	}
	if !isSymbol(last) {
		return Found{}, fmt.Errorf("%q is no name of a symbol", name)
	}
	patterns := ranking.Definitions(regexp.QuoteMeta(last))
	ranked := make([][]definition, len(patterns))
	holds := func(text string) bool { return strings.Contains(text, last) }
	s.search(ctx, holds, maxSymbolBytes, func(p workspace.Path, text string) bool {
		for rank, pattern := range patterns {
			for d, lines := range definitions(p, text, pattern) {
				if (owner == "" || belongs(lines, d.line-1, owner)) && len(ranked[rank]) < maxDefinitions {
					ranked[rank] = append(ranked[rank], d)
				}
			}
			if len(ranked[rank]) > 0 {
				break // what is less sure does not count
			}
		}
		return len(ranked[0]) < maxDefinitions
	})
	var all []definition
	for _, found := range ranked {
		if all = found; len(all) > 0 {
			break
		}
	}
	if len(all) == 0 {
		return Found{}, fmt.Errorf("no definition of %q was found in the files of the workspace", name)
	}
	slices.SortStableFunc(all, func(a, b definition) int {
		return cmp.Compare(ranking.Remoteness(a.path.Rel), ranking.Remoteness(b.path.Rel))
	})
	var text strings.Builder
	var shown []definition
	for i, d := range all {
		if i == maxShownWhole || text.Len()+len(d.text) > limit {
			fmt.Fprintf(&text, "Also defined: %s\n", places(all[i:]))
			break
		}
		fmt.Fprintf(&text, "%s, lines %d to %d:\n%s\n", d.path.Rel, d.first, d.last, d.text)
		shown = append(shown, d)
	}
	return Found{
		Block: Block{"symbol " + name, content.Texts(text.String())}, Path: all[0].path, Line: all[0].line,
		shown: shown,
	}, nil
}

func places(all []definition) string {
	var list []string
	for _, d := range all {
		list = append(list, fmt.Sprintf("%s line %d", d.path.Rel, d.line))
	}
	return strings.Join(list, ", ")
}

func isSymbol(name string) bool {
	return name != "" && strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789_$") == "" ||
		strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 })
}

// search goes over the texts of the workspace that may hold something, until look returns false or so many bytes are
// read.
func (s *Mentioned) search(
	ctx context.Context, mayHold func(text string) bool, limit int, look func(p workspace.Path, text string) bool,
) {
	root, err := s.workspace.Resolve("")
	if err != nil {
		return
	}
	files, read := 0, 0
	// What cannot be walked or read stays unfound.
	_ = s.workspace.Walk(ctx, root, func(p workspace.Path) error {
		if p.Dir || p.Protected != "" {
			return nil
		}
		if files++; files > maxSymbolFiles || read > limit {
			return fs.SkipAll
		}
		file, err := s.workspace.Read(ctx, p)
		read += len(file.Text)
		if err != nil || len(file.Text) > maxSymbolFile || !mayHold(file.Text) {
			return nil //nolint:nilerr // another file may hold it
		}
		if !look(p, file.Text) {
			return fs.SkipAll
		}
		return nil
	})
}

// definitions are the lines of a text that a pattern takes for definitions, each with all lines of the text.
func definitions(p workspace.Path, text string, pattern *regexp.Regexp) iter.Seq2[definition, []string] {
	return func(yield func(definition, []string) bool) {
		var lines []string
		for _, at := range pattern.FindAllStringSubmatchIndex(text, maxDefinitions) {
			if lines == nil {
				lines = strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
			}
			name := at[2:4]
			if name[0] < 0 {
				name = at[4:6]
			}
			d := definition{path: p, symbol: text[name[0]:name[1]], line: strings.Count(text[:name[0]], "\n") + 1}
			if ranking.IsStatement(lines[d.line-1]) {
				continue
			}
			d.first, d.last = extent(lines, d.line-1)
			d.text = strings.Join(lines[d.first:d.last], "\n")
			d.original = strings.Join(slices.Collect(strings.Lines(text))[d.first:d.last], "")
			d.first++
			if !yield(d, lines) {
				return
			}
		}
	}
}
