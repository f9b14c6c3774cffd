package configfiles

import (
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/sql"
)

// Databases finds the databases in a file, also in one that somebody is just writing.
func Databases(text string) []Entry {
	root, _ := parse(text)
	all, _ := entriesIn(root, "databases")
	return all
}

// DatabaseAt is the database at a place of a file: the one that is declared there, else the first on its line.
func DatabaseAt(text string, at int) (Entry, bool) { return entryAt(Databases(text), text, at) }

// DiagnoseDatabases says what is wrong in a file of databases.
func DiagnoseDatabases(text string) []Diagnostic {
	_, problems := sql.Parse([]byte(text))
	var out []Diagnostic
	for _, p := range problems {
		out = append(out, problemAt(p.Offset, p.Length, false, p.Reason))
	}
	return out
}

// DiagnoseDatabaseNames says which databases that a settings file names are not declared.
func DiagnoseDatabaseNames(text string, declared func() []string) []Diagnostic {
	root, _ := parse(text)
	var out []Diagnostic
	for _, m := range root.members {
		if m.key.text != "databases" || len(m.value.items) == 0 {
			continue
		}
		names := declared()
		for _, item := range m.value.items {
			if item.kind == '"' && !slices.Contains(names, item.text) {
				out = append(
					out,
					Diagnostic{
						item.span, Warning,
						fmt.Sprintf(
							"Your file of databases declares no database %q (docs/sql.md).", visible.Line(item.text),
						),
					},
				)
			}
		}
	}
	return out
}

// SettingsSchema declares the keys of a settings file, which can name these databases.
func SettingsSchema(databases []string) *jsonschema.Schema {
	s := UserSettings.Schema()
	names := s.Properties["databases"].Items
	for _, name := range databases {
		names.Enum = append(names.Enum, name)
	}
	return s
}
