package lsp_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/settings"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/sql"
	"github.com/assent-ls/assent/tools/workspace"
)

// databasesIn makes the sources of databases for a user who has no Toolbox.
func databasesIn(config string, state *workspace.State) func(*workspace.Workspace, func() settings.Settings) *sql.Source {
	return func(*workspace.Workspace, func() settings.Settings) *sql.Source {
		return sql.New(sql.Options{
			File: filepath.Join(config, sql.File), Toolbox: func() string { return "/nowhere/toolbox" }, State: state, Shell: shelltest.New(), Version: "test",
		})
	}
}

// TestADatabaseIsTestedWhereItStands: its file says what is wrong in it, and a code action on its line tests it.
func TestADatabaseIsTestedWhereItStands(t *testing.T) {
	l := newLab(t, "turn\nhang\n", lsptest.Options{}, nil)
	defer l.Leave()
	mine := l.inConfig(sql.File, "{\"databases\": {\n  \"shop\": {\"kind\": \"sqlite\", \"path\": \"/x.db\"},\n  \"crm\": {\"kind\": \"oracle\"}\n}}\n")
	l.Open(mine)
	l.waitDiagnosed(mine, `The database "crm" is left out: kind must be sqlite, postgres`)
	if d := l.Diagnostics(mine); len(d) != 1 || d[0].Range.Start.Line != 2 {
		t.Errorf("%+v", d)
	}
	if titles := l.Titles(mine, "shop"); !slices.Equal(titles, []string{"Test this connection: shop"}) {
		t.Errorf("the menu is %q", titles)
	}
	if said := l.hover(mine, "path"); !strings.Contains(said, "opened to be read only") {
		t.Errorf("the hover says %q", said)
	}
	l.must(l.Do(mine, "shop", "Test this connection"))
	l.WaitFor("the outcome", func() bool {
		return slices.ContainsFunc(l.Messages(), func(m string) bool {
			return strings.Contains(m, `The test of the database shop failed: the setting toolbox names "/nowhere/toolbox": there is no program.`)
		})
	})
	uri := "file://" + filepath.Join(l.Dir, mine)
	for want, argument := range map[string]map[string]any{
		"which database is meant":           {"uri": uri},
		"is no open file of your databases": {"uri": uri + "x", "name": "shop"},
	} {
		if _, err := l.Execute("assent.testDatabase", argument); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", argument, err)
		}
	}
}
