package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/sql"
	"github.com/assent-ls/assent/tools/sql/sqltest"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// sqlTasks are questions about a company's database of sixty tables, half of them on SQLite and half on PostgreSQL.
func sqlTasks() []task {
	ask := func(name string, kind sql.Kind, request string, answer ...string) task {
		t := serverTask(name, request, asksDatabase(), answers(answer...))
		t.servers, t.database = false, kind
		return t
	}
	return []task{
		ask("sql-open-orders", sql.Postgres, "Which customer has the most open orders?", "birch"),
		ask("sql-support", sql.SQLite, "How many employees work in the Support department?", "4|four"),
		ask("sql-unpaid", sql.Postgres, "What do all unpaid invoices come to together?", "85295"),
		ask("sql-warehouse", sql.SQLite, "Which of our warehouses has the largest capacity?", "turin"),
		ask(
			"sql-products", sql.Postgres, "List the three most expensive products.", "green tea no. 4",
			"green tea no. 3", "wine glass no. 3",
		),
		ask("sql-supplier", sql.SQLite, "Which supplier takes the longest to deliver?", "harbor"),
		ask("sql-tickets", sql.Postgres, "How many tickets with high priority are not closed yet?", "2|two"),
		ask("sql-salary", sql.SQLite, "Who of the employees earns the most?", "mia north"),
	}
}

// asksDatabase requires that rows were read.
func asksDatabase() check {
	return func(_ context.Context, o outcome) error {
		if !o.went[sql.Select] {
			return errors.New("no row of the database was read")
		}
		return nil
	}
}

// databases are the servers that the tasks of one evaluation share, each started when a task first needs it.
type databases struct {
	dir      string
	sqlite   string // the file; empty: not made yet
	postgres *sqltest.Server
}

func (d *databases) close() {
	if d.postgres != nil {
		d.postgres.Stop()
	}
	if d.dir != "" {
		_ = os.RemoveAll(d.dir)
	}
}

// declaration is what a user's file says of the database of a kind.
func (d *databases) declaration(ctx context.Context, kind sql.Kind) (declared map[string]any, err error) {
	if d.dir == "" {
		if d.dir, err = os.MkdirTemp("", "databases-"); err == nil {
			err = os.WriteFile(filepath.Join(d.dir, "password"), []byte(sqltest.Password), 0o600)
		}
		if err != nil {
			return nil, err
		}
	}
	switch kind {
	case sql.SQLite:
		if d.sqlite == "" {
			d.sqlite = filepath.Join(d.dir, "company.db")
			err = sqltest.NewSQLite(ctx, d.sqlite)
		}
		return map[string]any{"kind": kind, "path": d.sqlite}, err
	case sql.Postgres:
		if d.postgres == nil {
			d.postgres, err = sqltest.StartPostgres(ctx, os.Getenv("POSTGRES_BIN"), d.dir)
		}
		if err != nil {
			return nil, fmt.Errorf("POSTGRES_BIN (editors/e2e/install/databases.sh prints it): %w", err)
		}
		return map[string]any{
			"kind": kind, "host": d.postgres.Host, "port": d.postgres.Port, "tls": "off", "database": sqltest.Name,
			"user":     sqltest.Reader,
			"password": "${file:" + filepath.Join(d.dir, "password") + "}",
		}, nil
	case sql.MySQL, sql.BigQuery, sql.Spanner:
	}
	return nil, fmt.Errorf("no task has a database of the kind %s", kind)
}

// source is the source of the tools for a task's database, whose schema is known already.
func (d *databases) source(
	ctx context.Context, t task, ws *workspace.Workspace, state *userstate.State, dir string,
) (*sql.Source, error) {
	toolbox := os.Getenv("TOOLBOX")
	if toolbox == "" {
		return nil, errors.New("TOOLBOX must name the MCP Toolbox (editors/e2e/install/toolbox.sh prints it)")
	}
	declared, err := d.declaration(ctx, t.database)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]any{"databases": map[string]any{"company": declared}})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, sql.File)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	s := sql.New(sql.Options{
		File: file, Toolbox: func() string { return toolbox }, Folder: ws.Root(), State: state, Shell: shell.New(
			keepWord, lineWord,
		),
		Version: "eval",
	})
	known, err := s.Schema(ctx, "company", "", true)
	if err == nil && !strings.Contains(known, "customers") {
		err = errors.New("the schema lacks the tables of the company")
	}
	return s, err
}
