package statement_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/sql/statement"
)

func TestReadChange(t *testing.T) {
	for text, want := range map[string]statement.Change{
		"DELETE FROM mysql WHERE sys = 1":               {Table: "mysql", Rows: -1, Count: "SELECT count(*) AS n FROM mysql WHERE sys = 1"},
		"UPDATE t SET a = 1 WHERE b = 'x;--' -- all\n;": {Text: "UPDATE t SET a = 1 WHERE b = 'x;--'", Table: "t", Rows: -1, Count: "SELECT count(*) AS n FROM t WHERE b = 'x;--'"},
		"update s.t set a = (select max(c) from u where c < 3) where exists (select 1 from u limit 1)": {
			Table: "s.t", Rows: -1, Count: "SELECT count(*) AS n FROM s.t where exists (select 1 from u limit 1)",
		},
		"UPDATE t SET a = replace(a, 'x', 'y') WHERE b = 1": {Table: "t", Rows: -1, Count: "SELECT count(*) AS n FROM t WHERE b = 1"},
		"UPDATE t SET a = 1":                                 {Table: "t", Rows: -1, All: true, Count: "SELECT count(*) AS n FROM t"},
		"UPDATE t SET a = 1 WHERE b IS DISTINCT FROM 2":      {Table: "t", Rows: -1, Count: "SELECT count(*) AS n FROM t WHERE b IS DISTINCT FROM 2"},
		"DELETE FROM t WHERE b IS NOT DISTINCT FROM c":       {Table: "t", Rows: -1, Count: "SELECT count(*) AS n FROM t WHERE b IS NOT DISTINCT FROM c"},
		`DELETE FROM "my t" WHERE a IN (1, 2)`:               {Table: `"my t"`, Rows: -1, Count: `SELECT count(*) AS n FROM "my t" WHERE a IN (1, 2)`},
		"DELETE FROM t":                                      {Table: "t", Rows: -1, All: true, Count: "SELECT count(*) AS n FROM t"},
		"INSERT INTO t (a, b) VALUES (1, (2)), (3, abs(-4))": {Table: "t", Rows: 2},
		"INSERT INTO t VALUES (1)":                           {Table: "t", Rows: 1},
		"INSERT INTO t DEFAULT VALUES":                       {Table: "t", Rows: 1},
		"INSERT INTO t (a) SELECT b FROM u WHERE c > 2":      {Table: "t", Rows: -1, Count: "SELECT count(*) AS n FROM (SELECT b FROM u WHERE c > 2) AS inserted"},
	} {
		for _, d := range []statement.Dialect{statement.SQLite, statement.Postgres, statement.MySQL} {
			got, err := statement.ReadChange(text, d)
			if want.Text == "" {
				want.Text = text
			}
			if err != nil || got != want {
				t.Errorf("%s, %s:\n%+v, %v, want\n%+v", d, text, got, err, want)
			}
		}
	}
	for _, text := range []string{
		"INSERT INTO found(found) VALUES ('delete-all')", "INSERT INTO main.found (rank, Found) VALUES (1, 'merge')", "INSERT INTO found('found') SELECT 'rebuild'", `INSERT INTO [fo"und] ("fo""und") VALUES ('optimize')`, "INSERT INTO found(`found`) VALUES ('x')",
	} {
		if c, err := statement.ReadChange(text, statement.SQLite); err == nil {
			t.Errorf("a command to a full-text search, %s, is taken as %+v", text, c)
		}
	}
	if _, err := statement.ReadChange("INSERT INTO found (body) VALUES ('found')", statement.SQLite); err != nil {
		t.Error(err)
	}
	if c, err := statement.ReadChange("DELETE FROM t WHERE a = '\\'' OR 1 = 1 -- '", statement.MySQL); err == nil {
		t.Errorf("a backslash before a quote is taken as %+v", c)
	}
}

