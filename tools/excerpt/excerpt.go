// Package excerpt bounds the text that one result shows, and says what it leaves out.
package excerpt

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/edit"
)

// The bounds of what one result shows.
const (
	MaxLines    = 200
	MaxBytes    = 8 << 10
	MaxPreview  = 64 << 10 // of a preview, which is for people
	MaxLongLine = 300      // of a line in a list of matches
	MaxNote     = 300      // of the sentence that says how far a call is
)

// Cut shortens s to at most n bytes without splitting a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// List joins lines up to the bounds and says what it left out and how to get it.
func List(lines []string, rest string) string {
	var b strings.Builder
	for i, line := range lines {
		if i == MaxLines || b.Len()+len(line) > MaxBytes {
			fmt.Fprintf(&b, "[%d of %d lines shown. %s]", i, len(lines), rest)
			return b.String()
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Lines shows the lines first to last of a text, counted from 1; last 0 is the end. A whole text that fits is shown
// as it is; a part has line numbers and a notice that says how to read on.
func Lines(text string, first, last int) string {
	text = strings.TrimPrefix(text, "\ufeff") // a byte order mark says nothing to a reader
	lines := edit.Lines(text)
	if text == "" {
		lines = nil
	}
	total := len(lines)
	if first <= 1 && (last == 0 || last >= total) && total <= MaxLines && len(text) <= MaxBytes {
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
	for ; n <= last && n < first+MaxLines; n++ {
		line := edit.Number(lines[n-1], n)
		if b.Len()+len(line) > MaxBytes {
			if n == first { // one line is too long
				fmt.Fprintf(
					&b, "%s\n[Line %d has %d bytes: its end is not shown. search_files shows parts of long lines.]\n",
					Cut(line, MaxBytes), n, len(lines[n-1]),
				)
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
	return strings.HasSuffix(last, "]") &&
		(strings.HasPrefix(last, "[Lines ") || last == result && strings.HasPrefix(last, "[The file "))
}

// blank says what a text has that shows nothing.
func blank(text string) string {
	if text == "" {
		return "[The file is empty: 0 bytes.]"
	}
	return fmt.Sprintf("[The file has only blanks and line ends: %d bytes.]", len(text))
}

// HeadAndTail shortens a long text in its middle and says by how much.
func HeadAndTail(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head := Cut(s, limit/2)
	tail := visible.Tail(s, limit/2)
	left := s[len(head) : len(s)-len(tail)]
	return fmt.Sprintf("%s\n[%d bytes, %d lines left out]\n%s", head, len(left), strings.Count(left, "\n"), tail)
}

// Around shortens a long line to the part around an offset.
func Around(line string, at int) string {
	if len(line) <= MaxLongLine {
		return line
	}
	start := max(0, min(at-MaxLongLine/4, len(line)-MaxLongLine))
	part := strings.ToValidUTF8(line[start:start+MaxLongLine], "")
	if start > 0 {
		part = "…" + part
	}
	if start+MaxLongLine < len(line) {
		part += "…"
	}
	return part
}

// Counted is a number of things: "1 file", "2 files".
func Counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Names joins the first of some names and says how many more there are: "a, b and 3 more".
func Names(names []string, most int) string {
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// ShortLine bounds a line of a result.
func ShortLine(line string) string { return Around(line, 0) }
