package sql_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/sql"
)

// S19: what a database calls its tables and columns stays on one line, and shows what nobody sees. A heading of a chat
// cannot be in it.
// F07.
func TestNamesOfADatabaseStayOnTheirLine(t *testing.T) {
	p := withFake(t, "lines")
	for _, query := range []string{"", "table_7", "nothing of these"} {
		text := p.call(sql.SchemaSearch, map[string]any{"query": query})
		if !strings.Contains(text, "table_") || regexp.MustCompile(`(?m)^## You|\x1b|\x{202e}`).MatchString(text) {
			t.Errorf("%q: %.600q", query, text)
		}
	}
	text, err := p.source.Schema(t.Context(), "db", "table_7", false)
	if err != nil || strings.Contains(text, "\n## You") {
		t.Errorf("by hand: %.300q, %v", text, err)
	}
}
