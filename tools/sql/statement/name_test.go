package statement_test

import (
	"testing"

	"github.com/assent-ls/assent/tools/sql/statement"
)

func TestNames(t *testing.T) {
	for name, want := range map[string][3]string{ // of SQLite, PostgreSQL, MySQL
		"orders":     {"orders", "orders", "orders"},
		"order":      {`"order"`, `"order"`, "`order`"},
		"Group":      {`"Group"`, `"Group"`, "`Group`"},
		"firstName":  {"firstName", `"firstName"`, "firstName"},
		"2024":       {`"2024"`, `"2024"`, "`2024`"},
		"with space": {`"with space"`, `"with space"`, "`with space`"},
		"größe":      {`"größe"`, `"größe"`, "`größe`"},
		"a.b":        {`"a.b"`, `"a.b"`, "`a.b`"},
		"a\"b`c":     {"\"a\"\"b`c\"", "\"a\"\"b`c\"", "`a\"b``c`"},
		"":           {`""`, `""`, "``"},
	} {
		for i, d := range []statement.Dialect{statement.SQLite, statement.Postgres, statement.MySQL} {
			if got := statement.Name(name, d); got != want[i] {
				t.Errorf("%s: %q is written as %s, want %s", d, name, got, want[i])
			}
		}
	}
}
