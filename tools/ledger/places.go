package ledger

import "strings"

// Place says where a hunk is, in lines from zero.
type Place struct {
	Line  int `json:"line"`  // in the text as the last call left it
	Lines int `json:"lines"` // of new text; 0: lines were only taken away
	Old   int `json:"old"`   // lines that were there before
}

// places finds the hunks of a file's step from base to last. A file that was made or deleted is one hunk.
func places(base, last *string) []Place {
	switch {
	case base == nil && last == nil:
		return nil
	case base == nil:
		return []Place{{Lines: lines(*last)}}
	case last == nil:
		return []Place{{Old: lines(*base)}}
	}
	var all []Place
	line, at := 0, 0
	for _, c := range align(*last, *base, *last) {
		line += strings.Count((*last)[at:c.origin.start], "\n")
		at = c.origin.start
		all = append(all, Place{Line: line, Lines: lines(c.origin.of(*last)), Old: lines(c.ours.of(*base))})
	}
	return all
}

// lines counts the lines of a text; the last one may lack its end.
func lines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
