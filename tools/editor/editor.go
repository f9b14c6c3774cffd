// Package editor has tools for what only the editor knows: what other language servers and linters say, which files are
// open, where a name is defined and used, how a file is formatted. Only what the editor at the other end can answer is
// offered.
package editor

import (
	"context"
	"fmt"
	"slices"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/workspace"
)

// Editor is the editor at the other end. Paths are absolute. Lines and columns are counted from zero, columns in bytes.
// Every method is bounded in time by the editor's side of the connection.
type Editor interface {
	// Knows lists what can be asked: the last parts of the names of the methods, such as "diagnostics".
	Knows() []string
	// Diagnostics are those of one file, or of all files if path is empty.
	Diagnostics(ctx context.Context, path string) ([]Diagnostic, error)
	Documents(ctx context.Context) ([]Document, error)
	Definition(ctx context.Context, at Place) ([]Location, error)
	References(ctx context.Context, at Place) ([]Location, error)
	// Symbols are those of a file, or those of the folder whose names fit the query.
	Symbols(ctx context.Context, path, query string) ([]Symbol, error)
	// Formatted is what a file with this text would be.
	Formatted(ctx context.Context, path, text string) (string, error)
}

// What can be asked.
const (
	Diagnostics = "diagnostics"
	Documents   = "documents"
	Definition  = "definition"
	References  = "references"
	Symbols     = "symbols"
	Format      = "format"
)

// Diagnostic is what a language server or a linter reports about a line.
type Diagnostic struct {
	Path     string
	Line     int
	Severity int // 1 error, 2 warning, 3 information, 4 hint
	Source   string
	Message  string
}

// Document is an open file.
type Document struct {
	Path                   string
	Dirty, Visible, Active bool
}

// Place is a place in a file: a column of a line with this text.
type Place struct {
	Path   string
	Line   int
	Column int
	Text   string // of the line
}

// Location is a line of a file.
type Location struct {
	Path string
	Line int
}

// Symbol is a name that a program defines.
type Symbol struct {
	Name, Container string
	Kind            int // as SymbolKind in LSP
	Path            string
	Line            int
}

// Source are the tools of the editor.
type Source struct {
	editor Editor
	ws     *workspace.Workspace
}

// New makes the source for a workspace. It asks nothing.
func New(e Editor, ws *workspace.Workspace) *Source { return &Source{e, ws} }

// Name implements tools.Source.
func (*Source) Name() string { return "the editor" }

// Quiet implements tools.Quiet: it is asked what it has, and nothing is started for that.
func (*Source) Quiet() {}

// Tools implements tools.Source. An editor says once what it knows.
func (s *Source) Tools(context.Context) ([]tools.Tool, <-chan struct{}, error) {
	return s.List(), nil, nil
}

// List are the tools for what the editor knows.
func (s *Source) List() []tools.Tool {
	var list []tools.Tool
	known := s.editor.Knows()
	for _, t := range []struct {
		needs string
		make  func() tools.Tool
	}{
		{Diagnostics, s.diagnostics},
		{Documents, s.documents},
		{Definition, s.definition},
		{References, s.references},
		{Symbols, s.symbols},
		{Format, func() tools.Tool { return builtin.FormatFile(s.ws, s.editor.Formatted) }},
	} {
		if slices.Contains(known, t.needs) {
			list = append(list, t.make())
		}
	}
	return list
}

// view is what the model may see of the files that an answer tells of. It is for one answer.
type view struct {
	source *Source
	of     string // the file that was asked for by its name, which was allowed; empty: none
	names  map[string]string
	hidden int
}

func (s *Source) view(of string) *view { return &view{source: s, of: of, names: map[string]string{}} }

// name is how the workspace names a file; ok is false for one that is outside, denied or protected, which is counted.
func (v *view) name(path string) (rel string, ok bool) {
	rel, known := v.names[path]
	if !known {
		if p, err := v.source.ws.Resolve(path); err == nil && p.Exists && (p.Protected == "" || p.Abs == v.of) {
			rel = p.Rel
		}
		v.names[path] = rel
	}
	if rel == "" {
		v.hidden++
	}
	return rel, rel != ""
}

// leftOut says how much was not shown.
func (v *view) leftOut() string {
	if v.hidden == 0 {
		return ""
	}
	return fmt.Sprintf(
		"\n[%d more in files that are not shown: they are protected, denied or outside the workspace.]", v.hidden,
	)
}
