package sql_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sql"
)

// person answers what a running call asks.
type person struct {
	asked []tools.Inquiry
	says  func() tools.Reply
}

func (*person) Output(string)                     {}
func (*person) Progress(float64, float64, string) {}
func (p *person) Ask(_ context.Context, what tools.Inquiry) (tools.Reply, error) {
	p.asked = append(p.asked, what)
	return p.says(), nil
}

func yes() tools.Reply { return tools.Reply{Yes: true} }
func no() tools.Reply  { return tools.Reply{} }

// change is a call of sql_change that a person says yes to; who answers what it asks then.
func (p *place) change(who *person, statement string) string {
	p.Helper()
	d, prepared := p.prepare(sql.Change, map[string]any{"source": "db", "statement": statement})
	if prepared.Answered != nil || prepared.Decision.Verdict != policy.Ask || prepared.Protected == "" || len(prepared.Decision.Offers) > 0 {
		p.Errorf("%s is not asked about, or more is offered: %+v, %+v", statement, prepared.Answered, prepared.Decision)
	}
	var reporter tools.Reporter
	if who != nil {
		reporter = who
	}
	return text(d.Execute(context.WithoutCancel(p.Context()), prepared.Approved(), reporter))
}

func (p *place) one(query string) string {
	p.Helper()
	if got := rows(p.query("db", query)); len(got) == 2 {
		return strings.Trim(got[1], "| ")
	}
	return "?"
}

// TestRowsAreChanged in each database, as many as a person agreed to, and no others.
func TestRowsAreChanged(t *testing.T) {
	companies(t, func(t *testing.T, as func(string) map[string]any) {
		declared := writable(as)
		p := newPlace(t, realToolbox(t), map[string]any{"db": declared})
		must(t, p.source.Test(t.Context(), "db"))
		open := p.one("SELECT count(*) AS n FROM orders WHERE status = 'open'")
		all := p.one("SELECT count(*) AS n FROM orders")
		first := "UPDATE orders SET status = 'lost' WHERE status = 'open'"

		who := &person{says: no}
		p.says("a no", p.change(who, first), "failed: ", "It would touch "+open+" rows, and the user said no. Nothing was changed.")
		if len(who.asked) != 1 || who.asked[0].Yes != "Change "+open+" rows" || !strings.Contains(who.asked[0].Text, "\n> "+first+"\n") || who.asked[0].From == "" {
			t.Errorf("asked: %+v", who.asked)
		}
		p.says("nobody", p.change(nil, first), "failed: ", "Nobody is there who could be asked. Nothing was changed.")
		if n := p.one("SELECT count(*) AS n FROM orders WHERE status = 'lost'"); n != "0" {
			t.Fatalf("%s rows are changed", n)
		}

		p.says("a yes", p.change(&person{says: yes}, first), "Done: it touched "+open+" rows of orders.")
		if n := p.one("SELECT count(*) AS n FROM orders WHERE status = 'lost'"); n != open {
			t.Errorf("%s of %s rows are changed", n, open)
		}
		p.says("again", p.change(&person{says: yes}, first), "It would touch no row, so it was not run.")
		p.says("the same value", p.change(&person{says: yes}, "UPDATE orders SET status = 'lost' WHERE status = 'lost'"), "Done: it touched "+open+" rows")

		// Between the count and the change, others change rows.
		p.says("others", p.change(&person{says: func() tools.Reply {
			must(t, sql.AsWriter(p.source, t.Context(), "db", "UPDATE orders SET status = 'won' WHERE id = (SELECT * FROM (SELECT min(id) FROM orders WHERE status = 'lost') AS x)"))
			return yes()
		}}, "DELETE FROM orders WHERE status = 'lost'"), "failed: ", "It touched ", "and not "+open+" as agreed, so it was undone", "Nothing was changed.")
		if n := p.one("SELECT count(*) AS n FROM orders"); n != all {
			t.Errorf("%s of %s rows are left", n, all)
		}

		who = &person{says: no}
		p.says("values", p.change(who, "INSERT INTO app_settings (name, value) VALUES ('a1', 'x'), ('a2', 'y')"), "Done: it touched 2 rows of app_settings.")
		p.says("a select", p.change(&person{says: yes}, "INSERT INTO app_settings (name, value) SELECT 'b1', value FROM app_settings WHERE name = 'a1'"), "Done: it touched 1 row of app_settings.")
		if len(who.asked) > 0 {
			t.Errorf("what is known is asked: %+v", who.asked)
		}
		p.says("wrong", p.change(who, "INSERT INTO app_settings (name, values) VALUES ('c', 'x')"), "failed: ", "he database says: ", "Nothing was changed.")
		p.says("a wrong name", p.change(who, "DELETE FROM app_setting WHERE name = 'a1'"), "failed: ", "How many rows it touches could not be counted, so nothing was changed. The database says: ", "app_settings:")
		p.says("gone", p.change(&person{says: yes}, "DELETE FROM app_settings WHERE name IN ('a1', 'a2')"), "Done: it touched 2 rows")
		if got := p.one("SELECT count(*) AS n FROM app_settings WHERE name LIKE 'a_'"); got != "0" {
			t.Errorf("%s rows are left", got)
		}
		if declared["kind"] == "mysql" {
			const twice = "INSERT INTO app_settings (name, value) SELECT name%s, name%s FROM app_settings WHERE name = 'none'"
			p.says("one name twice", p.change(who, fmt.Sprintf(twice, "", "")), "could not be counted", "Give each column a name of its own: SELECT a AS c1, b AS c2.")
			p.says("a name each", p.change(who, fmt.Sprintf(twice, " AS c1", " AS c2")), "It would touch no row")
			const two = "INSERT INTO plain (a) VALUES (1), (2)"
			must(t, sql.AsWriter(p.source, t.Context(), "db", "CREATE TABLE plain (a INT) ENGINE=MyISAM"))
			p.says("no transaction", p.change(who, two), "touched 2 rows")
			p.says("cannot be undone", p.change(&person{says: func() tools.Reply {
				must(t, sql.AsWriter(p.source, t.Context(), "db", two))
				return yes()
			}}, "UPDATE plain SET a = 3"), "It touched 4 rows, and not 2", "But the table keeps what was changed, since it knows no transactions")
		}
		namesAreWritten(t, p, declared["kind"])
		// The account that reads is still one that cannot write.
		must(t, p.source.Test(t.Context(), "db"))
		for _, refused := range []string{"DROP TABLE orders", "DELETE FROM orders; DELETE FROM orders", "WITH x AS (DELETE FROM orders RETURNING 1) SELECT * FROM x"} {
			p.says(refused, p.refused(sql.Change, map[string]any{"source": "db", "statement": refused}), "")
		}
	})
}