// S22: what is no single INSERT, UPDATE or DELETE of one table is refused by its words, in every dialect.
func TestRefusesChanges(t *testing.T) {
	for _, text := range []string{
		"", ";", "SELECT 1", "DROP TABLE t", "CREATE TABLE t (a INT)", "ALTER TABLE t ADD a INT", "TRUNCATE t", "TRUNCATE TABLE t", "GRANT ALL ON t TO u", "CALL f()", "EXECUTE f", "DO $$ $$", "COPY t FROM PROGRAM 'x'",
		"PRAGMA user_version = 1", "ATTACH 'x' AS y", "VACUUM", "SET a = 1", "BEGIN", "COMMIT", "LOAD DATA INFILE 'x' INTO TABLE t", "LOCK TABLES t WRITE", "MERGE INTO t USING u ON 1=1 WHEN MATCHED THEN DELETE",
		"REPLACE INTO t VALUES (1)", "EXPLAIN ANALYZE DELETE FROM t", "EXPLAIN DELETE FROM t", "(DELETE FROM t)",
		"UPDATE t SET a = 1; DELETE FROM t", "UPDATE t SET a = 1;;DELETE FROM t", "DELETE FROM t WHERE a = 1 /* x */; DROP TABLE t", "DELETE FROM t /*! WHERE a = 1 */", "DELETE FROM t WHERE a = 'x",
		"WITH x AS (DELETE FROM u RETURNING *) DELETE FROM t", "WITH x AS (SELECT 1) UPDATE t SET a = 1", "UPDATE t SET a = (WITH x AS (DELETE FROM u RETURNING 1) SELECT 1)", "DELETE FROM t WHERE a IN (DELETE FROM u)",
		"INSERT INTO t WITH x AS (SELECT 1) SELECT * FROM x", "INSERT INTO t SELECT 1 INTO OUTFILE 'x'", "INSERT INTO t SELECT * FROM u FOR UPDATE", "INSERT INTO t TABLE u", "INSERT INTO t SET a = 1", "INSERT t VALUES (1)",
		"INSERT OR REPLACE INTO t VALUES (1)", "INSERT IGNORE INTO t VALUES (1)", "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 2", "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 2",
		"INSERT INTO t VALUES (1) RETURNING a", "INSERT INTO t VALUES (1) AS n", "INSERT INTO t VALUES (1) (2)", "INSERT INTO t VALUES", "INSERT INTO t VALUES (1),", "INSERT INTO t VALUES , (1)", "INSERT INTO t VALUES ROW(1)", "INSERT INTO t AS u VALUES (1)", "INSERT INTO t", "INSERT INTO t (a)",
		"UPDATE OR IGNORE t SET a = 1", "UPDATE ONLY t SET a = 1", "UPDATE LOW_PRIORITY t SET a = 1", "UPDATE t, u SET t.a = 1", "UPDATE t AS x SET a = 1", "UPDATE t JOIN u ON 1 = 1 SET t.a = 1", "UPDATE t WHERE a = 1", "UPDATE t SET", "UPDATE t SET a = 1 RETURNING a", "UPDATE",
		"DELETE t FROM t", "DELETE FROM t, u USING t JOIN u", "DELETE FROM t USING u WHERE a = b", "DELETE FROM ONLY t WHERE a = 1", "DELETE FROM t AS x WHERE a = 1", "DELETE FROM t LIMIT 1", "DELETE t", "DELETE FROM", "DELETE FROM 't' WHERE 1", "DELETE FROM .t",
		"UPDATE t SET a = u.b FROM u WHERE u.id = t.id", "UPDATE t SET a = 1 FROM (SELECT 1) AS z", "UPDATE t SET a = b IS DISTINCT FROM c FROM u", "UPDATE t SET a = 1 ORDER BY b LIMIT 3", "UPDATE t SET a = 1 WHERE b = 2 LIMIT 3",
		"DELETE FROM t WHERE a = 1 ORDER BY b LIMIT 1", "DELETE FROM t WHERE CURRENT OF c", "DELETE FROM t WHERE a = distinct FROM u",
		"UPDATE t SET a = 1) SELECT 1 FROM (SELECT 1", "DELETE FROM t WHERE (a = 1", "DELETE FROM t WHERE a = 1)", "UPDATE t SET a = nextval('s')", "UPDATE t SET a = pg_read_file('x')", "INSERT INTO t VALUES (cron.schedule('* * * * *', 'x'))", "UPDATE t SET a = cron . schedule_in_database(1)", "UPDATE t SET a = heap_force_kill(1, 2)", "UPDATE t SET a = pg_background_launch('x')",
		"UPDATE t SET a = pg_set_attribute_stats(1)", "UPDATE t SET a = aws_lambda.invoke(1)", "UPDATE t SET a = load_file('x')", "INSERT INTO t VALUES (dblink('x', 'y'))", "UPDATE t SET a = @x := 1", "UPDATE t SET a = NEXT VALUE FOR s",
		"UPDATE t SET a = 1\u202e", "UPDATE t SET a = sleep(9)", "UPDATE t SET a = 1 WHERE b = 1 PROCEDURE analyse()",
		"UPDATE t SET a = '" + strings.Repeat("x", 65<<10) + "'", "INSERT INTO t VALUES ('" + strings.Repeat("x", 9<<10) + "')",
		"UPDATE pg_authid SET rolsuper = true", "UPDATE pg_catalog.pg_class SET relname = 'x'", `DELETE FROM "pg_catalog" . "pg_class"`, "INSERT INTO mysql.user VALUES (1)", "UPDATE `mysql`.`global_priv` SET priv = 1",
		"UPDATE sqlite_master SET sql = 'x'", "DELETE FROM main.sqlite_sequence", "UPDATE information_schema.t SET a = 1", "DELETE FROM SYS.t",
	} {
		for _, d := range []statement.Dialect{statement.SQLite, statement.Postgres, statement.MySQL, statement.GoogleSQL} {
			if c, err := statement.ReadChange(text, d); err == nil {
				t.Errorf("%s takes %.80s as %+v", d, text, c)
			}
		}
	}
}
