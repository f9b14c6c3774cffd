// Package table shows tables of values to small models in a form that they read better than lines of values: each row with the names of
// its columns, and below them what is true of all rows, which such models cannot count, add up or compare (docs/small-models.md).
package table

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math/big"
	"path"
	"slices"
	"strings"
)

// Limits of a table, beyond which it is shown as it is.
const (
	maxBytes   = 200_000
	maxColumns = 40
	maxRecords = 8_000 // bytes of all rows with the names of their columns; a longer table is shown as it is, and what is true of all rows below it
	maxKinds   = 8     // different values of a column that are counted
	maxValue   = 60    // bytes of a value that is repeated below the rows
)

// Table is a table of values.
type Table struct {
	columns []string
	rows    [][]string
}

// Read reads the text of a file that is a table by its name: .csv or .tsv, the names of the columns in its first line. ok is false if it is
// none: lines of different lengths, a column without a name or with one of several lines, no row, or too large.
func Read(name, text string) (t Table, ok bool) {
	comma, isTable := separator(name, text)
	if !isTable || len(text) > maxBytes {
		return Table{}, false
	}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	r.Comma, r.TrimLeadingSpace = comma, true
	all, err := r.ReadAll()
	if err != nil || len(all) < 2 || len(all[0]) < 2 || len(all[0]) > maxColumns {
		return Table{}, false
	}
	for i, column := range all[0] {
		if _, isNumber := number(column); isNumber || strings.TrimSpace(column) == "" || strings.ContainsAny(column, "\r\n") || slices.Contains(all[0][:i], column) {
			return Table{}, false
		}
	}
	return Table{all[0], all[1:]}, true
}

// separator is what stands between the values of a file.
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

// Records is the table with a line for each row, in it every value behind the name of its column. fits is false if that is too long.
func (t Table) Records() (text string, fits bool) {
	var out strings.Builder
	for _, row := range t.rows {
		for i, value := range row {
			if i > 0 {
				out.WriteString(", ")
			}
			out.WriteString(t.columns[i] + ": " + strings.NewReplacer("\r", " ", "\n", " ").Replace(value))
		}
		out.WriteByte('\n')
		if out.Len() > maxRecords {
			return "", false
		}
	}
	return out.String(), true
}

// Together says what is true of all rows: of a column of numbers the lowest, the highest and the sum, of a column of dates the first and the
// last, and of one with few different values how many rows have each. A column of which nothing can be said is left out.
func (t Table) Together() string {
	var out strings.Builder
	for i, column := range t.columns {
		if says := t.together(i); says != "" {
			fmt.Fprintf(&out, "%s: %s\n", column, says)
		}
	}
	return out.String()
}

func (t Table) together(column int) string {
	values := make([]string, len(t.rows))
	numbers := make([]*big.Rat, 0, len(t.rows))
	dates := 0
	for i, row := range t.rows {
		values[i] = strings.TrimSpace(row[column])
		if n, ok := number(values[i]); ok {
			numbers = append(numbers, n)
		}
		if isDate(values[i]) {
			dates++
		}
	}
	switch {
	case len(numbers) == len(values) && column > 0: // the first column names the rows
		by := func(a, b int) int { return numbers[a].Cmp(numbers[b]) }
		lowest, highest := t.least(values, by)
		text := fmt.Sprintf("lowest %s, highest %s", lowest, highest)
		if !areYears(values) {
			text += ", sum " + sum(values, numbers)
		}
		return text
	case dates == len(values):
		first, last := t.least(values, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
		return fmt.Sprintf("first %s, last %s", first, last)
	}
	return kinds(values)
}

// least are the first and the last of the values in an order, each with the row it stands in.
func (t Table) least(values []string, by func(a, b int) int) (first, last string) {
	least, most := 0, 0
	for i := range values {
		if by(i, least) < 0 {
			least = i
		}
		if by(i, most) > 0 {
			most = i
		}
	}
	of := func(at int) string {
		same := 0
		for i := range values {
			if by(i, at) == 0 {
				same++
			}
		}
		if same > 1 {
			return fmt.Sprintf("%s (%d rows, the first is %s)", values[at], same, t.row(at))
		}
		return fmt.Sprintf("%s (%s)", values[at], t.row(at))
	}
	return of(least), of(most)
}

// row names a row by its first value, and by the second if that is a word.
func (t Table) row(at int) string {
	name := t.columns[0] + " " + short(t.rows[at][0])
	if second := t.rows[at][1]; !isDate(second) {
		if _, isNumber := number(second); !isNumber && second != "" {
			name += ", " + t.columns[1] + " " + short(second)
		}
	}
	return name
}

func short(value string) string {
	if value = strings.Join(strings.Fields(value), " "); len(value) > maxValue {
		return strings.ToValidUTF8(value[:maxValue], "") + "…"
	}
	return value
}

// kinds says how many rows have each of the values, if some have the same and there are few different ones.
func kinds(values []string) string {
	count := map[string]int{}
	var order []string
	for _, v := range values {
		if count[v]++; count[v] == 1 {
			order = append(order, v)
		}
	}
	if len(order) > maxKinds || len(order) == len(values) || slices.ContainsFunc(order, func(v string) bool { return v == "" || len(v) > maxValue }) {
		return ""
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	for i, v := range order {
		rows := "rows"
		if count[v] == 1 {
			rows = "row"
		}
		order[i] = fmt.Sprintf("%s in %d %s", short(v), count[v], rows)
	}
	return strings.Join(order, ", ")
}

// number reads a value as a decimal number.
func number(value string) (*big.Rat, bool) {
	if value == "" || len(value) > 30 || strings.Trim(value, "0123456789.+-") != "" {
		return nil, false
	}
	return new(big.Rat).SetString(value)
}

// sum adds numbers up, with as many decimals as the longest of them has.
func sum(values []string, numbers []*big.Rat) string {
	total, decimals := new(big.Rat), 0
	for i, n := range numbers {
		total.Add(total, n)
		if _, behind, has := strings.Cut(values[i], "."); has {
			decimals = max(decimals, len(behind))
		}
	}
	return total.FloatString(decimals)
}

// areYears reports whether values look like years, of which nobody wants the sum.
func areYears(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return len(v) != 4 || v < "1000" || v > "2199" })
}

// isDate reports whether a value is a date as ISO 8601 writes it, so that the order of the letters is that of time.
func isDate(value string) bool {
	if len(value) != 10 || value[4] != '-' || value[7] != '-' {
		return false
	}
	return strings.Trim(value, "0123456789-") == ""
}
