package sql

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
)

// probe shows that a database refuses to be written to: first by the rights of the role, then by a write that would
// change no row. The error is a sentence without its end.
func (d *database) probe(ctx context.Context) (session, error) {
	switch d.Kind {
	case SQLite:
		return nil, d.probeSQLite(ctx)
	case Postgres:
		return nil, d.probePostgres(ctx)
	case MySQL:
		return d.probeMySQL(ctx)
	case BigQuery, Spanner:
		return nil, d.probeGoogle(ctx)
	}
	return nil, fmt.Errorf("the database %s is of no known kind", d.Name)
}

// refuses sends a write that changes no row, and checks that it is refused for one of some reasons.
func (d *database) refuses(ctx context.Context, write string, reasons ...string) error {
	_, err := d.send(ctx, write)
	said, ok := isSaid(err)
	switch {
	case err == nil:
		return fmt.Errorf(
			"the database %s is not used: it did not refuse a write (%s, which changes nothing)", d.Name,
			visible.Line(write),
		)
	case !ok:
		return err
	case !containsAny(said, reasons):
		return fmt.Errorf(
			"the database %s is not used: it is not known whether it refuses a write, since it says: %s", d.Name, said,
		)
	}
	return nil
}

// ask sends a question of ours during the probe.
func (d *database) ask(ctx context.Context, query string) ([]row, error) {
	rows, err := d.send(ctx, query)
	if said, ok := isSaid(err); ok {
		return nil, fmt.Errorf("the database %s cannot be probed, since it says: %s", d.Name, said)
	}
	return rows, err
}

func (d *database) probeSQLite(ctx context.Context) error {
	const readOnly = "readonly database"
	tables, err := d.ask(
		ctx,
		`SELECT '"' || replace(name, '"', '""') || '"' AS name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND sql NOT LIKE 'create virtual%' LIMIT 1`,
	)
	if err != nil {
		return err
	}
	if len(tables) > 0 {
		return d.refuses(ctx, "DELETE FROM "+tables[0].of("name")+" WHERE 0", readOnly)
	}
	version, err := d.ask(ctx, "PRAGMA user_version")
	if err != nil {
		return err
	}
	if len(version) != 1 {
		return fmt.Errorf("the file of the database %s cannot be read", d.Name)
	}
	return d.refuses(ctx, "PRAGMA user_version = "+version[0].of("user_version"), readOnly)
}

// rightsOfPostgres lists what the role may do besides reading.
//
//go:embed rights_postgres.sql
var rightsOfPostgres string

func (d *database) probePostgres(ctx context.Context) error {
	rights, err := d.ask(ctx, rightsOfPostgres)
	if err != nil {
		return err
	}
	if len(rights) > 0 {
		return fmt.Errorf("the database %s is not used: its role %s %s; make one that only reads: "+
			"CREATE ROLE reader LOGIN PASSWORD '…'; "+
			"GRANT USAGE ON SCHEMA public TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader", d.Name,
			visible.Line(rights[0].of("role")), visible.Line(words(rights, "what")))
	}
	table, err := d.aTable(ctx, `SELECT format('%I.%I', n.nspname, c.relname) AS name, pg_is_in_recovery() AS replica FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' ORDER BY n.nspname IN ('pg_catalog', 'information_schema'), NOT has_schema_privilege(n.oid, 'USAGE') LIMIT 1`)
	if err != nil {
		return err
	}
	reasons := []string{"SQLSTATE 42501"} // no right
	if table.of("replica") == "true" {
		reasons = append(reasons, "SQLSTATE 25006") // read only
	}
	return d.refuses(ctx, "DELETE FROM "+table.of("name")+" WHERE false", reasons...)
}

// aTable asks for one table, of which there must be one.
func (d *database) aTable(ctx context.Context, query string) (row, error) {
	tables, err := d.ask(ctx, query)
	if err != nil {
		return nil, err
	}
	if len(tables) != 1 {
		return nil, fmt.Errorf("the database %s cannot be probed: it shows no table", d.Name)
	}
	return tables[0], nil
}

// words are the values of a column as a list, in a sentence; the last says that there are more.
func words(rows []row, column string) string {
	const most = 3
	var list []string
	for _, r := range rows[:min(most, len(rows))] {
		list = append(list, r.of(column))
	}
	if len(rows) > most {
		list = append(list, "more")
	}
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

func (d *database) probeGoogle(ctx context.Context) error {
	from, where, before := "information_schema.tables", "table_schema = ''", ""
	if d.Kind == BigQuery {
		before = inBackticks(d.Database) + "."
		from, where = before+"INFORMATION_SCHEMA.TABLES", "table_type = 'BASE TABLE'"
	}
	table, err := d.aTable(ctx, "SELECT table_name AS name FROM "+from+" WHERE "+where+" LIMIT 1")
	if err != nil {
		return err
	}
	return d.refuses(
		ctx, "DELETE FROM "+before+inBackticks(table.of("name"))+" WHERE FALSE", "Access Denied", "PermissionDenied",
		"permission denied",
	)
}

// inBackticks is a name as GoogleSQL quotes it.
func inBackticks(name string) string { return "`" + strings.ReplaceAll(name, "`", "") + "`" }
