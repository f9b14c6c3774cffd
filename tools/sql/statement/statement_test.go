package statement_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/sql/statement"
)

var dialects = []statement.Dialect{statement.SQLite, statement.Postgres, statement.MySQL, statement.GoogleSQL}

// TestReads: what is sent has no comments, and no semicolon at its end.
func TestReads(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1":                              "SELECT 1",
		" select\n\t1 ; ; \n":                   "select 1",
		"select 1 -- the first\n+ 1":            "select 1 + 1",
		"select/* a; b */1":                     "select 1",
		"select 'it''s; -- no comment /*'":      "select 'it''s; -- no comment /*'",
		`select "a;b" from t`:                   `select "a;b" from t`,
		"with a as (select 1) select * from a":  "with a as (select 1) select * from a",
		"explain select 1":                      "explain select 1",
		"select replace(a, 'x', 'y') from t":    "select replace(a, 'x', 'y') from t",
		"select substring(a from 1 for 3)":      "select substring(a from 1 for 3)",
		"select größe, \"delete\" from \"ünï\"": "select größe, \"delete\" from \"ünï\"",
		"select deleted, updated_at from t":     "select deleted, updated_at from t",
		"select 1.5, .5, 1., 1e5, 1.5e-3, 0x1F": "select 1.5, .5, 1., 1e5, 1.5e-3, 0x1F",
		"select (1.5)into_ from t where a>.5":   "select (1.5)into_ from t where a>.5",
		"select 1 union (select 2 limit 9 - 1)": "select 1 union (select 2 limit 9 - 1)",
	} {
		for _, d := range dialects {
			if d == statement.GoogleSQL && strings.Contains(text, "''") {
				continue
			}
			q, err := statement.Read(text, d)
			if err != nil || q.Text != want {
				t.Errorf("%s of %q: %q, %v", d, text, q.Text, err)
			}
		}
	}
	for text, d := range map[string]statement.Dialect{
		"select [a;b] from t":                        statement.SQLite,
		"explain query plan select 1":                statement.SQLite,
		"select $x$ it's; $x$, $$;$$":                statement.Postgres,
		"select a #>> '{b}', tags @> array[1], b[1]": statement.Postgres,
		"select a::text, b ? 'c' from t":             statement.Postgres,
		"explain verbose select 1":                   statement.Postgres,
		"select `a;b` from t":                        statement.MySQL,
		"select 'a\\n;', 'b\\\\'":                    statement.MySQL,
	} {
		if q, err := statement.Read(text, d); err != nil || q.Text != text {
			t.Errorf("%s of %q: %q, %v", d, text, q.Text, err)
		}
	}
}

