package sql

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/sql/statement"
)

// maxDatabases is how many databases a file may declare.
const maxDatabases = 64

// Kind is what a database is.
type Kind string

// The kinds.
const (
	SQLite   Kind = "sqlite"
	Postgres Kind = "postgres"
	MySQL    Kind = "mysql" // and MariaDB
	BigQuery Kind = "bigquery"
	Spanner  Kind = "spanner"
)

// Declaration is what the file says about a database. Its texts are as they are written.
type Declaration struct {
	Name     string   `json:"-"`
	Kind     Kind     `json:"kind"`
	Path     string   `json:"path"`
	Host     string   `json:"host"`
	Port     int      `json:"port"`
	Database string   `json:"database"`
	User     string   `json:"user"`
	Password string   `json:"password"`
	TLS      string   `json:"tls"`
	Project  string   `json:"project"`
	Instance string   `json:"instance"`
	Folders  []string `json:"folders"`

	// Write says that its rows may be changed, by statements that a person is asked about each time, as another user.
	Write         bool   `json:"write"`
	WriteUser     string `json:"writeUser"`
	WritePassword string `json:"writePassword"`

	changes bool // it is used to change rows, as its user
}

// common are the keys that a database of any kind may have.
var common = []string{"kind", "folders"}

// kind is what there is to know of a kind of databases.
type kind struct {
	required, optional []string // keys
	port               int      // if none is given
	dialect            statement.Dialect
	missing            []string // is in what it says if a name in a statement does not exist
}

var kinds = map[Kind]kind{
	SQLite: {
		required: []string{"path"}, optional: []string{"write"}, dialect: statement.SQLite,
		missing: []string{"no such table", "no such column"},
	},
	Postgres: {
		required: []string{"database", "user", "password"}, optional: withUser, port: 5432, dialect: statement.Postgres,
		missing: []string{"SQLSTATE 42P01", "SQLSTATE 42703"},
	},
	MySQL: {
		required: []string{"database", "user", "password"}, optional: withUser, port: 3306, dialect: statement.MySQL,
		missing: []string{"Error 1146", "Error 1054"},
	},
	BigQuery: {required: []string{"project", "database"}, dialect: statement.GoogleSQL, missing: missingAtGoogle},
	Spanner: {
		required: []string{"project", "instance", "database"}, dialect: statement.GoogleSQL, missing: missingAtGoogle,
	},
}

var missingAtGoogle = []string{"Not found", "Unrecognized name", "not found"}

// withUser are the keys that a server with users may have.
var withUser = []string{"host", "port", "tls", "write", "writeUser", "writePassword"}

// encryptions are the words for tls, and what PostgreSQL and MySQL call them.
var encryptions = map[string]struct{ postgres, mysql string }{
	"verify": {"verify-full", "true"}, "require": {
		"require", "skip-verify",
	}, "prefer": {"prefer", "preferred"}, "off": {"disable", "false"},
}

// name is how a database may be called.
var name = lazyregexp.New(`^[a-z][a-z0-9_-]{0,39}$`)

// Parse reads a file of databases. What is wrong in it does not hide the other databases.
func Parse(data []byte) (list []Declaration, problems []*jsonc.Error) {
	root, err := jsonc.ParseObject(data, `{"databases": {}}`)
	if problem, ok := errors.AsType[*jsonc.Error](err); ok {
		return nil, []*jsonc.Error{problem}
	}
	for _, m := range root.Members {
		switch {
		case m.Key != "databases":
			problems = append(
				problems, m.Wrong("there is no key %q here; the databases stand in databases", visible.Line(m.Key)),
			)
			continue
		case m.Value.Kind != jsonc.Object:
			problems = append(problems, m.Wrong("databases must be an object of databases by their names"))
		}
		for _, one := range m.Value.Members {
			d, problem := declared(one)
			switch {
			case problem != nil:
				problem.Reason = fmt.Sprintf("the database %q is left out: %s", visible.Line(one.Key), problem.Reason)
				problems = append(problems, problem)
			case len(list) == maxDatabases:
				return list, append(
					problems, one.Wrong("it declares more than %d databases: the others are left out", maxDatabases),
				)
			default:
				list = append(list, d)
			}
		}
	}
	return list, problems
}

