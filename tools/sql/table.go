package sql

import (
	"fmt"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
)

// The bounds of a table that is shown.
const (
	maxCell  = 300      // bytes
	maxTable = 12 << 10 // bytes
)

// shown is a result as a Markdown table of at most limit rows, with a notice of what it leaves out.
func shown(rows []row, limit int) string {
	if len(rows) == 0 {
		return "[No rows.]"
	}
	var b strings.Builder
	head := make([]string, len(rows[0]))
	for i, c := range rows[0] {
		head[i] = inCell(c.column)
	}
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
	count, cutCells := 0, 0
	for _, r := range rows[:min(limit, len(rows))] {
		cells := make([]string, len(r))
		before := cutCells
		for i, c := range r {
			if cells[i] = inCell(c.value); c.null {
				cells[i] = "NULL"
			}
			if len(c.value) > maxCell {
				cutCells++
			}
		}
		line := "| " + strings.Join(cells, " | ") + " |\n"
		if count > 0 && b.Len()+len(line) > maxTable {
			cutCells = before
			break
		}
		b.WriteString(line)
		count++
	}
	switch more := len(rows) > limit; {
	case more:
		fmt.Fprintf(&b, "[The first %d rows. There are more: count or sum them, or add a condition.]\n", count)
	case count < len(rows):
		fmt.Fprintf(&b, "[The first %d of %d rows: the others are too long to be shown.]\n", count, len(rows))
	default:
		fmt.Fprintf(&b, "[%s]\n", plural(count, "row"))
	}
	if cutCells > 0 {
		fmt.Fprintf(&b, "[%s cut after %d bytes.]\n", plural(cutCells, "value"), maxCell)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// inCell is a value as it is in a cell: on one line, and with no bar of its own. A backslash before one would take
// back its escape.
func inCell(value string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`).Replace(visible.Line(short(value, maxCell)))
}

// short is a text in at most n bytes, or its beginning.
func short(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + " …"
}
