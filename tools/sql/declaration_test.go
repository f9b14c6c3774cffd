package sql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/sql"
)

func TestParse(t *testing.T) {
	list, problems := sql.Parse([]byte(`{
  // mine
  "databases": {
    "shop": {"kind": "sqlite", "path": "~/shop.db", "folders": ["/work"]},
    "crm": {"kind": "postgres", "database": "crm", "user": "reader", "password": "${env:CRM}", "tls": "verify"},
    "old": {"kind": "mysql", "host": "db.example.org", "port": 3307, "database": "old", "user": "reader", "password": "${file:~/p}",},
    "logs": {"kind": "bigquery", "project": "p", "database": "d"},
    "bank": {"kind": "spanner", "project": "p", "instance": "i", "database": "d"},
  },
}`))
	var places []string
	for _, d := range list {
		places = append(places, d.Name+": "+d.Place())
	}
	want := []string{
		"shop: sqlite, ~/shop.db", "crm: postgres, crm at 127.0.0.1:5432 as reader", "old: mysql, old at db.example.org:3307 as reader", "logs: bigquery, p.d", "bank: spanner, p/i/d",
	}
	if diff := cmp.Diff(want, places); diff != "" || problems != nil {
		t.Errorf("%v\n%s", problems, diff)
	}
}

// TestParseIsStrict: what is wrong with a database is told, and hides no other one.
func TestParseIsStrict(t *testing.T) {
	const good = `"good": {"kind": "sqlite", "path": "/x.db"}`
	pg := func(more string) string {
		return `{"kind": "postgres", "database": "d", "user": "u", "password": "${env:P}"` + more + `}`
	}
	for text, want := range map[string]string{
		`{"databases": {"Shop": {"kind": "sqlite", "path": "/x"}, ` + good + `}}`:                                                  "its name must begin with a small letter",
		`{"databases": {"a b": {"kind": "sqlite", "path": "/x"}, ` + good + `}}`:                                                   "its name must",
		`{"databases": {"x": [], ` + good + `}}`:                                                                                   "it must be an object",
		`{"databases": {"x": {"path": "/x"}, ` + good + `}}`:                                                                       "kind must be sqlite",
		`{"databases": {"x": {"kind": "oracle"}, ` + good + `}}`:                                                                   "kind must be sqlite",
		`{"databases": {"x": {"kind": 1}, ` + good + `}}`:                                                                          "kind must be sqlite",
		`{"databases": {"x": {"kind": "sqlite"}, ` + good + `}}`:                                                                   "path is missing",
		`{"databases": {"x": {"kind": "sqlite", "path": "x.db"}, ` + good + `}}`:                                                   "must be a path from / or ~/ on",
		`{"databases": {"x": {"kind": "sqlite", "path": "/x", "Path": "/y"}, ` + good + `}}`:                                       `has no key "Path"`,
		`{"databases": {"x": {"kind": "sqlite", "path": "/x", "password": "${env:P}"}, ` + good + `}}`:                             `has no key "password"`,
		`{"databases": {"x": {"kind": "sqlite", "path": 5}, ` + good + `}}`:                                                        "path must not be a JSON number",
		`{"databases": {"x": {"kind": "sqlite", "path": "/x\u202e"}, ` + good + `}}`:                                               "cannot be seen",
		`{"databases": {"x": {"kind": "sqlite", "path": "/x", "folders": ["work"]}, ` + good + `}}`:                                "must be a path from / or ~/ on",
		`{"databases": {"x": {"kind": "postgres", "database": "d", "user": "u", "password": "secret"}, ` + good + `}}`:             "password must not stand in the file",
		`{"databases": {"x": ` + pg(`, "port": 70000`) + `, ` + good + `}}`:                                                        "port must be 1 to 65535",
		`{"databases": {"x": ` + pg(`, "host": "a/b?c"`) + `, ` + good + `}}`:                                                      "is no host",
		`{"databases": {"x": ` + pg(`, "host": "a:1"`) + `, ` + good + `}}`:                                                        "is no host",
		`{"databases": {"x": ` + pg(`, "tls": "maybe"`) + `, ` + good + `}}`:                                                       "tls must be",
		`{"databases": {"x": {"kind": "sqlite", "path": "/x", "writeUser": "w"}, ` + good + `}}`:                                   `has no key "writeUser"`,
		`{"databases": {"x": {"kind": "sqlite", "path": "/x", "write": "yes"}, ` + good + `}}`:                                     "write must not be a JSON string",
		`{"databases": {"x": {"kind": "spanner", "project": "p", "instance": "i", "database": "d", "write": true}, ` + good + `}}`: `has no key "write"`,
		`{"databases": {"x": ` + pg(`, "write": true`) + `, ` + good + `}}`:                                                        "needs writeUser and writePassword",
		`{"databases": {"x": ` + pg(`, "write": true, "writeUser": "w"`) + `, ` + good + `}}`:                                      "needs writeUser and writePassword",
		`{"databases": {"x": ` + pg(`, "write": true, "writeUser": "u", "writePassword": "${env:W}"`) + `, ` + good + `}}`:         "of another user than the one that reads",
		`{"databases": {"x": ` + pg(`, "write": true, "writeUser": "w", "writePassword": "secret"`) + `, ` + good + `}}`:           "writePassword must not stand in the file",
		`{"databases": {"x": ` + pg(`, "writeUser": "w", "writePassword": "${env:W}"`) + `, ` + good + `}}`:                        `mean nothing without "write"`,
		`{"databases": {` + good + `}, "database": {}}`:                                                                            `there is no key "database" here`,
	} {
		list, problems := sql.Parse([]byte(text))
		if len(problems) != 1 || !strings.Contains(problems[0].Error(), want) || len(list) != 1 || list[0].Name != "good" {
			t.Errorf("%s: %v, %v", text, problems, list)
		}
	}
	for text, want := range map[string]string{
		"": "not JSON", "[]": "it holds no object", `{"databases": []}`: "must be an object", `{"databases": {` + good + `, ` + good + `}}`: "twice", `{"databases": {"x": {"kind": "sqlite", "path": "/a", "path": "/b"}}}`: "twice",
	} {
		if list, problems := sql.Parse([]byte(text)); len(problems) != 1 || !strings.Contains(problems[0].Error(), want) || len(list) > 0 {
			t.Errorf("%s: %v", text, problems)
		}
	}
	var many []string
	for i := range 70 {
		many = append(many, fmt.Sprintf(`"d%d": {"kind": "sqlite", "path": "/x"}`, i))
	}
	if list, problems := sql.Parse([]byte(`{"databases": {` + strings.Join(many, ",") + `}}`)); len(list) != 64 || len(problems) != 1 {
		t.Errorf("%d, %v", len(list), problems)
	}
}

