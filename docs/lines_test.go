package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostColumns is how long a line of Go may be, with a tab counted as four columns.
const mostColumns = 120

// longLines is how many lines may be longer: mostly texts that cannot be broken, such as struct tags, regular
// expressions and literals of several lines. Lower it when the count is below it.
const longLines = 324

// TestLinesFitTheScreen counts the long lines of code and comments. Tests and generated files do not count.
func TestLinesFitTheScreen(t *testing.T) {
	var long []string
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return
		}
		text := read(t, name)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if ast.IsGenerated(file) {
			return
		}
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			if utf8.RuneCountInString(line)+3*strings.Count(line, "\t") > mostColumns {
				long = append(long, name+": "+strings.TrimSpace(line))
			}
		}
	})
	t.Logf("%d lines of more than %d columns, at most %d", len(long), mostColumns, longLines)
	if len(long) > longLines {
		t.Errorf("more than %d lines of more than %d columns: break yours\n%s", longLines, mostColumns, strings.Join(long, "\n"))
	}
}