// TestRefuses what writes, what is two statements, and what one database may read otherwise than another.
// F08.
func TestRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "no statement",
		" ; -- nothing\n":                    "no statement",
		"select 1; select 2":                 "two statements",
		"select 1; drop table t":             "two statements",
		"select 1 -- a\n; drop table t":      "two statements",
		"select 1 /* ; */ ; drop table t --": "two statements",
		"insert into t values (1)":           "begin with SELECT",
		"drop table t":                       "begin with SELECT",
		"pragma writable_schema = 1":         "begin with SELECT",
		"attach 'x' as y":                    "begin with SELECT",
		"vacuum into 'x'":                    "begin with SELECT",
		"explain analyze select 1":           "leave ANALYZE out",
		"explain (analyze) select 1":         "leave ANALYZE out",
		"explain delete from t":              "begin with SELECT",
		"call f()":                           "begin with SELECT",
		"do $$ begin end $$":                 "",
		"set role boss":                      "begin with SELECT",
		"begin":                              "begin with SELECT",
		"copy t to program 'x'":              "begin with SELECT",
		"with a as (delete from t returning *) select * from a":  "DELETE",
		"with a as (select 1) insert into t select * from a":     "INSERT",
		"with a as (select 1) update t set b = 1":                "UPDATE",
		"select * into b from t":                                 "INTO",
		"select * from t into outfile '/tmp/x'":                  "INTO",
		"select * from t for update":                             "UPDATE",
		"select * from t for no key update":                      "locks",
		"select * from t for key share":                          "locks",
		"select * from t lock in share mode":                     "locks",
		"select next value for s":                                "sequence",
		"select pg_read_file('/etc/passwd')":                     "function pg_read_file",
		"select pg_catalog . PG_Read_File ( 'x')":                "function pg_read_file",
		`select "pg_read_file"('x')`:                             "function pg_read_file",
		"select set_config('a', 'b', false)":                     "function set_config",
		"select * from dblink('x', 'y') as t(a int)":             "function dblink",
		"select lo_import('/etc/passwd')":                        "function lo_import",
		"select load_extension('x')":                             "function load_extension",
		"select load_file/**/('/etc/passwd')":                    "function load_file",
		"select * from crosstab2('select 1')":                    "function crosstab2",
		"select * from public.crosstabn('select 1')":             "function crosstabn",
		"select http_get('http://x')":                            "function http_get",
		"select http(('GET', 'x'))":                              "function http",
		"select query_to_xml_and_xmlschema('x', true, true, '')": "function query_to_xml",
		"select table_to_xml('t', true, true, '')":               "function table_to_xml",
		"select loread(1, 2)":                                    "function loread",
		"values (1), (2)":                                        "begin with SELECT",
		"select 1.5INTO OUTFILE '/tmp/x'":                        "number",
		"select 1.INTO OUTFILE '/tmp/x'":                         "number",
		"select .5INTO OUTFILE '/tmp/x'":                         "number",
		"select 1INTO OUTFILE '/tmp/x'":                          "number",
		"select 1e5INTO OUTFILE '/tmp/x'":                        "number",
		"select 1.e5INTO OUTFILE '/tmp/x'":                       "number",
		"select 1e+5INTO OUTFILE '/tmp/x'":                       "number",
		"select 0x1FINTO OUTFILE '/tmp/x'":                       "number",
		"select 0b1INTO OUTFILE '/tmp/x'":                        "number",
		"select 1_0INTO OUTFILE '/tmp/x'":                        "number",
		"select t.1INTO OUTFILE '/tmp/x' from t":                 "number",
		"select 1.5for update":                                   "number",
		"select 1.5.5":                                           "number",
		"select 1..5":                                            "number",
		"select a from t where b = 1.5union select 2":            "number",
		"select 1.5ünion":                                        "number",
		"select 1$a":                                             "number",
		"select 2024_sales from t":                               "number",
		"select 1\u00a0into outfile 'x'":                         "number",
		"select a\u3000into outfile 'x'":                         "cannot be told",
		"(select 1) union (select 2)":                            "begin with SELECT",
		"select 1 limit all":                                     "a plain number",
		"select 1 limit -1":                                      "a plain number",
		"select 1 limit 5 * 100":                                 "a plain number",
		"select 1 limit (5)":                                     "a plain number",
		"select 1 limit null":                                    "a plain number",
		"select 1 limit 1e9":                                     "a plain number",
		"select 1 limit 99999999999":                             "a plain number",
		"select 1 limit 5 offset (select 1)":                     "a plain number",
		"select 1 limit":                                         "a plain number",
		"select 1 limit '5'":                                     "a plain number",
		"select 1 limit 5 rows examined 6":                       "a plain number",
		"select 1 fetch first 500 rows only":                     "a plain number",
		"select nextval('s')":                                    "function nextval",
		"select /*! 1; */ 2":                                     "MySQL runs",
		"select /*M!100 1 */ 2":                                  "MySQL runs",
		"select /* a /* b */ 1 */":                               "another one in it",
		"select 1 /* to the end":                                 "no end",
		"select 'a":                                              "no end",
		"select 1\rdrop":                                         "cannot be seen",
		"select 1\x00; drop table t":                             "cannot be seen",
		"select 'a\u202eb'":                                      "cannot be seen",
		"select '\xff'":                                          "UTF-8",
		"select U&'\\0061'":                                      "U&",
		"select " + strings.Repeat("1,", 40_000):                 "longer than",
	} {
		for _, d := range dialects {
			if q, err := statement.Read(text, d); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s takes %.60q as %.60q: %v", d, text, q.Text, err)
			}
		}
	}
	for text, d := range map[string]statement.Dialect{
		"select $a('), 1; attach 'x' as y, ')": statement.SQLite, // SQLite reads this as a parameter named with the parenthesis
		"select :a":                            statement.SQLite,
		"select ?1":                            statement.SQLite,
		"select 1--1":                          statement.MySQL,
		"select @a := 1":                       statement.MySQL,
		"select 'a\\'; drop table t; -- '":     statement.MySQL,
		"select \"a\\\"; drop table t; -- \"":  statement.MySQL,
		"select E'a\\'; drop table t; -- '":    statement.Postgres,
		"select $1":                            statement.Postgres,
		"select $a$ x":                         statement.Postgres,
		"select `a`":                           statement.Postgres,
		"select '''a'''":                       statement.GoogleSQL,
		"select r'a\\' ; drop table t -- '":    statement.GoogleSQL,
	} {
		if q, err := statement.Read(text, d); err == nil {
			t.Errorf("%s takes %q as %q", d, text, q.Text)
		}
	}
}

