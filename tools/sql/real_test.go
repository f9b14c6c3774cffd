package sql_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/sql"
	"github.com/assent-ls/assent/tools/sql/sqltest"
)

// companies runs a test on the company's database of each kind, or of those that are named.
func companies(t *testing.T, run func(t *testing.T, start func(user string) map[string]any), only ...string) {
	t.Helper()
	t.Setenv("DATABASE_PASSWORD", sqltest.Password)
	realToolbox(t)
	kind := func(name string, test func(t *testing.T)) {
		if len(only) == 0 || slices.Contains(only, name) {
			t.Run(name, test)
		}
	}
	kind("sqlite", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "the company's 100%?#.db")
		must(t, sqltest.NewSQLite(t.Context(), file))
		run(t, func(string) map[string]any { return map[string]any{"kind": "sqlite", "path": file} })
	})
	kind("postgres", func(t *testing.T) {
		bin := os.Getenv("POSTGRES_BIN")
		if bin == "" {
			t.Skip("NOT TESTED: PostgreSQL; POSTGRES_BIN names none (.ci/databases sets it)")
		}
		s, err := sqltest.StartPostgres(t.Context(), bin, t.TempDir())
		must(t, err)
		t.Cleanup(s.Stop)
		run(t, func(user string) map[string]any { return account(s.Port, "postgres", user) })
	})
	kind("mysql", func(t *testing.T) {
		base := os.Getenv("MARIADB_BASE")
		if base == "" {
			t.Skip("NOT TESTED: MariaDB; MARIADB_BASE names none (.ci/databases sets it)")
		}
		s, err := sqltest.StartMariaDB(t.Context(), base, t.TempDir())
		must(t, err)
		t.Cleanup(s.Stop)
		run(t, func(user string) map[string]any { return account(s.Port, "mysql", user) })
	})
}

// TestRealDatabases reads the company on each database.
func TestRealDatabases(t *testing.T) {
	companies(t, func(t *testing.T, as func(string) map[string]any) {
		p := newPlace(t, realToolbox(t), map[string]any{"db": as(sqltest.Reader)})
		must(t, p.source.Test(t.Context(), "db"))

		found := p.call(sql.SchemaSearch, map[string]any{"query": "which customers have open orders"})
		p.says("schema", found, "orders: id int", "customers: id int", "status", "key", "read just now")
		if strings.Contains(found, "vehicles:") {
			t.Errorf("what has none of the words is described:\n%s", found)
		}

		_, asked := p.prepare(sql.Select, map[string]any{"query": "SELECT name FROM customers -- all\nORDER BY name;"})
		p.says("question", asked.Target+asked.Preview, "db: SELECT name FROM customers ORDER BY name", "db (")
		answer := p.query("db", "SELECT c.name, count(*) AS n FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.status = 'open' GROUP BY c.name ORDER BY n DESC, c.name LIMIT 3")
		if got := rows(answer); len(got) != 4 || !strings.HasPrefix(got[1], "| Birch Ltd | ") && !strings.HasPrefix(got[1], "| ") {
			t.Errorf("the answer is\n%s", answer)
		}
		p.says("answer", answer, "| name | n |", "[3 rows]")

		all := p.query("db", "SELECT * FROM order_lines ORDER BY id")
		p.says("many rows", all, "[The first 50 rows. There are more")
		if got := rows(all); len(got) != 51 || !strings.HasPrefix(got[1], "| 1 |") || !strings.HasPrefix(got[50], "| 50 |") {
			t.Errorf("%d rows:\n%s", len(got), all)
		}
		p.says("none", p.query("db", "SELECT * FROM orders WHERE id < 0"), "[No rows.]")
		p.says("a null", p.query("db", "SELECT closed_on FROM tickets WHERE closed_on IS NULL LIMIT 1"), "| NULL |")

		explain := "EXPLAIN "
		if as("")["kind"] == "sqlite" {
			explain = "EXPLAIN QUERY PLAN "
		}
		p.says("a plan", p.query("db", explain+"SELECT name FROM customers"), "| ", "customers")
		wrong := p.query("db", "SELECT nam FROM custommers")
		p.says("a wrong name", wrong, "failed: ", "custommers")
		if wrong = p.query("db", "SELECT nam FROM customers"); !strings.Contains(wrong, ":\ncustomers: id int") {
			t.Errorf("the table whose column is wrong is not the first:\n%s", wrong)
		}
		wrong = p.query("db", "SELECT custmer_id FROM orders")
		p.says("a wrong column", wrong, "custmer_id", "orders: id int")
		p.says("a wrong word", p.query("db", "SELECT FROM WHERE"), "failed: ", "he database says")

		if text, err := p.source.Schema(t.Context(), "db", "", false); err != nil || !strings.Contains(text, "48 more tables fit, of 60") {
			t.Errorf("%v\n%s", err, text)
		}
	})
}

