package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/edit"
)

// The bounds of what one result shows.
const (
	maxLines    = 200
	maxBytes    = 8 << 10
	maxPreview  = 64 << 10 // of a preview, which is for people
	maxLongLine = 300      // of a line in a list of matches
	maxNote     = 300      // of the sentence that says how far a call is
)

// room is how many bytes of a list the caller gets.
func (c Call) room() int {
	if c.Room <= 0 {
		return maxBytes
	}
	return min(c.Room, maxBytes)
}

// cut shortens s to at most n bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// list joins lines up to the bounds and says what it left out and how to get it.
func list(lines []string, rest string) string {
	var b strings.Builder
	for i, line := range lines {
		if i == maxLines || b.Len()+len(line) > maxBytes {
			fmt.Fprintf(&b, "[%d of %d lines shown. %s]", i, len(lines), rest)
			return b.String()
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// excerpt shows the lines first to last of a text, counted from 1; last 0 is the end. A whole text that fits is shown
// as it is; a part has line numbers and a notice that says how to read on.
func excerpt(text string, first, last int) string {
	text = strings.TrimPrefix(text, "\ufeff") // a byte order mark says nothing to a reader
	lines := edit.Lines(text)
	if text == "" {
		lines = nil
	}
	total := len(lines)
	if first <= 1 && (last == 0 || last >= total) && total <= maxLines && len(text) <= maxBytes {
		if strings.TrimSpace(text) == "" {
			return blank(text)
		}
		return strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	}
	if last == 0 || last > total {
		last = total
	}
	first = max(first, 1)
	var b strings.Builder
	n := first
	for ; n <= last && n < first+maxLines; n++ {
		line := edit.Number(lines[n-1], n)
		if b.Len()+len(line) > maxBytes {
			if n == first { // one line is too long
				fmt.Fprintf(&b, "%s\n[Line %d has %d bytes: its end is not shown. search_files shows parts of long lines.]\n", cut(line, maxBytes), n, len(lines[n-1]))
				n++
			}
			break
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "[Lines %d to %d of %d.", first, n-1, total)
	if n <= last {
		fmt.Fprintf(&b, " Read on with start_line %d.", n)
	}
	b.WriteByte(']')
	return b.String()
}

// IsPart reports whether a result of read_file shows only a part of a file, or says that there is nothing to show.
func IsPart(result string) bool {
	last := result[strings.LastIndexByte(result, '\n')+1:]
	return strings.HasSuffix(last, "]") && (strings.HasPrefix(last, "[Lines ") || last == result && strings.HasPrefix(last, "[The file "))
}

// blank says what a text has that shows nothing.
func blank(text string) string {
	if text == "" {
		return "[The file is empty: 0 bytes.]"
	}
	return fmt.Sprintf("[The file has only blanks and line ends: %d bytes.]", len(text))
}

// headAndTail shortens a long text in its middle and says by how much.
func headAndTail(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head := cut(s, limit/2)
	tail := visible.Tail(s, limit/2)
	left := s[len(head) : len(s)-len(tail)]
	return fmt.Sprintf("%s\n[%d bytes, %d lines left out]\n%s", head, len(left), strings.Count(left, "\n"), tail)
}
