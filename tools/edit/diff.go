package edit

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Diff shows the step from before to after as a unified diff. Line ends are left out if all of them are CRLF; else a
// CR stays where it is. The caller makes it visible.
func Diff(path, before, after string) string {
	if allCRLF(before) && allCRLF(after) {
		before, after = strings.ReplaceAll(before, "\r\n", "\n"), strings.ReplaceAll(after, "\r\n", "\n")
	}
	return udiff.Unified(path, path, before, after)
}

func allCRLF(s string) bool { return strings.Count(s, "\r\n") == strings.Count(s, "\n") }

// Touched names what an edit does and where, without line numbers: the lines that it touches, as they were and as they
// will be, between the line above and the line below. Edits elsewhere do not change it.
func Touched(text string, p Place, newText string) (before, old, changed, after string) {
	start := strings.LastIndexByte(text[:p.Start], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[p.End:], '\n'); i >= 0 {
		end = p.End + i + 1
	}
	// A place that ends with a line end does not touch the next line.
	if p.End > p.Start && text[p.End-1] == '\n' {
		end = p.End
	}
	above, below := tail(text[:start], 1), head(text[end:], 0)
	return above, text[start:end], text[start:p.Start] + newText + text[p.End:end], below
}

// Summary counts the lines that a change adds and takes away.
func Summary(before, after string) string {
	added, removed := 0, 0
	for line := range strings.SplitSeq(udiff.Unified("a", "b", before, after), "\n") {
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return fmt.Sprintf("+%d -%d lines", added, removed)
}
