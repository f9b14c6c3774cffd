package sql_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sql"
)

// TestAToolboxThatIsNotRight is told in a sentence, and nothing is read.
func TestAToolboxThatIsNotRight(t *testing.T) {
	for name, want := range map[string][]string{
		"old":      {"the MCP Toolbox 0.32.0", "works with version 1"},
		"other":    {"another program than the MCP Toolbox"},
		"refuses":  {"The database db cannot be opened: no entry with"},
		"breaks":   {"The Toolbox for the database db", "ended with status 9"},
		"writable": {"The database db is not used: it did not refuse a write"},
		"unclear":  {"not known whether it refuses a write", "disk I/O error"},
	} {
		t.Run(name, func(t *testing.T) {
			p := withFake(t, name)
			failed := p.query("db", "SELECT a FROM t")
			p.says(name, failed, append(want, "failed: ")...)
			answer := strings.TrimSpace(tools.Unfence(strings.TrimPrefix(failed, "failed: ")))
			if strings.Contains(answer, "\n") || strings.Contains(answer, "|") {
				t.Errorf("not one sentence: %s", answer)
			}
		})
	}
	for setting, want := range map[string]string{"/nowhere/toolbox": "there is no program", "toolbox": "must be a path"} {
		if _, err := sql.FindToolbox(setting, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", setting, err)
		}
	}
}

// TestWhereTheToolboxIs: in the cache folder, else on PATH, and never in the workspace.
func TestWhereTheToolboxIs(t *testing.T) {
	cache, bin, here := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Setenv("PATH", here+":"+bin)
	program := func(dir string) string {
		must(t, os.MkdirAll(dir, 0o700))
		path := filepath.Join(dir, "toolbox")
		must(t, os.WriteFile(path, []byte("#!/bin/sh\necho toolbox version 1.2.3+x\n"), 0o700)) //nolint:gosec // it shall run
		return path
	}
	program(here)
	if path, err := sql.FindToolbox("", here); err == nil || !strings.Contains(err.Error(), "in the workspace") {
		t.Errorf("the workspace's own %s is used: %v", path, err)
	}
	if path, err := sql.FindToolbox("", t.TempDir(), here); err == nil {
		t.Errorf("%s of another folder is used", path)
	}
	p := newPlace(t, "", map[string]any{"db": map[string]any{"kind": "sqlite", "path": "/x.db"}})
	if err := p.source.Test(t.Context(), "db", t.TempDir(), here); err == nil || !strings.Contains(err.Error(), "in the workspace") {
		t.Errorf("a test uses a program of an open folder: %v", err)
	}
	t.Setenv("PATH", bin)
	if _, err := sql.FindToolbox("", here); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Error(err)
	}
	first := program(bin)
	if path, err := sql.FindToolbox("", here); err != nil || path != first {
		t.Errorf("%s, %v", path, err)
	}
	folder, err := os.UserCacheDir()
	must(t, err)
	kept := program(filepath.Join(folder, "assent", "toolbox"))
	path, err := sql.FindToolbox("", here)
	if err != nil || path != kept {
		t.Errorf("%s, %v", path, err)
	}
	if version, err := sql.ToolboxVersion(t.Context(), network.New(false, nil), path); err != nil || version != "1.2.3+x" {
		t.Errorf("%s, %v", version, err)
	}
}

// TestAToolboxThatFails in a query fails that query alone, in one sentence.
func TestAToolboxThatFails(t *testing.T) {
	for name, want := range map[string]string{
		"dies":     "does not answer: the server ended during the call",
		"hangs":    "took longer than",
		"floods":   "more than 16 MB",
		"garbage":  "something that is no row",
		"infinite": "infinity",
	} {
		t.Run(name, func(t *testing.T) {
			p := withFake(t, name)
			if name == "hangs" {
				sql.Hurry(p.source, "db", 100*time.Millisecond)
			}
			p.says(name, p.query("db", "SELECT a FROM t"), "failed: ", want)
			p.says("the next one", p.call(sql.SchemaSearch, map[string]any{"query": ""}), "t: a text key")
		})
	}
}