// S22: TestRealDatabasesAreNotWritten tries statements that write, as ours would be if the check of words were not
// there, too.
func TestRealDatabasesAreNotWritten(t *testing.T) {
	companies(t, func(t *testing.T, as func(string) map[string]any) {
		p := newPlace(t, realToolbox(t), map[string]any{"db": as(sqltest.Reader)})
		for _, write := range []string{
			"INSERT INTO app_settings VALUES (1, 'a', 'b')", "DELETE FROM app_settings", "UPDATE orders SET status = 'open'", "DROP TABLE orders", "CREATE TABLE made (a int)",
			"WITH a AS (SELECT 1) DELETE FROM app_settings", "SELECT 1; DELETE FROM app_settings", "TRUNCATE orders", "GRANT ALL ON orders TO PUBLIC", "ALTER TABLE orders ADD COLUMN x int",
			"SELECT 1; INSERT INTO app_settings VALUES (1, 'a', 'b')", "COMMIT; INSERT INTO app_settings VALUES (2, 'a', 'b')", "ROLLBACK; DROP TABLE orders", "PRAGMA user_version = 7",
			"EXPLAIN ANALYZE DELETE FROM app_settings", "EXPLAIN (ANALYZE) DELETE FROM app_settings", "ANALYZE FORMAT=JSON DELETE FROM app_settings",
		} {
			p.says(write, p.refusedQuery("db", write), "failed: ")
			if err := sql.Unchecked(p.source, t.Context(), "db", write); err == nil {
				t.Errorf("the database runs %s", write)
			}
		}
		p.says("what is there", p.query("db", "SELECT count(*) AS n FROM orders WHERE status <> 'open'"), "| n |")
		answer := p.query("db", "SELECT count(*) AS n FROM app_settings")
		p.says("what is there", answer, "| 0 |")
	})
}

