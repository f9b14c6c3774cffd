package sql

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/diskfile"
)

// Unused says why a database is not used in the workspace, as part of a sentence; empty: it is used.
func (s *Source) Unused(d Declaration) string {
	if !s.inFolders(d) {
		return "not used in this folder, but in " + strings.Join(d.Folders, ", ")
	}
	if names, limited := s.options.Only(); limited && !slices.Contains(names, d.Name) {
		return "not used in this folder, since the setting databases does not name it"
	}
	return ""
}

// inFolders reports whether a database names no folders, or one of them is the workspace or holds it.
func (s *Source) inFolders(d Declaration) bool {
	if len(d.Folders) == 0 {
		return true
	}
	here, err := filepath.EvalSymlinks(s.options.Folder)
	if err != nil || s.options.Folder == "" {
		return false
	}
	return slices.ContainsFunc(d.Folders, func(folder string) bool {
		at, err := diskfile.FromHome(folder)
		if err == nil {
			at, err = filepath.EvalSymlinks(at)
		}
		if err != nil {
			return false
		}
		rel, err := filepath.Rel(at, here)
		return err == nil && filepath.IsLocal(rel)
	})
}

// counting are the databases that may be used in the workspace. Those that are declared no more, or otherwise, are
// ended. While the file is no JSON, what it declared before stays.
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
	problems = append(problems, s.Undeclared(declared)...)
	now := map[string]*database{}
	for _, d := range declared {
		if s.Unused(d) != "" {
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

// Undeclared lists a problem for each database that the settings name and that is not in a list.
func (s *Source) Undeclared(list []Declaration) (problems []error) {
	names, _ := s.options.Only()
	for _, name := range names {
		if !slices.ContainsFunc(list, func(d Declaration) bool { return d.Name == name }) {
			problems = append(
				problems,
				fmt.Errorf(
					"the setting databases names %q, and your file of databases declares none of this name (docs/sql.md)",
					visible.Line(name),
				),
			)
		}
	}
	return problems
}
