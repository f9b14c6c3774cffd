// Package sql has the tools that read databases which the user declared, through Google's MCP Toolbox as a child
// process. A database is asked only after a probe showed that it refuses to be written to; a workspace declares none.
// Where the user says so, rows are changed by another account, each statement after a person said yes to it and to the
// number of its rows.
package sql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/sql/statement"
	"github.com/assent-ls/assent/tools/userstate"
)

// File is the name of the file of databases in the user's configuration folder.
const File = "databases.json"

// Options of New.
type Options struct {
	File    string        // declares the databases; empty: none
	Toolbox func() string // the program that the user's settings name; empty: it is looked for
	// Only names the databases that are used in the workspace; limited is false if all are. nil: all are.
	Only    func() (names []string, limited bool)
	Folder  string   // of the workspace; empty: there is none
	Others  []string // folders besides it whose programs are not used
	State   *userstate.State
	Shell   shell.Shell // keeps the processes
	Version string      // of this program
}

// Source are the tools for the databases of one workspace. It may be used concurrently.
type Source struct {
	options Options
	ending  sync.WaitGroup // of databases that are declared no more

	mu     sync.Mutex
	known  map[string]*database // guarded by mu: those that count, by name
	last   []Declaration        // guarded by mu: what the file declared when it could be parsed
	closed bool                 // guarded by mu
}

// New makes the source. It reads nothing and starts nothing.
func New(o Options) *Source {
	if o.Only == nil {
		o.Only = func() ([]string, bool) { return nil, false }
	}
	return &Source{options: o, known: map[string]*database{}}
}

// Name implements tools.Source.
func (*Source) Name() string { return "the databases" }

// Quiet implements tools.Quiet: it is asked what it has, and nothing is started for that.
func (*Source) Quiet() {}

// Tools implements tools.Source. It reads the file, and starts nothing.
func (s *Source) Tools(context.Context) ([]tools.Tool, <-chan struct{}, error) {
	outdated := tools.Outdated() // the file changes unseen
	list, problems := s.counting()
	if len(list) == 0 {
		return nil, outdated, errors.Join(problems...)
	}
	all := []tools.Tool{s.schemaSearch(list), s.selectTool(list)}
	if change, ok := s.changeTool(list); ok {
		all = append(all, change)
	}
	return all, outdated, errors.Join(problems...)
}

// Declared lists all databases of the file, and what is wrong in it in sentences without their end.
func (s *Source) Declared() (list []Declaration, problems []error) {
	list, problems, _ = s.read()
	return list, append(problems, s.Undeclared(list)...)
}

// read is Declared; broken says that the file is no JSON, as while somebody edits it.
func (s *Source) read() (list []Declaration, problems []error, broken bool) {
	if s.options.File == "" {
		return nil, nil, false
	}
	data, err := diskfile.ReadSmall(s.options.File, jsonc.MaxSize)
	if err != nil {
		return nil, []error{fmt.Errorf("%s cannot be read: %w", s.options.File, err)}, false
	}
	if len(data) == 0 {
		return nil, nil, false
	}
	_, err = jsonc.Parse(data)
	list, wrong := Parse(data)
	for _, problem := range wrong {
		problems = append(
			problems, fmt.Errorf("%s: %s: %w", s.options.File, jsonc.Place(data, problem.Offset), problem),
		)
	}
	return list, problems, err != nil
}

// Close ends all processes.
func (s *Source) Close() error {
	s.mu.Lock()
	s.closed = true
	known := s.known
	s.known = nil
	s.mu.Unlock()
	for _, d := range known {
		s.ending.Go(d.close)
	}
	s.ending.Wait()
	return nil
}

// Test reaches a declared database, wherever it may be used, and shows that it refuses to be written to. The error is a
// sentence without its end. No program of the open folders is used for it.
func (s *Source) Test(ctx context.Context, name string, open ...string) error {
	list, _ := s.Declared()
	at := slices.IndexFunc(list, func(d Declaration) bool { return d.Name == name })
	if at < 0 {
		return fmt.Errorf("%s declares no database %q that can be used", s.options.File, visible.Line(name))
	}
	o := s.options
	o.Others = open
	d := newDatabase(list[at], o)
	defer d.close()
	return d.ready(ctx)
}

// Explaining is the statement that asks a database how it would run a query, which it does not run. The error is a
// sentence without its end.
func (s *Source) Explaining(name, query string) (string, error) {
	d, err := s.find(name)
	if err != nil {
		return "", err
	}
	q, err := statement.Read(query, d.dialect())
	switch {
	case err != nil:
		return "", err
	case q.Explains:
		return q.Text, nil
	case d.Kind == SQLite:
		return "EXPLAIN QUERY PLAN " + q.Text, nil
	case d.Kind == Postgres, d.Kind == MySQL:
		return "EXPLAIN " + q.Text, nil
	}
	return "", fmt.Errorf("the database %s gives no plan: %s has no EXPLAIN that can be asked for here", d.Name, d.Kind)
}

// Known describes the tables of a database as they were read last, by any process; false: they never were. Nothing is
// started.
func (s *Source) Known(name string) (string, bool) {
	if d, err := s.find(name); err == nil {
		if kept, ok := d.kept(); ok {
			return d.described(kept, kept.Tables), true
		}
	}
	return "", false
}

// Schema describes the tables of a database that have words of a query; fresh reads them from the database even if they
// are known.
func (s *Source) Schema(ctx context.Context, name, query string, fresh bool) (string, error) {
	d, err := s.find(name)
	if err != nil {
		return "", err
	}
	return d.search(ctx, query, fresh, nil)
}