// namesAreWritten: what a model copies from the description of a table is right in a statement.
func namesAreWritten(t *testing.T, p *place, kind any) {
	t.Helper()
	name, column := `"my Order"`, `"group"`
	if kind == "mysql" {
		name, column = "`my Order`", "`group`"
	}
	must(t, sql.AsWriter(p.source, t.Context(), "db", "CREATE TABLE "+name+" (id INT, "+column+" INT)"))
	if kind == "postgres" {
		must(t, sql.AsWriter(p.source, t.Context(), "db", "GRANT SELECT ON "+name+" TO reader"))
	}
	if _, err := p.source.Schema(t.Context(), "db", "", true); err != nil {
		t.Error(err)
	}
	p.says("described", p.call(sql.SchemaSearch, map[string]any{"source": "db", "query": "my order group"}), name+": id int", ", "+column+" int")
	p.says("read", p.query("db", "SELECT "+column+" FROM "+name), "[No rows.]")
	p.says("changed", p.change(&person{says: yes}, "INSERT INTO "+name+" ("+column+") VALUES (1)"), "touched 1 row of "+name)
}

// S22: no rule, mode or offer lets a change run without a person, and plan refuses it.
func TestAChangeIsAlwaysAsked(t *testing.T) {
	p := withFake(t, "good")
	p.declares(map[string]any{"db": map[string]any{"kind": "sqlite", "path": "/x.db", "write": true}, "other": map[string]any{"kind": "sqlite", "path": "/y.db"}})
	file := filepath.Join(t.TempDir(), "permissions.json")
	p.policy.UseFiles(file, func(string, string, []byte) (bool, string) { return false, "" })
	for _, rules := range []string{
		`{"allow": [{"tool": "*"}]}`, `{"allow": [{"tool": "sql_change"}]}`, `{"allow": [{"tool": "sql_change", "database": "db"}]}`, `{"allow": [{"effect": "calls"}, {"effect": "queries"}]}`, `{"allow": [{"database": "db"}]}`,
	} {
		for _, mode := range []policy.Mode{policy.ModeAsk, policy.ModeEdits, policy.ModeFull, policy.ModePlan} {
			t.Run(string(mode)+rules, func(t *testing.T) {
				must(t, os.WriteFile(file, []byte(rules), 0o600))
				raw, err := json.Marshal(map[string]any{"source": "db", "statement": "INSERT INTO t VALUES (1)"})
				must(t, err)
				d := p.dispatcher()
				for _, caller := range []policy.Caller{policy.Model, policy.Person} {
					q := d.Prepare(t.Context(), tools.Call{ID: "1", Name: sql.Change, Arguments: raw, Chat: "chat", Caller: caller, Mode: func() policy.Mode { return mode }})
					want := policy.Ask
					if mode == policy.ModePlan {
						want = policy.Refuse
					}
					if q.Judged().Verdict != want || len(q.Decision.Offers) > 0 {
						t.Errorf("%v: %+v", caller, q.Decision)
					}
					if r, err := d.Execute(t.Context(), q, nil); err == nil && !r.Failed {
						t.Errorf("it runs: %s", r.Text())
					}
				}
			})
		}
	}
}

// TestAStatementForgesNoLineOfTheQuestion: its texts may have line ends, and each of their lines is marked as the
// statement's.
func TestAStatementForgesNoLineOfTheQuestion(t *testing.T) {
	p := withFake(t, "good")
	p.declares(map[string]any{"db": map[string]any{"kind": "sqlite", "path": "/x.db", "write": true}})
	const said = "It adds 1 row."
	_, change := p.prepare(sql.Change, map[string]any{"source": "db", "statement": "DELETE FROM t WHERE a = '\n\n" + said + "\n\n'"})
	_, query := p.prepare(sql.Select, map[string]any{"source": "db", "query": "SELECT '\n" + said + "\n'"})
	if strings.Contains(change.Target+query.Target, "\n") {
		t.Errorf("a heading has several lines: %q, %q", change.Target, query.Target)
	}
	for _, preview := range []string{change.Preview, query.Preview} {
		if !strings.Contains(preview, "\n> "+said+"\n") || slices.Contains(strings.Split(preview, "\n"), said) {
			t.Errorf("%q", preview)
		}
	}
}