// TestRightsThatAreTooMany: a role that may write anything is not used, whatever would be asked.
func TestRightsThatAreTooMany(t *testing.T) {
	companies(t, func(t *testing.T, as func(string) map[string]any) {
		p := newPlace(t, realToolbox(t), map[string]any{"clerk": as(sqltest.Clerk), "owner": as(sqltest.Owner), "nobody": as("nobody"), "odd": as(`no"body\ #: x`)})
		for name, want := range map[string]string{"clerk": "app_settings", "owner": "may", "nobody": "password authentication failed", "odd": `no"body\`} {
			if as("")["kind"] == "mysql" && name != "odd" {
				want = map[string]string{"clerk": "the right INSERT", "owner": "the right ALL PRIVILEGES", "nobody": "Access denied"}[name]
			}
			for range 2 {
				answer := p.query(name, "SELECT 1 AS one")
				p.says(name, answer, "failed: ", want)
				if strings.Contains(answer, "| 1 |") || strings.Contains(answer, sqltest.Password) {
					t.Errorf("%s: %s", name, answer)
				}
				if name == "clerk" || name == "owner" {
					p.says(name, answer, "is not used", "GRANT SELECT")
				}
			}
		}
	}, "postgres", "mysql")
}

// TestRightsThatCameLater: whatever lets a role of PostgreSQL write is found, also what everybody has.
func TestRightsThatCameLater(t *testing.T) {
	companies(t, func(t *testing.T, as func(string) map[string]any) {
		p := newPlace(t, realToolbox(t), map[string]any{"db": as(sqltest.Reader), "owner": as(sqltest.Owner)})
		for _, c := range []struct{ first, then, want string }{
			{"CREATE TABLE extra (a int, b int)", "GRANT INSERT (a) ON extra TO reader", "may change the table public.extra"},
			{"", "GRANT TRIGGER ON extra TO PUBLIC", "may change the table public.extra"},
			{"CREATE SEQUENCE numbers", "GRANT USAGE ON numbers TO reader", "may change the sequence public.numbers"},
			{"CREATE VIEW seen AS SELECT * FROM extra", "GRANT DELETE ON seen TO reader", "may change the table public.seen"},
			{"CREATE SCHEMA hidden", "CREATE FUNCTION hidden.writes() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'INSERT INTO public.extra VALUES (1) RETURNING a'", "may call hidden.writes(), which acts with the rights of its owner"},
			{"", "CREATE FUNCTION writes() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'INSERT INTO extra VALUES (1) RETURNING a'", "may call writes(), which acts with the rights of its owner"},
		} {
			if c.first != "" {
				must(t, sql.Unprobed(p.source, t.Context(), "owner", c.first))
			}
			must(t, p.source.Test(t.Context(), "db"))
			must(t, sql.Unprobed(p.source, t.Context(), "owner", c.then))
			if err := p.source.Test(t.Context(), "db"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("after %s: %v", c.then, err)
			}
			p.says(c.then, p.query("db", "SELECT 1 AS one"), "failed: ", "is not used")
			undo := "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM reader, PUBLIC"
			for _, undo := range []string{undo, "REVOKE ALL (a) ON extra FROM reader", "DROP FUNCTION IF EXISTS writes()", "DROP SCHEMA IF EXISTS hidden CASCADE", "REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM reader"} {
				if err := sql.Unprobed(p.source, t.Context(), "owner", undo); err != nil && !strings.Contains(err.Error(), "no privileges") {
					t.Fatal(err)
				}
			}
		}
	}, "postgres")
}

// TestAConnectionStaysReadOnly: a statement that lets the next ones write is the last one of its connection.
func TestAConnectionStaysReadOnly(t *testing.T) {
	companies(t, func(t *testing.T, as func(string) map[string]any) {
		p := newPlace(t, realToolbox(t), map[string]any{"db": as(sqltest.Reader)})
		err := sql.Unchecked(p.source, t.Context(), "db", "SELECT set_config('default_transaction_read_only', 'off', false)")
		if err == nil || !strings.Contains(err.Error(), "was about to let statements write") {
			t.Error(err)
		}
		if err := sql.Unchecked(p.source, t.Context(), "db", "SELECT lo_create(0)"); err == nil || !strings.Contains(err.Error(), "25006") {
			t.Errorf("a large object is made: %v", err)
		}
		p.says("the next one", p.query("db", "SELECT 1 AS one"), "| 1 |")
	}, "postgres")
}

// TestASlowQuery ends in time, and a database that is gone is told in a sentence.
func TestASlowQuery(t *testing.T) {
	companies(t, func(t *testing.T, as func(string) map[string]any) {
		p := newPlace(t, realToolbox(t), map[string]any{"db": as(sqltest.Reader)})
		sql.Hurry(p.source, "db", time.Second)
		start := time.Now()
		p.says("slow", p.query("db", "SELECT count(*) AS n FROM orders a, orders b, orders c, orders d, orders e WHERE a.id + b.id + c.id + d.id + e.id < 0"), "failed: ")
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("it took %v", took)
		}
		p.says("the next one", p.query("db", "SELECT 1 AS one"), "| 1 |")
	})
}

// TestGoogleWithoutCredentials: nothing is asked, and one sentence says what is missing.
func TestGoogleWithoutCredentials(t *testing.T) {
	toolbox := realToolbox(t)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none.json"))
	p := newPlace(t, toolbox, map[string]any{
		"logs": map[string]any{"kind": "bigquery", "project": "p", "database": "d"}, "bank": map[string]any{"kind": "spanner", "project": "p", "instance": "i", "database": "d"},
	})
	for _, name := range []string{"logs", "bank"} {
		p.says(name, p.query(name, "SELECT 1 AS one"), "failed: ", "The database "+name+" cannot be opened: ", "none.json")
		p.says(name, p.refusedQuery(name, "DELETE FROM t WHERE TRUE"), "Only statements that read")
	}
}

// TestAnotherEncoding: a database in UTF-16 is read as any is, also from a folder in which nothing can be made, and
// bytes that are no text are shown as such.
func TestAnotherEncoding(t *testing.T) {
	toolbox := realToolbox(t)
	file := filepath.Join(t.TempDir(), "wide.db")
	const script = `import sqlite3, sys
d = sqlite3.connect(sys.argv[1])
d.executescript("PRAGMA encoding = 'UTF-16'; CREATE TABLE größe (a TEXT); INSERT INTO größe VALUES ('naïve'), (CAST(x'e900' AS TEXT)), (x'ff00')")`
	if out, err := exec.CommandContext(t.Context(), "python3", "-c", script, file).CombinedOutput(); err != nil { //nolint:gosec // a test's own
		t.Fatal(err, string(out))
	}
	must(t, os.Chmod(file, 0o400))
	must(t, os.Chmod(filepath.Dir(file), 0o500)) //nolint:gosec // it is a folder
	p := newPlace(t, toolbox, map[string]any{"db": map[string]any{"kind": "sqlite", "path": file}})
	p.says("words", p.query("db", "SELECT a FROM größe ORDER BY a"), "| naïve |", "| é |", "[3 rows]")
}

func TestADatabaseThatIsGone(t *testing.T) {
	toolbox, bin := realToolbox(t), os.Getenv("POSTGRES_BIN")
	if bin == "" {
		t.Skip("NOT TESTED: PostgreSQL; POSTGRES_BIN names none (.ci/databases sets it)")
	}
	t.Setenv("DATABASE_PASSWORD", sqltest.Password)
	s, err := sqltest.StartPostgres(t.Context(), bin, t.TempDir())
	must(t, err)
	t.Cleanup(s.Stop)
	file := filepath.Join(t.TempDir(), "x.db")
	must(t, sqltest.NewSQLite(t.Context(), file))
	p := newPlace(t, toolbox, map[string]any{"db": account(s.Port, "postgres", sqltest.Reader), "other": map[string]any{"kind": "sqlite", "path": file}})
	p.says("there", p.query("db", "SELECT 1 AS one"), "| 1 |")
	s.Stop()
	for range 2 {
		p.says("gone", p.query("db", "SELECT 1 AS one"), "failed: ", "he database")
	}
	p.says("the other one", p.query("other", "SELECT 1 AS one"), "| 1 |")
	must(t, os.WriteFile(file, []byte("this is no database, but a text that is long enough to be looked at"), 0o600))
	if err := p.source.Test(t.Context(), "other"); err == nil || !strings.Contains(err.Error(), "not a database") {
		t.Error(err)
	}
}

// TestAHugeResult is refused in a sentence, by a Toolbox that gets no more memory, and the next statement is answered.
func TestAHugeResult(t *testing.T) {
	companies(t, func(t *testing.T, as func(string) map[string]any) {
		declared := as(sqltest.Reader)
		p := newPlace(t, realToolbox(t), map[string]any{"db": declared})
		p.says("before", p.query("db", "SELECT 1 AS one"), "| 1 |")
		huge := map[any]string{
			"sqlite": "SELECT zeroblob(900000000) AS a", "postgres": "SELECT repeat('x', 200000000) AS a FROM generate_series(1, 20)",
		}[declared["kind"]]
		p.says("huge", p.query("db", huge), "failed: ", "takes more than 1 GB of memory: ask for less")
		p.says("the next one", p.query("db", "SELECT 1 AS one"), "| 1 |")
	}, "sqlite", "postgres")
}