// TestExplainRunsNothing: each way to have a database run what it explains is refused, and each to have it explain what
// is no question.
func TestExplainRunsNothing(t *testing.T) {
	for _, text := range []string{
		"explain analyze select 1", "EXPLAIN ANALYSE select 1", "explain/**/analyze select 1", "explain -- x\nanalyze select 1", "explain verbose analyze select 1",
		"explain (analyze) select 1", "explain (analyze true, format json) select 1", "explain (format json, analyze) select 1", "explain (verbose, analyse on) select 1",
		`explain ("analyze") select 1`, `explain (values, "analyze") select 1`, "explain (values, analyze) select 1", "explain ((analyze)) select 1",
		"explain analyze format=tree select 1", "explain format=json analyze select 1", "explain query plan analyze select 1", "explain extended select 1",
		"explain format=json into @x select 1", "explain for connection 1", "explain partitions select 1",
		"explain explain analyze select 1", "explain delete from t", "explain insert into t values (1)", "explain with a as (delete from t returning 1) select 1",
		"explain execute p", "explain create table u as select 1", "explain declare c cursor for select 1", "explain refresh materialized view v",
		"analyze select 1", "analyze format=json select 1", "analyze t", "analyze table t", "describe select 1", "desc analyze select 1", "describe analyze select 1", "desc t",
		"explain /*!50000 analyze */ select 1", "explain select pg_read_file('x')", "explain select 1; select 2",
	} {
		for _, d := range dialects {
			if q, err := statement.Read(text, d); err == nil {
				t.Errorf("%s takes %q as %q", d, text, q.Text)
			}
		}
	}
	for _, text := range []string{"explain select 1", "EXPLAIN select 1", "explain select 'analyze'", "select analyze from t", "explain with a as (select 1) select * from a"} {
		for _, d := range dialects {
			if q, err := statement.Read(text, d); err != nil || q.Explains != strings.HasPrefix(strings.ToLower(text), "explain") {
				t.Errorf("%s of %q: %v", d, text, err)
			}
		}
	}
}

func TestAtMost(t *testing.T) {
	for text, want := range map[string]string{
		"select a from t":                              "select a from t LIMIT 10",
		"select a from t order by a -- up\n":           "select a from t order by a LIMIT 10",
		"select a from t limit 5":                      "select a from t limit 5",
		"select a from t limit 500":                    "select a from t limit 10",
		"select a from t limit 500 offset 20":          "select a from t limit 10 offset 20",
		"select a from t limit 20, 500":                "select a from t limit 20, 10",
		"select a from (select b from u limit 500) x":  "select a from (select b from u limit 500) x LIMIT 10",
		"select a from t union select b from u":        "select a from t union select b from u LIMIT 10",
		"explain select 1":                             "explain select 1",
		"select \"limit\", 'limit' from t":             "select \"limit\", 'limit' from t LIMIT 10",
		"with a as (select 1 limit 2) select * from a": "with a as (select 1 limit 2) select * from a LIMIT 10",
	} {
		q, err := statement.Read(text, statement.Postgres)
		if got := q.AtMost(10); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// FuzzRead: what is taken is taken again as it is sent, and says the same.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"select 1; --", "select 'a''b' /* c */ || \"d\"", "with a as (select $$;$$) select 1 limit 5", "select [a] -- x\n, `b`"} {
		for i := range dialects {
			f.Add(text, i)
		}
	}
	f.Fuzz(func(t *testing.T, text string, i int) {
		d := dialects[(i%len(dialects)+len(dialects))%len(dialects)]
		q, err := statement.Read(text, d)
		if err != nil {
			return
		}
		again, err := statement.Read(q.Text, d)
		if err != nil || again.Text != q.Text {
			t.Errorf("%q is sent as %q, which is %q: %v", text, q.Text, again.Text, err)
		}
		if limited, err := statement.Read(q.AtMost(7), d); err != nil || limited.Explains != q.Explains {
			t.Errorf("%q: %v", q.AtMost(7), err)
		}
	})
}

// S22: the pragmas of SQLite that are read as tables are taken one by one: each of the others may do more than read, in
// this version or the next.
// F08.
func TestPragmasAsTables(t *testing.T) {
	for _, text := range []string{
		"select * from pragma_optimize(0x10002)", "select * from pragma_optimize", "select * from main.pragma_optimize()", `select * from "pragma_optimize"`, "select * from [PRAGMA_Optimize]", "select * from `pragma_optimize`(1)",
		"select * from pragma_wal_checkpoint", "select * from t, pragma_incremental_vacuum(1)", "select * from t join pragma_journal_mode('off')", "select * from pragma_shrink_memory", "select * from pragma_new_one_of_tomorrow",
		"select (select 1 from pragma_quick_check)", "with a as (select * from pragma_optimize) select 1", "select * from 'pragma_optimize'",
	} {
		if q, err := statement.Read(text, statement.SQLite); err == nil || !strings.Contains(err.Error(), "pragma") && !strings.Contains(err.Error(), "PRAGMA") {
			t.Errorf("%q is taken as %q: %v", text, q.Text, err)
		}
	}
	for _, text := range []string{"select name from pragma_table_info('t')", "select * from sqlite_master m join pragma_table_xinfo(m.name)", "select * from pragma_foreign_key_list('t')", "select 'pragma' as pragma", "select * from PRAGMA_Table_List"} {
		if _, err := statement.Read(text, statement.SQLite); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := statement.Read("select pragma_optimize from t", statement.Postgres); err != nil {
		t.Error(err)
	}
}
