package sql

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/internal/ranking"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/sql/statement"
)

// schema is what a database holds, as it was read.
type schema struct {
	Read   time.Time `json:"read"`
	Tables []table   `json:"tables"`
	Cut    bool      `json:"cut"` // there are more columns than are read
}

type table struct {
	Name    string   `json:"name"`              // with its schema, unless that is the usual one
	Written string   `json:"written,omitempty"` // the name as a statement has to write it; empty: as it is
	View    bool     `json:"view"`
	Comment string   `json:"comment"`
	Columns []column `json:"columns"`
}

type column struct {
	Name       string `json:"name"`
	Written    string `json:"written,omitempty"` // as that of a table
	Type       string `json:"type"`
	Key        bool   `json:"key"` // it is, or is part of, the primary key
	Comment    string `json:"comment"`
	References string `json:"references"` // the table and the column; empty: none
}

// The bounds of a schema.
const (
	pageSize   = 5_000 // columns that are asked for at once
	maxColumns = 200_000
	maxSchema  = 64 << 20 // bytes on disk
	maxComment = 200      // of one that is shown
)

//go:embed schema_*.sql
var schemaQueries embed.FS

// schemaQuery lists the columns of all tables.
func (d Declaration) schemaQuery() (string, error) {
	name := string(d.Kind)
	if d.Kind == BigQuery || d.Kind == Spanner {
		name = "google"
	}
	text, err := schemaQueries.ReadFile("schema_" + name + ".sql")
	switch d.Kind {
	case BigQuery:
		return fmt.Sprintf(
			string(text), "data_type", inBackticks(d.Database)+".INFORMATION_SCHEMA.COLUMNS", "TRUE",
		), err
	case Spanner:
		return fmt.Sprintf(string(text), "spanner_type", "information_schema.columns", "table_schema = ''"), err
	case SQLite, Postgres, MySQL:
	}
	return string(text), err
}

// schema is what the database holds: as it was kept, or read now.
func (d *database) schema(ctx context.Context, fresh bool) (schema, error) {
	if !fresh {
		if kept, ok := d.kept(); ok {
			return kept, nil
		}
	}
	query, err := d.schemaQuery()
	if err != nil {
		return schema{}, err
	}
	s := schema{Read: time.Now().Round(time.Second), Tables: []table{}}
	for n := 0; ; n += pageSize {
		rows, err := d.run(ctx, fmt.Sprintf("%s LIMIT %d OFFSET %d", strings.TrimSpace(query), pageSize, n))
		if err != nil {
			return schema{}, err
		}
		for _, r := range rows {
			s.add(r, d.dialect())
		}
		if s.Cut = n+pageSize >= maxColumns && len(rows) == pageSize; s.Cut || len(rows) < pageSize {
			break
		}
	}
	if text, err := json.Marshal(s); err == nil {
		_ = diskfile.WriteRegular(d.schemaFile(), text) // else it is read again the next time
	}
	return s, nil
}

// add adds a column, and its table if that is a new one.
func (s *schema) add(r row, d statement.Dialect) {
	name := r.of("t")
	written := statement.Name(name, d)
	if of := r.of("s"); of != "" && of != "public" {
		name, written = of+"."+name, statement.Name(of, d)+"."+written
	}
	if n := len(s.Tables); n == 0 || s.Tables[n-1].Name != name {
		s.Tables = append(
			s.Tables, table{Name: name, Written: other(written, name), View: r.of("k") == "view", Comment: r.of("tc")},
		)
	}
	c := column{
		Name: r.of("c"), Written: other(statement.Name(r.of("c"), d), r.of("c")), Type: r.of("ct"),
		Key: r.of("pk") == "1" || r.of("pk") == "true", Comment: r.of("cc"),
	}
	if to := r.of("rt"); to != "" {
		c.References = strings.TrimSuffix(to+"."+r.of("rc"), ".")
	}
	of := &s.Tables[len(s.Tables)-1]
	if n := len(of.Columns); n > 0 && of.Columns[n-1].Name == c.Name { // it refers to two
		return
	}
	of.Columns = append(of.Columns, c)
}

// other is a text, or nothing if it is the usual one.
func other(text, usual string) string {
	if text == usual {
		return ""
	}
	return text
}

