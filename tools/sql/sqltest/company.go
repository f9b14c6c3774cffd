// Package sqltest starts real databases for tests and evaluations: those of a wholesale company with sixty tables, on
// PostgreSQL, MariaDB and SQLite, each in a folder of the caller's. The content is the same each time.
package sqltest

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed company.txt
var company string

// Table is one of the company's tables.
type Table struct {
	Name, About string
	Columns     []Column
}

// Column is one of a table's columns.
type Column struct {
	Name string
	Kind string // int, text, date, money or bool
}

// Tables are those of company.txt, in its order.
func Tables() []Table {
	var all []Table
	for line := range strings.Lines(company) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(strings.TrimSpace(line), " | ", 3)
		t := Table{Name: parts[0], About: parts[1]}
		for column := range strings.SplitSeq(parts[2], ", ") {
			name, kind, _ := strings.Cut(column, " ")
			t.Columns = append(t.Columns, Column{name, kind})
		}
		all = append(all, t)
	}
	return all
}

// Dialect is how a database writes what differs.
type Dialect string

// The dialects.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
	MariaDB  Dialect = "mysql"
)

// Statements make the tables and what is in them.
func Statements(d Dialect) []string {
	var list []string
	for _, t := range Tables() {
		list = append(list, t.create(d))
		if d == Postgres {
			list = append(list, fmt.Sprintf("COMMENT ON TABLE %s IS '%s'", t.Name, t.About))
		}
	}
	for _, r := range rows() {
		values := make([]string, len(r.values))
		for i, v := range r.values {
			values[i] = literal(v)
		}
		list = append(list, fmt.Sprintf("INSERT INTO %s VALUES (%s)", r.table, strings.Join(values, ", ")))
	}
	return list
}

func (t Table) create(d Dialect) string {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = c.Name + " " + types[c.Kind]
		if c.Name == "id" {
			columns[i] += " PRIMARY KEY"
		}
	}
	text := fmt.Sprintf("CREATE TABLE %s (%s)", t.Name, strings.Join(columns, ", "))
	if d == MariaDB {
		text += fmt.Sprintf(" COMMENT '%s'", t.About)
	}
	return text
}

var types = map[string]string{ //nolint:gochecknoglobals // never changed
	"int": "INTEGER", "text": "VARCHAR(400)", "date": "DATE", "money": "NUMERIC(12,2)", "bool": "BOOLEAN",
}

func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	return fmt.Sprint(v)
}