func declared(m jsonc.Member) (Declaration, *jsonc.Error) {
	d := Declaration{Name: m.Key}
	if !name().MatchString(m.Key) {
		return d, m.Wrong("its name must begin with a small letter and have up to 40 small letters, digits, _ and -")
	}
	if m.Value.Kind != jsonc.Object {
		return d, m.Wrong("it must be an object")
	}
	kind, _ := m.Value.Member("kind")
	d.Kind = Kind(kind.Value.Text())
	of, known := kinds[d.Kind]
	if !known {
		return d, m.Wrong("kind must be sqlite, postgres, mysql, bigquery or spanner")
	}
	keys := slices.Concat(common, of.required, of.optional)
	for _, key := range m.Value.Members {
		if !slices.Contains(keys, key.Key) {
			return d, key.Wrong(
				"a database of the kind %s has no key %q; the keys are %s", d.Kind, visible.Line(key.Key),
				strings.Join(keys, ", "),
			)
		}
	}
	for _, key := range of.required {
		if _, ok := m.Value.Member(key); !ok {
			return d, m.Wrong("%s is missing", key)
		}
	}
	if wrong := m.Decode(&d); wrong != nil {
		return d, wrong
	}
	if err := d.check(of); err != nil {
		return d, m.Wrong("%v", err)
	}
	return d, nil
}

func (d *Declaration) check(of kind) error {
	texts := append(
		[]string{
			d.Path, d.Host, d.Database, d.User, d.Password, d.TLS, d.Project, d.Instance, d.WriteUser, d.WritePassword,
		},
		d.Folders...,
	)
	if slices.ContainsFunc(texts, func(text string) bool { return visible.Line(text) != text }) {
		return errors.New("it holds characters that cannot be seen")
	}
	for _, path := range append(slices.Clone(d.Folders), d.Path) {
		if path != "" && !filepath.IsAbs(path) && !strings.HasPrefix(path, "~/") {
			return fmt.Errorf("%q must be a path from / or ~/ on", path)
		}
	}
	d.Host, d.Port, d.TLS = cmp.Or(d.Host, "127.0.0.1"), cmp.Or(d.Port, of.port), cmp.Or(d.TLS, "prefer")
	_, encrypted := encryptions[d.TLS]
	switch {
	case d.Port < 0 || d.Port > 65535:
		return errors.New("port must be 1 to 65535")
	case strings.ContainsAny(d.Host, "/?#@ []") || strings.Count(d.Host, ":") == 1:
		return fmt.Errorf("%q is no host", d.Host)
	case !encrypted:
		return errors.New("tls must be verify, require, prefer or off")
	case d.Password != "" && !strings.Contains(d.Password, "${"):
		return errors.New("password must not stand in the file: write ${env:NAME} or ${file:PATH}")
	case d.WritePassword != "" && !strings.Contains(d.WritePassword, "${"):
		return errors.New("writePassword must not stand in the file: write ${env:NAME} or ${file:PATH}")
	case !d.Write && (d.WriteUser != "" || d.WritePassword != ""):
		return errors.New("writeUser and writePassword mean nothing without \"write\": true")
	case d.Write && d.Kind != SQLite && (d.WriteUser == "" || d.WritePassword == "" || d.WriteUser == d.User):
		return errors.New("\"write\": true needs writeUser and writePassword, of another user than the one that reads")
	}
	return nil
}

// Place says to people which database it is.
func (d Declaration) Place() string {
	switch d.Kind {
	case SQLite:
		return "sqlite, " + d.Path
	case Postgres, MySQL:
		return fmt.Sprintf("%s, %s at %s:%d as %s", d.Kind, d.Database, d.Host, d.Port, d.User)
	case BigQuery:
		return "bigquery, " + d.Project + "." + d.Database
	case Spanner:
		return "spanner, " + strings.Join([]string{d.Project, d.Instance, d.Database}, "/")
	}
	return ""
}

// Writing says that rows of a database can be changed, to go on after other words; empty: they cannot.
func (d Declaration) Writing() string {
	switch {
	case !d.Write:
		return ""
	case d.WriteUser == "":
		return "; rows can be changed, each time after a yes"
	}
	return "; rows can be changed as " + d.WriteUser + ", each time after a yes"
}
