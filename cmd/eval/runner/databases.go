package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/tools/sql"
	"github.com/assent-ls/assent/tools/sql/sqltest"
)

// Databases are the servers that the tasks of one evaluation share, each started when a task first needs it.
type Databases struct {
	dir      string
	sqlite   string // the file; empty: not made yet
	postgres *sqltest.Server
}

// Close stops the servers and deletes their files.
func (d *Databases) Close() {
	if d.postgres != nil {
		d.postgres.Stop()
	}
	if d.dir != "" {
		_ = os.RemoveAll(d.dir)
	}
}

// declaration is what a user's file says about the database of a kind.
func (d *Databases) declaration(ctx context.Context, kind sql.Kind) (declared map[string]any, err error) {
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

// Source is the source of the tools for a database of a kind, whose schema is known already. The environment variables
// TOOLBOX and POSTGRES_BIN name the programs that it needs.
func (d *Databases) Source(ctx context.Context, kind sql.Kind, p Place) (*sql.Source, error) {
	toolbox := os.Getenv("TOOLBOX")
	if toolbox == "" {
		return nil, errors.New("TOOLBOX must name the MCP Toolbox (editors/e2e/install/toolbox.sh prints it)")
	}
	declared, err := d.declaration(ctx, kind)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]any{"databases": map[string]any{"company": declared}})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(p.Dir, sql.File)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	s := sql.New(sql.Options{
		File: file, Toolbox: func() string { return toolbox }, Folder: p.Workspace.Root(), State: p.State,
		Shell: p.Programs.Shell, Version: "eval",
	})
	known, err := s.Schema(ctx, "company", "", true)
	if err == nil && !strings.Contains(known, "customers") {
		err = errors.New("the schema lacks the tables of the company")
	}
	return s, err
}
