package configfiles

import "github.com/assent-ls/assent/tools/sql"

// Databases finds the databases in a file, also in one that somebody is just writing.
func Databases(text string) []Entry {
	root, _ := parse(text)
	var out []Entry
	for _, m := range root.members {
		if m.key.text == "databases" && m.value != nil {
			out = append(out, entries(m.value.members)...)
		}
	}
	return out
}

// DatabaseAt is the database at a place of a file: the one that is declared there, else the first on its line.
func DatabaseAt(text string, at int) (Entry, bool) { return entryAt(Databases(text), text, at) }

// DiagnoseDatabases says what is wrong in a file of databases.
func DiagnoseDatabases(text string) []Diagnostic {
	_, problems := sql.Parse([]byte(text))
	var out []Diagnostic
	for _, p := range problems {
		out = append(out, Diagnostic{Span{p.Offset, p.Offset + p.Length}, Error, upper(p.Reason) + "."})
	}
	return out
}
