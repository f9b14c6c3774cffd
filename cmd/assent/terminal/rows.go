package terminal

import (
	"strings"

	"golang.org/x/text/width"

	"github.com/assent-ls/assent/internal/visible"
)

const (
	indent   = "    "
	tabStop  = 8
	minCells = 16 // of a row beside its indent: a terminal that says it is narrower is not believed
)

// rows cuts a text into the rows of a screen. All rows begin with before; those that continue a line are indented
// further, so that no text can look like a line of ours.
func rows(text, before string, columns int) []string {
	if text == "" {
		return nil
	}
	var all []string
	for line := range strings.SplitSeq(strings.TrimSuffix(visible.Text(text), "\n"), "\n") {
		row, used := before, 0
		most := max(minCells, columns-len(before)-len(indent))
		for _, r := range line {
			piece, n := string(r), cells(r)
			if r == '\t' {
				n = tabStop - used%tabStop
				piece = strings.Repeat(" ", n)
			}
			if used+n > most {
				all = append(all, row)
				row, used = before+indent, 0
			}
			row += piece
			used += n
		}
		all = append(all, row)
	}
	return all
}

// cells is how many places a character takes at most.
func cells(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth, width.EastAsianAmbiguous:
		return 2
	default:
		return 1
	}
}
