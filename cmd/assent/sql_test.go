package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/sql"
	"github.com/assent-ls/assent/tools/sql/sqltest"
)

// TestDatabasesFromTheCommandLine: those of the user's file are listed and nothing starts; without a Toolbox one
// sentence says so.
func TestDatabasesFromTheCommandLine(t *testing.T) {
	s := newUser(t, "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	if out, notes, status := s.run("sql", "sources", "--folder", s.root); status != 0 || out != "" || !strings.Contains(notes, "no database is declared") {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	if _, notes, status := s.run("sql", "query", "--folder", s.root, "shop", "SELECT 1"); status != 1 || !strings.Contains(notes, "no database can be used here") {
		t.Errorf("status %d: %s", status, notes)
	}
	folder := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent")
	file := filepath.Join(t.TempDir(), "shop.db")
	text := fmt.Sprintf(`{"databases": {
  "shop": {"kind": "sqlite", "path": %q},
  "far": {"kind": "sqlite", "path": %q, "folders": ["/nowhere"]},
  "odd": {"kind": "oracle"}
}}`, file, file)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(folder, sql.File)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, notes, status := s.run("sql", "sources", "--folder", s.root)
	if status != 1 || !strings.Contains(out, "shop (sqlite, "+file+"): declared\n") || !strings.Contains(out, "not used in this folder, but in /nowhere") ||
		!strings.Contains(notes, `line 4, column 3: the database "odd" is left out: kind must be`) {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	for _, args := range [][]string{
		{"sql", "sources", "--folder", s.root, "--test", "shop"}, {"sql", "schema", "--folder", s.root, "shop"},
	} {
		if out, notes, status := s.run(args...); status != 1 || !strings.Contains(strings.ToLower(out+notes), "the mcp toolbox is not installed: it is a program by google") {
			t.Errorf("%q: status %d: %s%s", args, status, out, notes)
		}
	}
	if out, notes, status := s.run("sql", "query", "--folder", s.root, "shop", "SELECT 1"); status != 3 || !strings.Contains(notes, "there is no terminal to ask on") {
		t.Errorf("nothing is looked for before the question: status %d: %s%s", status, out, notes)
	}
	for args, want := range map[string]string{"sql sources none": `no source "none"`, "sql schema far": `no source "far" here`, "sql query far SELECT": `no source "far" here`} {
		if out, notes, status := s.run(append(strings.Fields(args), "--folder", s.root)...); status == 0 || !strings.Contains(out+notes, want) {
			t.Errorf("%s: status %d: %s%s", args, status, out, notes)
		}
	}
	if out, _, _ := s.run("tools", "list", "--folder", s.root); !strings.Contains(out, "sql_select") || !strings.Contains(out, "schema_search") {
		t.Error(out)
	}
	if err := os.Mkdir(filepath.Join(s.root, ".assent"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.file(".assent/settings.json", `{"databases": ["far", "evil"]}`)
	out, notes, status = s.run("sql", "sources", "--folder", s.root)
	if status != 1 || !strings.Contains(out, "shop (sqlite, "+file+"): not used in this folder, since the setting databases does not name it\n") ||
		!strings.Contains(notes, `the setting databases names "evil", and your file of databases declares none of this name`) {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	if out, _, _ := s.run("tools", "list", "--folder", s.root); strings.Contains(out, "sql_select") {
		t.Errorf("the workspace names no database that is used: %s", out)
	}
	_, notes, _ = s.run("sql", "sources", "--folder", s.root, "--databases", "shop")
	if !strings.Contains(notes, "databases: a workspace may only take away from it, and your own list is without evil, far.") {
		t.Error(notes)
	}
	if out, _, _ := s.run("doctor"); !strings.Contains(out, "MISSING  databases: 2 declared, but the MCP Toolbox is not installed") {
		t.Error(out)
	}
}

// TestDoctorRunsNoProgramOfTheFolder: neither one that PATH leads to in the current folder, nor any while no database
// is declared.
func TestDoctorRunsNoProgramOfTheFolder(t *testing.T) {
	s := newUser(t, "")
	t.Chdir(s.root)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	elsewhere := t.TempDir()
	for _, bin := range []string{filepath.Join(s.root, "bin"), elsewhere} {
		t.Setenv("PATH", bin)
		if err := os.MkdirAll(bin, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, "toolbox"), fmt.Appendf(nil, "#!/bin/sh\n: > %s\necho toolbox version 1.2.3\n", filepath.Join(s.root, "ran")), 0o700); err != nil { //nolint:gosec // it shall run
			t.Fatal(err)
		}
		if out, _, _ := s.run("doctor"); !strings.Contains(out, "databases: none declared") || s.exists("ran") {
			t.Errorf("it runs %s: %s", bin, out)
		}
	}
	folder := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, sql.File), []byte(`{"databases": {"shop": {"kind": "sqlite", "path": "/x.db"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(s.root, "bin"))
	if out, _, _ := s.run("doctor"); !strings.Contains(out, "lies in the workspace") || s.exists("ran") {
		t.Errorf("it runs the program of the folder: %s", out)
	}
	t.Setenv("PATH", elsewhere)
	if out, _, _ := s.run("doctor"); !strings.Contains(out, "1 declared; the MCP Toolbox 1.2.3") || !s.exists("ran") {
		t.Errorf("it does not run the user's own: %s", out)
	}
}

// TestAModelReadsADatabase: it finds tables and reads rows once a person allows it, and the chat shows them; without
// that nothing is read.
func TestAModelReadsADatabase(t *testing.T) {
	toolbox := os.Getenv("TOOLBOX")
	if toolbox == "" {
		t.Skip("NOT TESTED: a chat about a database through the real MCP Toolbox; TOOLBOX names none (.ci/databases sets it)")
	}
	file := filepath.Join(t.TempDir(), "company.db")
	if err := sqltest.NewSQLite(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	const query = `json {"tool":"sql_select","arguments":{"source":"company","query":"SELECT count(*) AS n FROM orders WHERE id <= 7"}}`
	for approved, want := range map[string]string{"schema_search,sql_select": "| 7 |", "schema_search": "not-run"} {
		s := newUser(t, "turn\njson {\"tool\":\"schema_search\",\"arguments\":{\"query\":\"orders\"}}\nturn\nexpect-last: orders: id\n"+query+"\nturn\nexpect-last: | 7 |\njson {\"answer\":\"Seven.\"}\n")
		folder := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, sql.File), fmt.Appendf(nil, `{"databases": {"company": {"kind": "sqlite", "path": %q}}}`, file), 0o600); err != nil {
			t.Fatal(err)
		}
		_, notes, status := s.run("run", "--folder", s.root, "--toolbox", toolbox, "--approve", approved, "How many of the first orders are there in the database?")
		_, text := s.chat()
		if !strings.Contains(text, want) || (status == 0) != (want == "| 7 |") {
			t.Errorf("%s: status %d: %s\n%s", approved, status, notes, text)
		}
	}
}

// TestRowsForPrograms: without a yes nothing is printed; with one all rows as CSV, or only the plan.
func TestRowsForPrograms(t *testing.T) {
	toolbox := os.Getenv("TOOLBOX")
	if toolbox == "" {
		t.Skip("NOT TESTED: rows as CSV through the real MCP Toolbox; TOOLBOX names none (.ci/databases sets it)")
	}
	file := filepath.Join(t.TempDir(), "company.db")
	if err := sqltest.NewSQLite(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	s := newUser(t, "")
	folder := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(sql.File, fmt.Sprintf(`{"databases": {"company": {"kind": "sqlite", "path": %q}}}`, file))
	write("settings.json", fmt.Sprintf(`{"toolbox": %q}`, toolbox))
	query := []string{"sql", "query", "--folder", s.root, "company", "SELECT id, '=1' || char(27) || char(8238) AS \"-x\", NULL AS n FROM orders WHERE id < 61 ORDER BY id"}
	if out, notes, status := s.run(append(query, "--csv")...); status != exitUnanswered || out != "" || !strings.Contains(notes, "this needs an answer") {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	write("permissions.json", `{"allow": [{"tool": "sql_select", "database": "company"}]}`)
	out, notes, status := s.run(append(query, "--csv")...)
	if lines := strings.Split(out, "\n"); status != 0 || notes != "" || len(lines) != 62 || lines[0] != "id,'-x,n" || lines[60] != "60,'=1<U+001B><U+202E>," {
		t.Errorf("status %d, %d lines: %q%s", status, len(lines), out, notes)
	}
	if out, notes, status := s.run(append(query, "--csv", "--limit", "2")...); status != 0 || strings.Count(out, "\n") != 3 || !strings.Contains(notes, "the first 2 rows. There are more") {
		t.Errorf("status %d: %q%s", status, out, notes)
	}
	if out, notes, status := s.run(append(query, "--explain")...); status != 0 || !strings.Contains(out, "SEARCH orders") || strings.Contains(out, "=1") {
		t.Errorf("status %d: %q%s", status, out, notes)
	}
}

// TestAChangeIsNotApprovedByFlag: what writes to a database runs by no --approve, and is there only for a database that
// says so.
func TestAChangeIsNotApprovedByFlag(t *testing.T) {
	const change = "turn\njson {\"tool\":\"sql_change\",\"arguments\":{\"source\":\"shop\",\"statement\":\"INSERT INTO t VALUES (1)\"}}\n"
	for write, want := range map[string]string{"true": "not-run", "false": "no tool sql_change"} {
		s := newUser(t, change)
		folder := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf(`{"databases": {"shop": {"kind": "sqlite", "path": "/x.db", "write": %s}}}`, write)
		if err := os.WriteFile(filepath.Join(folder, sql.File), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, _, _ := s.run("sql", "sources", "--folder", s.root)
		if said := strings.Contains(out, "shop (sqlite, /x.db; rows can be changed, each time after a yes): declared"); said != (write == "true") {
			t.Error(out)
		}
		_, notes, status := s.run("run", "--folder", s.root, "--toolbox", "/nowhere", "--approve", "sql_change", "Add 1 to the table t of the database shop.")
		if write == "false" {
			if status == 0 || !strings.Contains(notes, want) {
				t.Errorf("status %d: %s", status, notes)
			}
			continue
		}
		if _, text := s.chat(); status != 3 || !strings.Contains(text, want) || strings.Contains(text, "nowhere") {
			t.Errorf("status %d: %s\n%s", status, notes, text)
		}
	}
}
