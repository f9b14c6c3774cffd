package prompts

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// visible writes out what a person cannot see and a model can (<U+202E>), so that both read the same, and says in a
// sentence what there was; empty if there was nothing.
func visible(text string) (shown, why string) {
	var b strings.Builder
	var found []string
	line, previous := 1, rune(0)
	for _, r := range text {
		if invisible(r, previous) {
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

// invisible says whether a rune cannot be seen. One joiner or variation selector after a letter or symbol outside ASCII
// is part of how that is written; a run of them can only be meant for a machine.
func invisible(r, previous rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r == 0x200C, r == 0x200D, r >= 0xFE00 && r <= 0xFE0F:
		return previous < 0x80 || previous == 0x200C || previous == 0x200D || selector(previous) && r != 0x200D
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r >= 0xE0100 && r <= 0xE01EF || r == 0x2028 || r == 0x2029 || r == 0x3164 || r == 0x115F || r == 0x1160
}

func selector(r rune) bool { return r >= 0xFE00 && r <= 0xFE0F }
