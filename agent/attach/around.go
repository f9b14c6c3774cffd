package attach

import (
	"strings"

	"github.com/assent-ls/assent/internal/ranking"
)

// Around finds the lines, first to last from 1, of the smallest definition of a text that a line belongs to, its
// comment included. One of several lines is preferred: the name of a variable is less than the function that it is
// in. ok is false where there is none.
func Around(text string, line int) (first, last int, ok bool) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if line < 1 || line > len(lines) {
		return 0, 0, false
	}
	pattern, at, long := ranking.Definitions(ranking.Name)[0], line-1, false
	for i := max(0, at-maxBody); i < min(len(lines), at+maxComment+1); i++ {
		if ranking.IsStatement(lines[i]) || !pattern.MatchString(lines[i]) {
			continue
		}
		from, to := extent(lines, i)
		if at < from || at >= to {
			continue
		}
		several := to-i > 1
		if !ok || several && !long || several == long && to-from < last-first+1 {
			first, last, ok, long = from+1, to, true, several
		}
	}
	return first, last, ok
}