// TestRowsAreShown as a table that says all that it leaves out.
func TestRowsAreShown(t *testing.T) {
	p := withFake(t, "odd")
	p.says("odd values", p.query("db", "SELECT * FROM t"), "| a | a | n | e | b | j | i | t |", `| x\\\|y⏎z | <U+202E><U+001B>[31m | NULL |  | true | {"k":[1,2]} | 9007199254740993 | NULL |`, "[1 row]", "written by others")
	p = withFake(t, "long")
	long := p.query("db", "SELECT * FROM t")
	p.says("long values", long, "The first ", "There are more", "values cut after 300 bytes")
	if len(long) > 14<<10 {
		t.Errorf("%d bytes", len(long))
	}
	p = withFake(t, "good")
	answer := p.call(sql.Select, map[string]any{"query": "SELECT a FROM t ORDER BY a", "limit": 2})
	p.says("what is sent", answer, "| SELECT a FROM t ORDER BY a LIMIT 3 |", "[The first 2 rows. There are more")
	if got := rows(answer); len(got) != 3 { // with the line below the head
		t.Errorf("%q", got)
	}
	p.says("another encoding", withFake(t, "latin1").query("db", "SELECT a FROM t"), "| caf\uFFFD |", "[1 row]")
	for _, limit := range []int{-1, 1001} {
		p.says("limit", p.refused(sql.Select, map[string]any{"query": "SELECT a FROM t", "limit": limit}), "Limit must be 1 to 1000")
	}
}

// TestTenThousandTables are read page by page, kept, and searched.
func TestTenThousandTables(t *testing.T) {
	p := withFake(t, "huge")
	start := time.Now()
	answer := p.call(sql.SchemaSearch, map[string]any{"query": "about 7654"})
	p.says("search", answer, "table_7654: column_0 text (about 7654)")
	t.Logf("%v to read", time.Since(start))
	start = time.Now()
	p.says("all", p.call(sql.SchemaSearch, map[string]any{"query": ""}), "9988 more tables fit, of 10000 in all")
	t.Logf("%v when it is known", time.Since(start))
	if len(answer) > 10<<10 {
		t.Errorf("%d bytes", len(answer))
	}
}

// TestWhoMayBeAsked: rules name databases, and nothing is read of one that a rule denies.
func TestWhoMayBeAsked(t *testing.T) {
	p := withFake(t, "good")
	d, asked := p.prepare(sql.Select, map[string]any{"query": "SELECT a FROM t"})
	if asked.Decision.Verdict != policy.Ask || len(asked.Decision.Offers) != 2 || asked.Decision.Offers[0].Title != "Allow sql_select on db in this chat" {
		t.Fatalf("%+v", asked.Decision)
	}
	must(t, d.Accept(asked, asked.Decision.Offers[0], ""))
	if _, again := p.prepare(sql.Select, map[string]any{"query": "SELECT b FROM t"}); again.Decision.Verdict != policy.Run {
		t.Errorf("%+v", again.Decision)
	}
	if _, other := p.prepare(sql.SchemaSearch, map[string]any{"query": ""}); other.Decision.Verdict != policy.Ask {
		t.Errorf("%+v", other.Decision)
	}
	file := filepath.Join(t.TempDir(), "permissions.json")
	must(t, os.WriteFile(file, []byte(`{"deny": [{"database": "db"}]}`), 0o600))
	p.policy.UseFiles(file, func(string, string, []byte) (bool, string) { return false, "" })
	for _, query := range []string{"SELECT b FROM t", "SELECT b FROM secrets"} {
		denied := p.refusedQuery("db", query)
		p.says("denied", denied, "Refused")
		if strings.Contains(denied, "no such table") {
			t.Errorf("the database's own words reach a call that is denied: %s", denied)
		}
	}
}

