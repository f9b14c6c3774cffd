package prompts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/visible"
)

// writeOut writes out what a person cannot see and a model can (<U+202E>), so that both read the same, and says in a
// sentence what there was; empty if there was nothing.
func writeOut(text string) (shown, why string) {
	var b strings.Builder
	var found []string
	line, previous := 1, rune(0)
	for _, r := range text {
		if visible.Hidden(r) && !visible.Joined(previous, r) {
			fmt.Fprintf(&b, "<%U>", r)
			if note := fmt.Sprintf("%U on line %d", r, line); !slices.Contains(found, note) {
				found = append(found, note)
			}
		} else {
			b.WriteRune(r)
		}
		if r == '\n' {
			line++
		}
		previous = r
	}
	if len(found) == 0 {
		return text, ""
	}
	const most = 3
	more := ""
	if len(found) > most {
		more = fmt.Sprintf(" and %d more", len(found)-most)
		found = found[:most]
	}
	return b.String(), "It holds invisible characters, which are written out: " + strings.Join(found, ", ") + more + "."
}