// schemaFile is where a schema is kept: another file when the declaration is another one.
func (d *database) schemaFile() string {
	sum := sha256.Sum256([]byte(d.Name + "\x00" + d.Place()))
	return filepath.Join(d.options.State.Dir(), "databases", d.Name+"-"+hex.EncodeToString(sum[:6])+".json")
}

// kept is the schema as it was read last, by any process.
func (d *database) kept() (s schema, ok bool) {
	data, err := diskfile.ReadSmall(d.schemaFile(), maxSchema)
	if err != nil || len(data) == 0 || json.Unmarshal(data, &s) != nil || s.Read.IsZero() {
		return schema{}, false
	}
	return s, true
}

// age says when a schema was read.
func (s schema) age() string {
	switch age := time.Since(s.Read); {
	case age < time.Minute:
		return "just now"
	case age < 2*time.Hour:
		return fmt.Sprintf("%d minutes ago", int(age.Minutes()))
	case age < 48*time.Hour:
		return fmt.Sprintf("%d hours ago", int(age.Hours()))
	default:
		return fmt.Sprintf("%d days ago", int(age.Hours()/24))
	}
}

// also puts what else is found among texts into a ranking of them by words.
type also func(byWords []int, texts func() []string) []int

// find are the tables that have words of a query, and those that more finds (nil: none), the best first; all of them if
// the query is empty.
func (s schema) find(query string, more also) []table {
	if strings.TrimSpace(query) == "" {
		return s.Tables
	}
	var index ranking.Index
	for _, t := range s.Tables {
		var columns, comments strings.Builder
		for _, c := range t.Columns {
			columns.WriteString(c.Name + " ")
			comments.WriteString(c.Comment + " ")
		}
		index.Add(
			ranking.Field{Text: t.Name, Weight: 4}, ranking.Field{Text: t.Comment, Weight: 2},
			ranking.Field{Text: columns.String(), Weight: 2}, ranking.Field{Text: comments.String(), Weight: 1},
		)
	}
	var named, others []table // those first whose whole name is asked for: a short name says more than its words
	asked := ranking.Words(query)
	var places []int
	for _, r := range index.Rank(query, len(s.Tables)) {
		places = append(places, r.Place)
	}
	if more != nil {
		places = more(places, s.meanings)
	}
	for _, place := range places {
		if t := s.Tables[place]; t.isNamed(asked) {
			named = append(named, t)
		} else {
			others = append(others, t)
		}
	}
	return append(named, others...)
}

// meanings are what the tables hold, as a model that judges what texts mean reads it.
func (s schema) meanings() []string {
	texts := make([]string, len(s.Tables))
	for i, t := range s.Tables {
		var b strings.Builder
		b.WriteString("table " + t.Name + ": " + t.Comment)
		for _, c := range t.Columns {
			b.WriteString("\n" + strings.TrimSpace(c.Name+" "+c.Comment))
		}
		texts[i] = strings.ReplaceAll(b.String(), "_", " ")
	}
	return texts
}

// isNamed reports whether all words of the table's name are among some words.
func (t table) isNamed(words []string) bool {
	return !slices.ContainsFunc(strings.Split(t.Name, "_"), func(part string) bool {
		return slices.ContainsFunc(ranking.Words(part), func(w string) bool { return !slices.Contains(words, w) })
	})
}

// line describes a table on one line.
func (t table) line() string {
	var b strings.Builder
	b.WriteString(cmp.Or(t.Written, t.Name))
	if t.View {
		b.WriteString(" (view)")
	}
	b.WriteString(": ")
	for i, c := range t.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strings.TrimSpace(cmp.Or(c.Written, c.Name) + " " + shortType(c.Type)))
		if c.Key {
			b.WriteString(" key")
		}
		if c.References != "" {
			b.WriteString(" -> " + c.References)
		}
		if c.Comment != "" {
			b.WriteString(" (" + short(c.Comment, maxComment) + ")")
		}
	}
	if t.Comment != "" {
		b.WriteString(". " + short(t.Comment, maxComment))
	}
	return b.String()
}

// shortType is a type as one reads it at a glance: without its length, but with the values that it lists.
func shortType(text string) string {
	text = strings.ToLower(text)
	if !strings.HasPrefix(text, "enum") && !strings.HasPrefix(text, "set") {
		text, _, _ = strings.Cut(text, "(")
	}
	return strings.Replace(short(text, maxComment), "character varying", "varchar", 1)
}
