package configfiles_test

import (
	"testing"

	"github.com/assent-ls/assent/lsp/configfiles"
)

// The keys and values of a database are offered, also while the file is broken, and the one at a place is found.
func TestCompleteDatabases(t *testing.T) {
	for _, test := range []struct{ marked, choose, want string }{
		{`{‸}`, "databases", `{"databases": {}}`},
		{`{"databases": {"a": {‸}}}`, "kind", `{"databases": {"a": {"kind": ""}}}`},
		{`{"databases": {"a": {"kind": ‸`, `"postgres"`, `{"databases": {"a": {"kind": "postgres"`},
		{`{"databases": {"a": {"tls": ‸`, `"verify"`, `{"databases": {"a": {"tls": "verify"`},
		{`{"databases": {"a": {"kind": "sqlite", "fol‸`, "folders", `{"databases": {"a": {"kind": "sqlite", "folders": []`},
		{`{"databases": {‸}}`, "kind", "nothing"},
	} {
		if got := completed(t, configfiles.UserDatabases, test.marked, test.choose); got != test.want {
			t.Errorf("%s at %s:\ngot  %s\nwant %s", test.choose, test.marked, got, test.want)
		}
	}
	for marked, want := range map[string]string{
		"{\"databases\": {\n‸ \"a\": {},\n \"b\": {}\n}}": "a", "{\"databases\": {\"a\": {\"kind\": ‸": "a", "{\"other\": {\"a\": {‸}}}": "", "{\"databases\": [‸]}": "", "‸": "",
	} {
		text, offset := at(t, marked)
		if got, _ := configfiles.DatabaseAt(text, offset); got.Name != want {
			t.Errorf("%s: %q", marked, got.Name)
		}
	}
}
