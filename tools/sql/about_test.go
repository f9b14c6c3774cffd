package sql_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
)

// The names of tables bring the tools, once they are known; nothing is asked to know them, and there are not too many.
func TestTablesBringTheTools(t *testing.T) {
	p := withFake(t, "huge")
	fitting := func(message string) string {
		r, err := p.sources.Now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range r.Fitting(message, func(tools.Spec) bool { return true }) {
			names = append(names, s.Name)
			if len(s.About) > 21<<10 {
				t.Errorf("%s is about %d bytes", s.Name, len(s.About))
			}
		}
		return strings.Join(names, " ")
	}
	if got := fitting("Which table_77 is best?"); got != "" {
		t.Errorf("before the schema is known: %s", got)
	}
	if _, err := p.source.Schema(t.Context(), "db", "", false); err != nil {
		t.Fatal(err)
	}
	for message, want := range map[string]string{"Which table_77 is best?": "schema_search sql_select", "What is in db?": "schema_search sql_select", "Hello": ""} {
		if got := fitting(message); len(got) != len(want) || want != "" && !strings.Contains(got, "sql_select") {
			t.Errorf("%s: %q", message, got)
		}
	}
}
