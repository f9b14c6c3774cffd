package compose

import (
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
)

// titleRunes is how long a title may be: a longer one is none.
const titleRunes = 60

// TitleOf is the title in a reply: its one line, without quotes and marks; empty: it is none.
func TitleOf(reply string) string {
	line, below, _ := strings.Cut(strings.TrimSpace(transcript.NormalText(reply)), "\n")
	line = unmarked(strings.TrimPrefix(unmarked(line), "Title:"))
	line = visible.Line(strings.Join(strings.Fields(line), " "))
	if strings.TrimSpace(below) != "" || len([]rune(line)) > titleRunes {
		return ""
	}
	return line
}

// unmarked is a line without what is around all of it: the marks of a heading, of emphasis and of code, quotes, and
// the full stop.
func unmarked(line string) string {
	line = strings.Replace(line, "**Title:**", "Title:", 1)
	if text := strings.TrimLeft(line, "#"); text == "" || text[0] == ' ' {
		line = text
	}
	for before := line + " "; before != line; {
		before = line
		line = strings.TrimRight(strings.TrimSpace(line), ". ")
		for _, mark := range []string{"*", "_", "`", `"`, "'"} {
			inner := strings.Trim(line, mark)
			if strings.HasPrefix(line, mark) && strings.HasSuffix(line, mark) && !strings.Contains(inner, mark) {
				line = inner
			}
		}
	}
	return line
}
