package sqltest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What the tests of databases count on: sixty tables, and rows that fit them.
func TestTheCompany(t *testing.T) {
	columns := map[string][]Column{}
	for _, table := range Tables() {
		columns[table.Name] = table.Columns
	}
	if len(columns) != 60 {
		t.Errorf("%d tables, not 60", len(columns))
	}
	for _, r := range rows() {
		if len(columns[r.table]) != len(r.values) {
			t.Fatalf("%s has %d columns, a row %d values", r.table, len(columns[r.table]), len(r.values))
		}
	}
	if diff := cmp.Diff(Statements(Postgres), Statements(Postgres)); diff != "" {
		t.Errorf("the content differs from time to time:\n%s", diff)
	}
}

func TestServersStart(t *testing.T) {
	start := map[string]func(string) (*Server, error){}
	if bin := os.Getenv("POSTGRES_BIN"); bin != "" {
		start["PostgreSQL"] = func(dir string) (*Server, error) { return StartPostgres(t.Context(), bin, dir) }
	}
	if base := os.Getenv("MARIADB_BASE"); base != "" {
		start["MariaDB"] = func(dir string) (*Server, error) { return StartMariaDB(t.Context(), base, dir) }
	}
	if len(start) == 0 {
		t.Skip("NOT TESTED: real database servers; POSTGRES_BIN and MARIADB_BASE name none (.ci/databases sets them)")
	}
	for name, start := range start {
		t.Run(name, func(t *testing.T) {
			begun := time.Now()
			s, err := start(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("ready after %v on port %d", time.Since(begun), s.Port)
			s.Stop()
			s.Stop() // no harm
		})
	}
}

func TestSQLiteIsMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "company.db")
	if err := NewSQLite(t.Context(), file); err != nil {
		if strings.Contains(err.Error(), "executable file not found") {
			t.Skip("NOT TESTED: SQLite, since python3 is missing")
		}
		t.Fatal(err)
	}
	head, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(head), "SQLite format 3") || len(head) < 60*4096 {
		t.Errorf("%v; the file has %d bytes", err, len(head))
	}
}
