package sql_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/sql"
)

// people takes what is about staff for near to everything, but for nothing where it is told so.
type people struct{ asked [][]string }

func (m *people) Near(_ context.Context, query string, texts []string) []int {
	m.asked = append(m.asked, texts)
	if query == "orders nobody" {
		return nil
	}
	return []int{slices.IndexFunc(texts, func(text string) bool { return strings.Contains(text, "staff") })}
}

// Tables are found by what they mean, too; one that is named comes first all the same.
func TestTablesAreFoundByMeaning(t *testing.T) {
	p := withFake(t, "firm")
	m := &people{}
	p.sources.RankBy(m)
	for query, want := range map[string]string{
		"employees":        "staff",
		"the orders":       "orders staff order_lines", // named; by meaning and by words, each once
		"order_lines paid": "order_lines orders staff",
		"orders nobody":    "orders order_lines",
	} {
		var names []string
		for line := range strings.Lines(p.call(sql.SchemaSearch, map[string]any{"query": query})) {
			if name, _, found := strings.Cut(line, ": "); found && !strings.Contains(name, " ") {
				names = append(names, name)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q finds %q, not %q", query, got, want)
		}
	}
	want := []string{"table staff: About staff.\nfull name\nhired on the first day", "table order lines: About order lines.\namount", "table orders: About orders.\npaid"}
	if len(m.asked) != 4 || !slices.Equal(m.asked[0], want) {
		t.Errorf("the texts are %q", m.asked)
	}
	all := p.call(sql.SchemaSearch, map[string]any{"query": " "})
	if p.says("all", all, "staff", "order_lines"); len(m.asked) != 4 {
		t.Error("a query without words is ranked")
	}
	if text, err := p.source.Schema(t.Context(), "db", "employees", false); err != nil || !strings.Contains(text, "None of its 3 tables") {
		t.Errorf("a person who asks by hand gets %s, %v", text, err)
	}
}
