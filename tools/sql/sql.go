// Package sql has the tools that read databases which the user declared, through Google's MCP Toolbox as a child process. A database is
// asked only after a probe showed that it refuses to be written to; a workspace can name none.
package sql

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/assent-ls/assent/jsonc"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/sql/statement"
	"github.com/assent-ls/assent/tools/workspace"
	"github.com/assent-ls/assent/visible"
)

// File is the name of the file of databases in the user's configuration folder.
const File = "databases.json"

// Options of New.
type Options struct {
	File    string        // declares the databases; empty: none
	Toolbox func() string // the program that the user's settings name; empty: it is looked for
	Folder  string        // of the workspace; empty: there is none
	Others  []string      // folders besides it whose programs are not used
	State   *workspace.State
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
func New(o Options) *Source { return &Source{options: o, known: map[string]*database{}} }

// Name implements tools.Source.
func (*Source) Name() string { return "the databases" }

// Tools implements tools.Source. It reads the file, and starts nothing.
func (s *Source) Tools(context.Context) ([]tools.Tool, <-chan struct{}, error) {
	outdated := make(chan struct{}) // the file changes unseen
	close(outdated)
	list, problems := s.counting()
	if len(list) == 0 {
		return nil, outdated, errors.Join(problems...)
	}
	return []tools.Tool{s.schemaSearch(list), s.selectTool(list)}, outdated, errors.Join(problems...)
}

// Declared lists all databases of the file, and what is wrong in it in sentences without their end.
func (s *Source) Declared() (list []Declaration, problems []error) {
	list, problems, _ = s.read()
	return list, problems
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
		problems = append(problems, fmt.Errorf("%s: %s: %w", s.options.File, jsonc.Place(data, problem.Offset), problem))
	}
	return list, problems, err != nil
}

// Counts reports whether a database may be used in the workspace: it names no folders, or one of them is the workspace or holds it.
func (s *Source) Counts(d Declaration) bool {
	if len(d.Folders) == 0 {
		return true
	}
	here, err := filepath.EvalSymlinks(s.options.Folder)
	if err != nil || s.options.Folder == "" {
		return false
	}
	for _, folder := range d.Folders {
		at, err := home(folder)
		if err != nil {
			continue
		}
		if at, err = filepath.EvalSymlinks(at); err != nil {
			continue
		}
		if rel, err := filepath.Rel(at, here); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// counting are the databases that may be used in the workspace. Those that are declared no more, or otherwise, are ended. While the file is
// no JSON, what it declared before stays.
func (s *Source) counting() (list []*database, problems []error) {
	declared, problems, broken := s.read()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, []error{errors.New("they are not used any more")}
	}
	if broken {
		declared = s.last
	}
	s.last = declared
	now := map[string]*database{}
	for _, d := range declared {
		if !s.Counts(d) {
			continue
		}
		known := s.known[d.Name]
		if known == nil || !reflect.DeepEqual(known.Declaration, d) {
			known = newDatabase(d, s.options)
		}
		now[d.Name] = known
		list = append(list, known)
	}
	for name, old := range s.known {
		if now[name] != old {
			s.ending.Go(old.close)
		}
	}
	s.known = now
	return list, problems
}

// Find is the database of a name that may be used in the workspace. Without a name it is the only one.
func (s *Source) find(name string) (*database, error) {
	list, _ := s.counting()
	var names []string
	for _, d := range list {
		if d.Name == name || name == "" && len(list) == 1 {
			return d, nil
		}
		names = append(names, d.Name)
	}
	switch {
	case len(list) == 0:
		return nil, errors.New("no database can be used here; `assent sql sources` says why")
	case name == "":
		return nil, fmt.Errorf("name a source: %s", strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("there is no source %q here; there are %s", name, strings.Join(names, ", "))
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

// Test reaches a declared database, wherever it may be used, and shows that it refuses to be written to. The error is a sentence without its
// end. No program of the open folders is used for it.
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

// Explaining is the statement that asks a database how it would run a query, which it does not run. The error is a sentence without its end.
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

// Known describes the tables of a database as they were read last, by any process; false: they never were. Nothing is started.
func (s *Source) Known(name string) (string, bool) {
	d, err := s.find(name)
	if err != nil {
		return "", false
	}
	kept, ok := d.kept()
	if !ok {
		return "", false
	}
	return d.described(kept, kept.Tables), true
}

// Schema describes the tables of a database that have words of a query; fresh reads them from the database even if they are known.
func (s *Source) Schema(ctx context.Context, name, query string, fresh bool) (string, error) {
	d, err := s.find(name)
	if err != nil {
		return "", err
	}
	return d.search(ctx, query, fresh)
}