// TestWhichDatabasesCount: by their folders, and by a file without faults.
func TestWhichDatabasesCount(t *testing.T) {
	p := withFake(t, "good")
	file := filepath.Join(t.TempDir(), "x.db")
	must(t, os.WriteFile(file, nil, 0o600))
	one := func(folders ...string) map[string]any {
		return map[string]any{"kind": "sqlite", "path": file, "folders": folders}
	}
	inside := filepath.Dir(p.ws.Root())
	p.declares(map[string]any{"here": one(p.ws.Root()), "above": one(t.TempDir(), inside), "elsewhere": one(t.TempDir()), "nowhere": one("/nowhere")})
	spec, ok := p.dispatcher().Registry().Named(sql.Select)
	if !ok || !strings.HasSuffix(spec.Description, "Sources: above (sqlite), here (sqlite).") {
		t.Errorf("%q", spec.Description)
	}
	if !strings.Contains(string(spec.Parameters), `"source":{"enum":["above","here"],"type":"string"`) || arguments.CheckSchema(spec.Parameters) != nil {
		t.Errorf("%s", spec.Parameters)
	}
	p.says("elsewhere", p.refusedQuery("elsewhere", "SELECT a FROM t"), `There is no source "elsewhere" here; there are above, here`)
	p.says("none named", p.refusedQuery("", "SELECT a FROM t"), "Name a source: above, here")
	p.says("here", p.query("here", "SELECT a FROM t"), "[3 rows]")
	must(t, os.WriteFile(p.file, []byte(`{"databases": {"here": {"ki`), 0o600))
	r, err := p.sources.Now(t.Context())
	if spec, ok := r.Named(sql.Select); err == nil || !ok || !strings.HasSuffix(spec.Description, "Sources: above (sqlite), here (sqlite).") {
		t.Errorf("while the file is written: %q, %v", spec.Description, err)
	}
	p.declares(map[string]any{})
	if _, ok := p.dispatcher().Registry().Named(sql.Select); ok {
		t.Error("there is a tool without a database")
	}
}

// TestASettingNamesDatabases: it chooses among those that are declared for the folder, and a name that is not is told.
func TestASettingNamesDatabases(t *testing.T) {
	p := withFake(t, "good")
	file := filepath.Join(t.TempDir(), "x.db")
	must(t, os.WriteFile(file, nil, 0o600))
	p.declares(map[string]any{
		"a": map[string]any{"kind": "sqlite", "path": file}, "b": map[string]any{"kind": "sqlite", "path": file},
		"far": map[string]any{"kind": "sqlite", "path": file, "folders": []string{"/nowhere"}},
	})
	for name, c := range map[string]struct {
		names         []string
		limited       bool
		offered, said string
	}{
		"all":         {offered: "a, b"},
		"one":         {names: []string{"b"}, limited: true, offered: "b"},
		"one far":     {names: []string{"a", "far"}, limited: true, offered: "a"},
		"far alone":   {names: []string{"far"}, limited: true},
		"an unknown":  {names: []string{"a", "evil"}, limited: true, offered: "a", said: `names "evil"`},
		"all unknown": {names: []string{"A", "evil\u202e"}, limited: true, said: `names "A"`},
		"none":        {limited: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := p.naming(t, func() ([]string, bool) { return c.names, c.limited })
			r, err := p.sources.Now(t.Context())
			if (err != nil) != (c.said != "") || err != nil && (!strings.Contains(err.Error(), c.said) || strings.Contains(err.Error(), "\u202e")) {
				t.Errorf("it is said: %v", err)
			}
			spec, ok := r.Named(sql.Select)
			if ok != (c.offered != "") || ok && !strings.HasSuffix(spec.Description, "Sources: "+strings.ReplaceAll(c.offered, ",", " (sqlite),")+" (sqlite).") {
				t.Errorf("offered: %q", spec.Description)
			}
			if ok && c.limited {
				p.says("another", p.refusedQuery("far", "SELECT a FROM t"), `There is no source "far" here`)
			}
		})
	}
}

