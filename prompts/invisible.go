package prompts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
)

// writtenOut is writeOut for the text of a file of at most so many bytes, its variables included. The error is the rest
// of a sentence that begins with the file: what it becomes must not be much longer than it may be itself.
func writtenOut(text string, most int) (shown, why string, err error) {
	if shown, why = writeOut(text); len(shown) > most {
		return "", "", fmt.Errorf(
			"its variables or invisible characters, written out, make more than %d KB of it", most>>10,
		)
	}
	return shown, why, nil
}

// writeOut writes out what a person cannot see and a model can (<U+202E>), so that both read the same, and says in a
// sentence what there was; empty if there was nothing.
func writeOut(text string) (shown, why string) {
	const most = 3
	var b strings.Builder
	var found []string // the first of them
	last, more := "", 0
	line, previous := 1, rune(0)
	for _, r := range text {
		if visible.Hidden(r) && !visible.Joined(previous, r) {
			fmt.Fprintf(&b, "<%U>", r)
			switch note := fmt.Sprintf("%U on line %d", r, line); {
			case note == last || slices.Contains(found, note):
			case len(found) < most:
				found = append(found, note)
			default:
				last = note
				more++
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
	others := ""
	if more > 0 {
		others = fmt.Sprintf(" and %d more", more)
	}
	return b.String(), "It holds invisible characters, which are written out: " + strings.Join(found, ", ") + others +
		"."
}
