// Package table shows tables of values to small models in a form that they read better than lines of values: each row
// with the names of its columns, and below them what is true of all rows, which such models cannot count, add up or
// compare (cmd/eval/findings.md).
package table

import (
	"encoding/csv"
	"path"
	"slices"
	"strings"
)

// Limits of a table, beyond which it is shown as it is.
const (
	maxBytes   = 200_000
	maxColumns = 40
	// bytes of all rows with the names of their columns; a longer table is shown as it is, and what is true of all rows
	// below it.
	maxRecords = 8_000
	maxKinds   = 8  // different values of a column that are counted
	maxValue   = 60 // bytes of a value that is repeated below the rows, and of the name of a column
)

// Table is a table of values.
type Table struct {
	columns []string
	rows    [][]string
}

// Read reads the text of a file that is a table by its name: .csv or .tsv, the names of the columns in its first line;
// rows without any value are none. ok is false if it is no table: lines of different lengths, a first line that may be
// a row, no row, or too large.
func Read(name, text string) (t Table, ok bool) {
	comma, isTable := separator(name, text)
	if !isTable || len(text) > maxBytes {
		return Table{}, false
	}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	r.Comma, r.TrimLeadingSpace = comma, comma != '\t' // it would trim a tab, and so a value that is empty
	all, err := r.ReadAll()
	if err != nil || len(all) == 0 || len(all[0]) < 2 || len(all[0]) > maxColumns {
		return Table{}, false
	}
	t = Table{all[0], slices.DeleteFunc(all[1:], isBlank)}
	for i := range t.columns {
		if !t.isNamed(i) {
			return Table{}, false
		}
	}
	return t, len(t.rows) > 0
}

// isBlank reports whether a row has no value, as spreadsheets write those below the last one.
func isBlank(row []string) bool { return strings.TrimSpace(strings.Join(row, "")) == "" }

// isNamed reports whether a column has a name: a short one of its own, and no value such as a number, a date or one
// that is below it.
func (t Table) isNamed(column int) bool {
	name := strings.TrimSpace(t.columns[column])
	same := func(other string) bool { return strings.TrimSpace(other) == name }
	_, isNumber := number(name)
	return name != "" && len(name) <= maxValue && !isNumber && !isDate(name) && !strings.ContainsAny(
		name, "\r\n",
	) && !slices.ContainsFunc(t.columns[:column], same) &&
		!slices.ContainsFunc(t.rows, func(row []string) bool { return same(row[column]) })
}

// separator is what is between the values of a file.
func separator(name, text string) (rune, bool) {
	first, _, _ := strings.Cut(text, "\n")
	switch strings.ToLower(path.Ext(name)) {
	case ".tsv":
		return '\t', true
	case ".csv":
		if strings.Count(first, ";") > strings.Count(first, ",") {
			return ';', true
		}
		return ',', true
	}
	return 0, false
}

// Rows is how many rows the table has below the names of its columns.
func (t Table) Rows() int { return len(t.rows) }

// Records is the table with a line for each row, in it every value behind the name of its column. fits is false if that
// is too long.
func (t Table) Records() (text string, fits bool) {
	var out strings.Builder
	for _, row := range t.rows {
		for i, value := range row {
			if i > 0 {
				out.WriteString(", ")
			}
			out.WriteString(t.columns[i] + ": " + quoteIfListed(value))
		}
		out.WriteByte('\n')
		if out.Len() > maxRecords {
			return "", false
		}
	}
	return out.String(), true
}

// quoteIfListed is a value on one line, in quotation marks if it may be taken for several values.
func quoteIfListed(value string) string {
	value = strings.NewReplacer("\r", " ", "\n", " ").Replace(value)
	if strings.Contains(value, ": ") || strings.Contains(value, ", ") {
		return `"` + value + `"`
	}
	return value
}
