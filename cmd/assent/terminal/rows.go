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
func rows(text, before string, columns int) []string { return styledRows(text, before, columns, nil) }

// styledRows is rows with a style for each line; nil: none has one.
func styledRows(text, before string, columns int, style func(line string) Style) []string {
	if text == "" {
		return nil
	}
	var all []string
	for line := range strings.SplitSeq(strings.TrimSuffix(visible.Text(text), "\n"), "\n") {
		row, used, own := "", 0, Style("")
		if style != nil {
			own = style(line)
		}
		lead := before
		most := max(minCells, columns-len(before)-len(indent))
		for _, r := range line {
			piece, n := string(r), cells(r)
			if r == '\t' {
				n = tabStop - used%tabStop
				piece = strings.Repeat(" ", n)
			}
			if used+n > most {
				all = append(all, lead+own.set(row))
				row, used, lead = "", 0, before+indent
			}
			row += piece
			used += n
		}
		all = append(all, lead+own.set(row))
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
