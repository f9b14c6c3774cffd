package lsp_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/sql"
	"github.com/assent-ls/assent/tools/sql/sqltest"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// databasesIn makes the sources of databases for a user who has no Toolbox but the one that the settings name.
func databasesIn(config string, state *userstate.State) func(*workspace.Workspace, func() settings.Settings) *sql.Source {
	return func(_ *workspace.Workspace, now func() settings.Settings) *sql.Source {
		only := func() ([]string, bool) {
			if names := now().Databases; names != nil {
				return names.All(), true
			}
			return nil, false
		}
		return sql.New(sql.Options{
			Only: only,
			File: filepath.Join(config, sql.File), Toolbox: func() string { return cmp.Or(now().Toolbox, "/nowhere/toolbox") }, State: state, Shell: shelltest.New(), Version: "test",
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

// rowsChat has the result of a query, of which it shows one row.
const rowsChat = "## You\n\nWho?\n\n## Assistant\n\n```tool sql_select c1\nsource: company\nquery: SELECT id FROM orders ORDER BY id\nlimit: 1\n```\n\n" +
	"```result c1 ok\n| id |\n| --- |\n| 1 |\n```\n\nOne.\n\n## You\n\n"

// TestOpenAllRowsAsks: a menu asks no database, and neither does the command without a yes.
func TestOpenAllRowsAsks(t *testing.T) {
	l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{chat: rowsChat})
	defer l.Leave()
	l.inConfig(sql.File, `{"databases": {"company": {"kind": "sqlite", "path": "/x.db"}}}`)
	l.Open(chat)
	if titles := l.Titles(chat, "| 1 |"); !slices.Contains(titles, "Open all rows") || slices.Contains(l.Titles(chat, "Who?"), "Open all rows") {
		t.Errorf("the menu is %q", titles)
	}
	if len(l.Messages()) > 0 {
		t.Errorf("to look at the menu did something: %q", l.Messages())
	}
	l.must(l.Do(chat, "| 1 |", "Open all rows"))
	l.WaitFor("the question", func() bool {
		return slices.ContainsFunc(l.Messages(), func(m string) bool { return strings.Contains(m, "The database is asked once you approve it") })
	})
	for want, argument := range map[string]map[string]any{"which rows are meant": {}, `no call "c9"`: {"id": "c9"}} {
		if _, err := l.Execute("assent.openRows", argument); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", argument, err)
		}
	}
}

// TestAllRowsAreOpened: once a person says yes, all rows of the very statement are in a file of their own, and the
// chat is as it was.
func TestAllRowsAreOpened(t *testing.T) {
	toolbox := os.Getenv("TOOLBOX")
	if toolbox == "" {
		t.Skip("NOT TESTED: all rows of a result through the real MCP Toolbox; TOOLBOX names none (.ci/databases sets it)")
	}
	file := filepath.Join(t.TempDir(), "company.db")
	if err := sqltest.NewSQLite(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	config := t.TempDir()
	for name, text := range map[string]string{
		"settings.json": fmt.Sprintf(`{"toolbox": %q}`, toolbox), sql.File: fmt.Sprintf(`{"databases": {"company": {"kind": "sqlite", "path": %q}}}`, file),
	} {
		if err := os.WriteFile(filepath.Join(config, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := newLabOf(t, config, "turn\nhang\n", lsptest.Options{}, map[string]string{chat: rowsChat})
	defer l.Leave()
	l.Open(chat)
	l.must(l.Do(chat, "| 1 |", "Open all rows"))
	tables := filepath.Join(l.state.Dir(), "tables")
	approve := "Approve once: query company: SELECT id FROM orders ORDER BY id"
	l.WaitFor("the question", func() bool { return slices.Contains(l.Titles(chat, "| 1 |"), approve) })
	if _, err := os.Stat(tables); err == nil {
		t.Error("rows are there before the yes")
	}
	l.must(l.Do(chat, "| 1 |", approve))
	var found []os.DirEntry
	l.WaitFor("the file", func() bool {
		found, _ = os.ReadDir(tables)
		return len(found) == 1 && strings.HasSuffix(found[0].Name(), ".csv")
	})
	info, err := found[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v: %v", err, info.Mode())
	}
	data, err := os.ReadFile(filepath.Join(tables, found[0].Name()))
	if lines := strings.Split(string(data), "\r\n"); err != nil || len(lines) < 52 || lines[0] != "id" || lines[1] != "1" {
		t.Errorf("%v: %d lines: %.200s", err, len(lines), data)
	}
	if l.Text(chat) != rowsChat {
		t.Errorf("the chat is now\n%s", l.Text(chat))
	}
	if titles := l.Titles(chat, "| 1 |"); slices.Contains(titles, approve) {
		t.Errorf("the question is still there: %q", titles)
	}
}

// TestDatabasesAreShown on a page without a start, and the outline of a chat names the one that a call was about.
func TestDatabasesAreShown(t *testing.T) {
	l := newLab(t, "turn\njson {\"tool\":\"sql_select\",\"arguments\":{\"source\":\"shop\",\"query\":\"SELECT 1\"}}\nturn\nhang\n", lsptest.Options{},
		map[string]string{"ask.chat.md": "---\ntools: [sql_select]\n---\n\n## You\n\nAsk the shop.\n"})
	defer l.Leave()
	l.inConfig(sql.File, `{"databases": {"shop": {"kind": "sqlite", "path": "/x.db"}, "crm": {"kind": "sqlite", "path": "/y.db", "folders": ["/elsewhere"]}, "bad": {"kind": "oracle"}}}`)
	_, err := l.Execute("assent.showDatabases")
	l.must(err)
	shown := l.Shown()
	page, err := os.ReadFile(strings.TrimPrefix(string(shown[len(shown)-1].URI), "file://"))
	l.must(err)
	for _, want := range []string{"**shop**, sqlite, /x.db: its tables were not read yet", "**crm**, sqlite, /y.db: not used in this folder, but in /elsewhere", `"bad" is left out`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	l.Open("ask.chat.md")
	l.must(l.Do("ask.chat.md", "Ask the shop", "Send"))
	l.WaitText("ask.chat.md", "query: SELECT 1\n```")
	var turns []protocol.DocumentSymbol
	l.Ask("textDocument/documentSymbol", "ask.chat.md", "", &turns)
	if !slices.ContainsFunc(turns[1].Children, func(p protocol.DocumentSymbol) bool { return p.Name == "sql_select" && p.Detail == "c1, database shop" }) {
		t.Errorf("%+v", turns[1].Children)
	}
}

// TestAWorkspaceNamesDatabases in its settings file, which completes those that the user declares and marks others; it
// can only leave some out.
func TestAWorkspaceNamesDatabases(t *testing.T) {
	const theirs = ".assent/settings.json"
	l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{theirs: "{\n  \"databases\": [\n    \"crm\",\n    \"evil\"\n  ]\n}\n"})
	defer l.Leave()
	l.inConfig(sql.File, `{"databases": {"shop": {"kind": "sqlite", "path": "/x.db"}, "crm": {"kind": "sqlite", "path": "/y.db"}}}`)
	l.Open(theirs)
	l.waitDiagnosed(theirs, `Your file of databases declares no database "evil"`)
	if d := l.Diagnostics(theirs); len(d) != 1 || d[0].Range.Start.Line != 3 || d[0].Severity != protocol.DiagnosticSeverityWarning {
		t.Errorf("%+v", d)
	}
	var list protocol.CompletionList
	at := map[string]any{"textDocument": map[string]any{"uri": "file://" + filepath.Join(l.Dir, theirs)}, "position": protocol.Position{Line: 2, Character: 6}}
	l.must(l.Editor.Call("textDocument/completion", at, &list))
	var labels []string
	for _, item := range list.Items {
		labels = append(labels, item.Label)
	}
	if !slices.Equal(labels, []string{`"shop"`, `"crm"`}) {
		t.Errorf("offered: %q", labels)
	}
	if said := l.hover(theirs, "databases"); !strings.Contains(said, "The only databases of yours") {
		t.Errorf("the hover says %q", said)
	}
	_, err := l.Execute("assent.showDatabases")
	l.must(err)
	for _, want := range []string{"**shop**, sqlite, /x.db: not used in this folder, since the setting databases does not name it", "**crm**, sqlite, /y.db: its tables", `names "evil"`} {
		if page := l.shownText(); !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	mine := l.inConfig("settings.json", `{"databases": ["shop"]}`)
	l.Open(mine)
	l.Save(mine)
	l.waitDiagnosed(theirs, "a workspace may only take away from it, and your own list is without crm, evil")
}

// TestRowsAreChangedFromAChat: a model's statement is asked about, and then the number of its rows; nothing more is
// offered, and nothing changes before both are answered.
func TestRowsAreChangedFromAChat(t *testing.T) {
	toolbox := os.Getenv("TOOLBOX")
	if toolbox == "" {
		t.Skip("NOT TESTED: a change of rows through the real MCP Toolbox; TOOLBOX names none (.ci/databases sets it)")
	}
	file := filepath.Join(t.TempDir(), "company.db")
	if err := sqltest.NewSQLite(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	config := t.TempDir()
	for name, text := range map[string]string{
		"settings.json": fmt.Sprintf(`{"toolbox": %q, "mode": "full"}`, toolbox), "permissions.json": `{"allow": [{"tool": "sql_change"}, {"tool": "*"}]}`,
		sql.File: fmt.Sprintf(`{"databases": {"company": {"kind": "sqlite", "path": %q, "write": true}}}`, file),
	} {
		if err := os.WriteFile(filepath.Join(config, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const statement = "UPDATE orders SET status = 'x' WHERE id <= 3"
	l := newLabOf(t, config, fmt.Sprintf("turn\njson {\"tool\":\"sql_change\",\"arguments\":{\"source\":\"company\",\"statement\":%q}}\nturn\nexpect-last: Done: it touched 3 rows of orders.\njson {\"answer\":\"Changed.\"}\n", statement),
		lsptest.Options{}, map[string]string{chat: "---\ntools: [sql_change]\n---\n\n## You\n\nSet the first three orders to x.\n"})
	defer l.Leave()
	before, err := os.ReadFile(file)
	l.must(err)
	l.Open(chat)
	l.must(l.Do(chat, "Set the first", "Send"))
	l.WaitText(chat, "statement: ")
	var titles []string
	l.WaitFor("the first question", func() bool {
		titles = l.Titles(chat, "statement: ")
		return slices.ContainsFunc(titles, func(s string) bool { return strings.HasPrefix(s, "Approve once") })
	})
	if slices.ContainsFunc(titles, func(s string) bool { return strings.Contains(s, "llow") || strings.Contains(s, "lways") }) {
		t.Errorf("more than once is offered: %q", titles)
	}
	l.must(l.Do(chat, "statement: ", titles[slices.IndexFunc(titles, func(s string) bool { return strings.HasPrefix(s, "Approve once") })]))
	l.WaitText(chat, "This touches 3 rows of orders in company")
	if now, err := os.ReadFile(file); err != nil || string(now) != string(before) {
		t.Errorf("the file is another one before the second yes: %v", err)
	}
	l.WaitFor("the second question", func() bool { return slices.Contains(l.Titles(chat, "statement: "), "Change 3 rows") })
	l.must(l.Do(chat, "statement: ", "Change 3 rows"))
	l.WaitText(chat, "Changed.")
	if now, err := os.ReadFile(file); err != nil || string(now) == string(before) {
		t.Errorf("nothing was changed: %v\n%s", err, l.Text(chat))
	}
}