// TestNothingStartsUnasked: neither listing the tools, nor a statement that is refused by its words, nor a question
// starts the Toolbox.
func TestNothingStartsUnasked(t *testing.T) {
	p := withFake(t, "good")
	p.dispatcher()
	p.says("a write", p.refusedQuery("db", "DELETE FROM t"), "Only statements that read")
	p.says("two", p.refusedQuery("db", "SELECT 1; SELECT 2"), "two statements")
	for _, query := range []string{"SELECT a FROM t", "SELECT a FROM nowhere", "SELECT FROM WHERE", "EXPLAIN QUERY PLAN SELECT a FROM t", "SELECT json((SELECT a FROM t))"} {
		d, asked := p.prepare(sql.Select, map[string]any{"query": query})
		if asked.Answered != nil || asked.Decision.Verdict != policy.Ask {
			t.Errorf("%s is answered without a question: %+v", query, asked.Answered)
		}
		if r, err := d.Execute(t.Context(), asked, nil); !errors.Is(err, tools.ErrNotApproved) {
			t.Errorf("%s runs unasked: %q, %v", query, r.Text(), err)
		}
	}
	p.prepare(sql.SchemaSearch, map[string]any{"query": "t"})
	for _, folder := range []string{"servers", "databases"} {
		if entries, err := os.ReadDir(filepath.Join(p.state, folder)); err == nil {
			t.Errorf("it was started: %v", entries)
		}
	}
	p.query("db", "SELECT a FROM t")
	must(t, p.source.Close())
	if _, err := os.ReadDir(filepath.Join(p.state, "servers")); err != nil {
		t.Errorf("the test sees no start: %v", err)
	}
}

// TestNoSecretIsShown: a password is in no error, no log and no configuration.
func TestNoSecretIsShown(t *testing.T) {
	t.Setenv("DATABASE_PASSWORD", `pass"word: #1`)
	p := newPlace(t, fake(t, "refuses"), map[string]any{"db": account(1, "postgres", "reader")})
	answer := p.query("db", "SELECT a FROM t")
	p.says("the answer", answer, "no entry with [secret]")
	must(t, p.source.Close())
	must(t, filepath.WalkDir(p.state, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "pass") && strings.Contains(string(data), "#1") {
			t.Errorf("%s has the password", path)
		}
		return err
	}))
	t.Setenv("DATABASE_PASSWORD", "")
	must(t, os.Unsetenv("DATABASE_PASSWORD"))
	p = newPlace(t, fake(t, "good"), map[string]any{"db": account(1, "postgres", "reader")})
	p.says("no variable", p.query("db", "SELECT a FROM t"), "The database db cannot be used: the environment variable DATABASE_PASSWORD, which password refers to, is not set")
}

// TestWhatIsKeptOfASchema: it is read once, and anew when a name is missing.
func TestWhatIsKeptOfASchema(t *testing.T) {
	p := withFake(t, "good")
	if text, ok := p.source.Known("db"); ok {
		t.Errorf("known before it was read: %s", text)
	}
	p.says("first", p.call(sql.SchemaSearch, map[string]any{"query": ""}), "read just now", "t: a text key")
	kept, err := filepath.Glob(filepath.Join(p.state, "databases", "db-*.json"))
	if err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	old := fmt.Sprintf(`{"read":%q,"tables":[{"name":"former","columns":[{"name":"x","type":"INT"}]}]}`, time.Now().Add(-50*time.Hour).Format(time.RFC3339))
	must(t, os.WriteFile(kept[0], []byte(old), 0o600))
	known, _ := p.source.Known("db")
	p.says("known", known, "read 2 days ago", "former: x int")
	p.says("kept", p.call(sql.SchemaSearch, map[string]any{"query": ""}), "read 2 days ago", "former: x int")
	p.says("a missing name", p.query("db", "SELECT a FROM nowhere"), "no such table")
	p.says("after it", p.call(sql.SchemaSearch, map[string]any{"query": ""}), "read just now", "t: a text key")
	must(t, os.WriteFile(kept[0], []byte(`{"read": oops`), 0o600))
	p.says("broken", p.call(sql.SchemaSearch, map[string]any{"query": ""}), "t: a text key")
}

// TestAQueryThatIsStopped leaves a Toolbox that answers the next one.
func TestAQueryThatIsStopped(t *testing.T) {
	p := withFake(t, "hangs")
	d, prepared := p.prepare(sql.Select, map[string]any{"query": "SELECT a FROM t"})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(500*time.Millisecond, cancel)
	p.says("stopped", text(d.Execute(ctx, prepared.Approved(), nil)), "Stopped by the user")
	start := time.Now()
	p.says("the next one", p.call(sql.SchemaSearch, map[string]any{"query": ""}), "t: a text key")
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