func TestRightsOfMySQL(t *testing.T) {
	for grant, want := range map[string]string{
		"GRANT USAGE ON *.* TO `reader`@`127.0.0.1` IDENTIFIED BY PASSWORD '*E1'": "",
		"GRANT SELECT ON `shop`.* TO `reader`@`%`":                                "",
		"GRANT SELECT, SHOW VIEW ON `shop`.* TO `reader`@`%`":                     "",
		"GRANT SELECT (`a`, `b`), SHOW VIEW ON `shop`.`t` TO `reader`@`%`":        "",
		"GRANT SELECT (`a`), INSERT (`b`) ON `shop`.`t` TO `reader`@`%`":          "INSERT",
		"GRANT SELECT, FILE ON *.* TO `reader`@`%`":                               "FILE",
		"GRANT ALL PRIVILEGES ON `shop`.* TO `owner`@`%`":                         "ALL PRIVILEGES",
		"GRANT SELECT ON `shop`.* TO `reader`@`%` WITH GRANT OPTION":              "GRANT OPTION",
		"GRANT EXECUTE ON FUNCTION `shop`.`f` TO `reader`@`%`":                    "EXECUTE",
		"GRANT PROXY ON ''@'%' TO 'root'@'localhost' WITH GRANT OPTION":           "GRANT OPTION",
		"GRANT `writer`@`%` TO `reader`@`%`":                                      "of a role",
		"GRANT `writer` TO `reader`@`%`":                                          "of a role",
		"GRANT CREATE TEMPORARY TABLES, SELECT ON `shop`.* TO `reader`@`%`":       "CREATE TEMPORARY TABLES",
		"SET DEFAULT ROLE `writer` FOR `reader`@`%`":                              "of a role",
		"": "of a role",
	} {
		if got := sql.BeyondReading(grant); got != want && (want != "of a role" || !strings.HasPrefix(got, want)) {
			t.Errorf("%s: %q", grant, got)
		}
	}
}
