package tasks

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// hasTable requires a table, in CSV or Markdown, by its columns and then its rows, whose cells have "|" between them.
// Rows are in this order. How numbers are written does not count. A table in Markdown may have further columns.
func hasTable(name string, columnsAndRows ...string) check {
	n := slices.IndexFunc(columnsAndRows, func(s string) bool { return strings.Contains(s, "|") })
	columns, rows := columnsAndRows[:n], columnsAndRows[n:]
	return func(_ context.Context, o Outcome) error {
		text, there := o.After[name]
		if !there {
			return fmt.Errorf("%s is missing", name)
		}
		got, err := tableIn(name, text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if len(got) != len(rows)+1 {
			return fmt.Errorf("%s has %d rows, not %d, with the head: %s", name, len(got), len(rows)+1, Short(text))
		}
		if strings.HasSuffix(name, ".csv") && len(got[0]) != len(columns) {
			return fmt.Errorf("%s has the columns %q", name, got[0])
		}
		for column, head := range columns {
			at := slices.IndexFunc(got[0], func(cell string) bool { return strings.EqualFold(cell, head) })
			if at < 0 || strings.HasSuffix(name, ".csv") && at != column {
				return fmt.Errorf("%s has no column %s where it belongs: %q", name, head, got[0])
			}
			for i, row := range rows {
				want := strings.Split(row, "|")[column]
				if at >= len(got[i+1]) || !sameCell(got[i+1][at], want) {
					return fmt.Errorf("%s has no %q in row %d: %q", name, want, i+1, got[i+1])
				}
			}
		}
		return nil
	}
}

var (
	ruler    = regexp.MustCompile(`^[-:| ]+$`)
	linkText = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	unit     = regexp.MustCompile(`(?i)\s|€|EUR|"`)
)

// tableIn are the cells of a table, without Markdown's marks.
func tableIn(name, text string) ([][]string, error) {
	var rows [][]string
	if strings.HasSuffix(name, ".csv") {
		r := csv.NewReader(strings.NewReader(text))
		r.FieldsPerRecord, r.TrimLeadingSpace, r.LazyQuotes = -1, true, true
		if head, _, _ := strings.Cut(text, "\n"); strings.Contains(head, ";") {
			r.Comma = ';'
		}
		var err error
		if rows, err = r.ReadAll(); err != nil {
			return nil, err
		}
	} else {
		for _, line := range textLines(text) {
			if line = strings.TrimSpace(line); strings.Contains(line, "|") && !ruler.MatchString(line) {
				rows = append(rows, strings.Split(strings.Trim(line, "|"), "|"))
			}
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("there is no table: %s", Short(text))
	}
	for _, row := range rows {
		for i, cell := range row {
			row[i] = strings.ReplaceAll(strings.Trim(linkText.ReplaceAllString(cell, "$1"), " \t*_`\""), "’", "'")
		}
	}
	return rows, nil
}

func sameCell(got, want string) bool {
	w, err := strconv.ParseFloat(want, 64)
	if err != nil {
		return got == want
	}
	g, err := strconv.ParseFloat(thousands.ReplaceAllString(unit.ReplaceAllString(got, ""), "$1$2"), 64)
	return err == nil && math.Abs(g-w) < 0.005
}
