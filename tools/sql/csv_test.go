package sql_test

import (
	"context"
	encoding "encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sql"
)

// whole makes a call whose result is wanted in full.
func (p *place) whole(caller policy.Caller, arguments map[string]any) (tools.Prepared, tools.Result) {
	p.Helper()
	raw, err := json.Marshal(arguments)
	must(p.T, err)
	d := p.dispatcher()
	prepared := d.Prepare(p.Context(), tools.Call{ID: "1", Name: sql.Select, Arguments: raw, Caller: caller, Whole: true})
	if prepared.Answered == nil && prepared.Decision.Verdict != policy.Ask {
		p.Errorf("%v runs without a question", arguments)
	}
	result, err := d.Execute(context.WithoutCancel(p.Context()), prepared.Approved(), nil)
	must(p.T, err)
	return prepared, result
}

// TestAllRows: a person gets all rows of a statement as CSV, up to a bound that is told; nobody else does.
func TestAllRows(t *testing.T) {
	p := withFake(t, "many")
	query := map[string]any{"source": "db", "query": "SELECT a FROM t"}
	prepared, result := p.whole(policy.Person, query)
	p.says("the question", prepared.Preview, "SELECT a FROM t", "up to 10000 rows as CSV")
	if result.Whole == nil {
		t.Fatalf("there is nothing but %s", result.Text())
	}
	p.says("the notice", result.Whole.Notice, "the first 10000 rows. There are more")
	rows, err := encoding.NewReader(strings.NewReader(result.Whole.CSV)).ReadAll()
	if err != nil || len(rows) != 10_001 || rows[10_000][0] != "9999" || !strings.HasPrefix(result.Whole.CSV, "a,b\r\n0,x\r\n") {
		t.Errorf("%v: %d rows: %.100s", err, len(rows), result.Whole.CSV)
	}
	for _, caller := range []policy.Caller{policy.Model, policy.Remote, policy.Program} {
		if _, result := p.whole(caller, query); result.Whole != nil {
			t.Errorf("the caller %s gets all rows", caller)
		}
	}
	if _, result := p.whole(policy.Person, map[string]any{"source": "db", "query": "SELECT a FROM t LIMIT 3"}); result.Whole == nil || result.Whole.CSV != "a,b\r\n0,x\r\n1,x\r\n2,x\r\n" || result.Whole.Notice != "" {
		t.Errorf("another statement ran than the one that was asked for: %+v", result.Whole)
	}
	if _, result := p.whole(policy.Person, map[string]any{"source": "db", "query": "DELETE FROM t"}); result.Whole != nil || !result.Failed {
		t.Errorf("%+v", result)
	}
}

// TestCSVHarmsNobody: what a spreadsheet would run is made text, and what nobody sees is shown.
func TestCSVHarmsNobody(t *testing.T) {
	for value, want := range map[string]string{
		"=1+1": "'=1+1", "+1 234": `"'+1 234"`, "-5": "-5", "+3.5": "+3.5", "-1e9": "-1e9", "-cmd": "'-cmd", "@SUM(A1)": "'@SUM(A1)", "\t=1": "\"'\t=1\"", "\n=1": "\"'\n=1\"",
		"＝1+1": "'＝1+1", "\r=1": "<U+000D>=1", "\u202ex\x1b[31m\x00": "<U+202E>x<U+001B>[31m<U+0000>", "\u200b=1": "<U+200B>=1",
		"": `""`, `a"b`: `"a""b"`, "a,b": `"a,b"`, "a\r\nb": "\"a\nb\"", "plain": "plain", "-5\n=1": "\"'-5\n=1\"", `=HYPERLINK("x")`: `"'=HYPERLINK(""x"")"`,
	} {
		if got := sql.CSV(value); got != want+"\r\n" {
			t.Errorf("%q is written as %q, not as %q", value, got, want)
		}
	}
}

// TestExplaining: what is asked for a plan, for each kind.
func TestExplaining(t *testing.T) {
	p := newPlace(t, "/nowhere", map[string]any{
		"lite": map[string]any{"kind": "sqlite", "path": "/x.db"}, "pg": account(1, "postgres", "x"), "my": account(1, "mysql", "x"),
		"bank": map[string]any{"kind": "spanner", "project": "p", "instance": "i", "database": "d"},
	})
	for name, want := range map[string]string{"lite": "EXPLAIN QUERY PLAN SELECT 1", "pg": "EXPLAIN SELECT 1", "my": "EXPLAIN SELECT 1"} {
		if got, err := p.source.Explaining(name, "SELECT 1; -- x"); err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		for _, query := range []string{"ANALYZE SELECT 1", "ANALYZE", "analyze delete from t", "DELETE FROM t", "SELECT 1; SELECT 2", "EXPLAIN ANALYZE SELECT 1"} {
			if got, err := p.source.Explaining(name, query); err == nil {
				t.Errorf("%s of %s: %s", name, query, got)
			}
		}
	}
	if got, err := p.source.Explaining("pg", "explain select 1"); err != nil || got != "explain select 1" {
		t.Error(got, err)
	}
	if _, err := p.source.Explaining("bank", "SELECT 1"); err == nil || !strings.Contains(err.Error(), "gives no plan") {
		t.Error(err)
	}
}

// manyRows are as many rows as a statement asks for.
func manyRows(query string) (list []string) {
	n := 0
	if at := strings.LastIndex(query, "LIMIT "); at >= 0 {
		_, _ = fmt.Sscan(query[at+len("LIMIT "):], &n)
	}
	return lines(n, "x")
}
