package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/mcp/mcptest"
	"github.com/assent-ls/assent/tools/sql/sqltest"
)

// Every query is another one, and looks for what is there.
func TestTheQueries(t *testing.T) {
	var tables []string
	for _, table := range sqltest.Tables() {
		tables = append(tables, table.Name)
	}
	for file, there := range map[string][]string{"tools.tsv": mcptest.Tools(), "tables.tsv": tables} {
		list, err := readQueries(file)
		if want := map[string]int{"tools.tsv": 100, "tables.tsv": 60}[file]; err != nil || len(list) != want {
			t.Errorf("%s: %d queries, not %d: %v", file, len(list), want, err)
		}
		seen := map[string]bool{}
		for _, q := range list {
			if seen[q.text] {
				t.Errorf("%q stands twice", q.text)
			}
			seen[q.text] = true
			for _, name := range q.right {
				if !slices.Contains(there, name) {
					t.Errorf("%q: there is no %s", q.text, name)
				}
			}
		}
	}
}

func TestWhereTheRightOneStands(t *testing.T) {
	f := finds{by: "words"}
	for _, names := range [][]string{{"a", "b"}, {"b", "a"}, {"b", "c", "d", "e", "a"}, {"b", "c", "d", "e", "f", "a"}, nil} {
		f.add([]string{"a", "x"}, names)
	}
	if got, want := strings.Join(f.cells(), ", "), "1 (20 %), 2 (40 %), 3 (60 %)"; got != want || f.asked != 5 {
		t.Errorf("%s of %d, not %s", got, f.asked, want)
	}
	result := "company, postgres, read now:\norders: id int key, day date (when it was made). What was ordered\n\"Odd\": a int\n[3 more tables fit, of 60 in all: x, y. Search with other words.]"
	if got := tablesIn(result); !slices.Equal(got, []string{"orders", `"Odd"`}) {
		t.Errorf("tables %q", got)
	}
}
