package sql

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
)

// maxWhole is how many rows a person gets who asks for all. What the Toolbox answers at once is bounded, too.
const maxWhole = 10_000

// whole is a result in full, of at most limit rows.
func whole(rows []row, limit int) *tools.Whole {
	w := &tools.Whole{CSV: asCSV(rows[:min(limit, len(rows))])}
	if len(rows) > limit {
		w.Notice = fmt.Sprintf(
			"These are the first %d rows. There are more: add a condition, or count or sum them.", limit,
		)
	}
	return w
}

// asCSV writes rows with the names of their columns above them, as RFC 4180 says. NULL is nothing, and an empty text
// two quotes.
func asCSV(rows []row) string {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	for i, c := range rows[0] {
		field(&b, i, cell{value: c.column})
	}
	b.WriteString("\r\n")
	for _, r := range rows {
		for i, c := range r {
			c.null = c.null && len(r) > 1 // an empty line would be no row
			field(&b, i, c)
		}
		b.WriteString("\r\n")
	}
	return b.String()
}

func field(b *strings.Builder, i int, c cell) {
	if i > 0 {
		b.WriteByte(',')
	}
	if c.null {
		return
	}
	text := visible.Text(strings.ReplaceAll(c.value, "\r\n", "\n"))
	if isFormula(text) {
		text = "'" + text
	}
	if text == "" || strings.ContainsAny(text, "\",\n\t; ") {
		text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	b.WriteString(text)
}

var number = lazyregexp.New(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// isFormula reports whether a spreadsheet would take a text for a formula, so that it might run something.
func isFormula(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune("=+-@\t\n＝＋－＠", first) && !number().MatchString(text)
}
