package terminal

import (
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/text/width"

	"github.com/assent-ls/assent/internal/visible"
)

const (
	indent   = "    "
	listens  = ": " // what is behind a prompt once an answer is read
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
		own := Style("")
		if style != nil {
			own = style(line)
		}
		lead := before
		for _, row := range wrapped(line, max(minCells, columns-len(before)-len(indent))) {
			all = append(all, lead+own.set(row))
			lead = before + indent
		}
	}
	return all
}

// wrapped cuts a line into rows of so many places at most, where Unicode has it broken: between words, and around wide
// characters. A word that is longer than a row is cut between characters. The rows together are the line, with blanks
// for tabs.
func wrapped(line string, most int) (all []string) {
	row, used := "", 0
	end := func() {
		all = append(all, row)
		row, used = "", 0
	}
	for state := -1; line != ""; {
		var segment string
		segment, line, _, state = uniseg.FirstLineSegmentInString(line, state)
		if word := places(strings.TrimRight(segment, " \t")); word <= most && used+word > most {
			end()
		}
		for inner := -1; segment != ""; {
			var character string
			character, segment, _, inner = uniseg.FirstGraphemeClusterInString(segment, inner)
			n := places(character)
			if character == "\t" {
				n = tabStop - used%tabStop
				character = strings.Repeat(" ", n)
			}
			if used+n > most {
				end()
			}
			row += character
			used += n
		}
	}
	end()
	return all
}

// promptText is a prompt of choices, "[y] once  [n] deny", on rows that leave room for an answer. Each choice is on one
// row, if it fits there.
func promptText(prompt string, columns int) string {
	most := max(minCells, columns-len(indent)-len(listens))
	var all []string
	row := ""
	for i, choice := range strings.Split(visible.Line(prompt), "  [") {
		switch {
		case i == 0:
			row = choice
			continue
		case places(row+"  ["+choice) <= most:
			row += "  [" + choice
			continue
		}
		all = append(all, wrapped(row, most)...)
		row = "[" + choice
	}
	all = append(all, wrapped(row, most)...)
	for i := range all {
		all[i] = strings.Trim(all[i], " ")
	}
	return strings.Join(all, "\n"+indent)
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
