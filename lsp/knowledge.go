package lsp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/lsp/convert"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/tools/editor"
)

// knowledgeTime is how long an answer of the editor's other language servers is waited for.
const knowledgeTime = 10 * time.Second

// knowledge asks the editor for what it knows: it implements editor.Editor.
type knowledge struct{ server *Server }

// Knows implements editor.Editor.
func (k knowledge) Knows() []string { return k.server.client.Capabilities().Assent().Editor }

// Diagnostics implements editor.Editor.
func (k knowledge) Diagnostics(ctx context.Context, path string) ([]editor.Diagnostic, error) {
	var of ext.OfFile
	if path != "" {
		of.URI = k.uri(path)
	}
	answer, err := ask[ext.Diagnostics](ctx, k, ext.DiagnosticsMethod, of)
	var out []editor.Diagnostic
	for _, d := range answer.Diagnostics {
		// our own say what waits
		if abs, fails := documents.PathOf(d.URI); fails == nil && d.Source != convert.OwnSource {
			out = append(
				out,
				editor.Diagnostic{
					Path: abs, Line: int(d.Range.Start.Line), Severity: d.Severity, Source: d.Source,
					Message: d.Message,
				},
			)
		}
	}
	return out, err
}

// Documents implements editor.Editor.
func (k knowledge) Documents(ctx context.Context) ([]editor.Document, error) {
	answer, err := ask[ext.Documents](ctx, k, ext.DocumentsMethod, ext.NoParams{})
	var out []editor.Document
	for _, d := range answer.Documents {
		if abs, fails := documents.PathOf(d.URI); fails == nil {
			out = append(out, editor.Document{Path: abs, Dirty: d.Dirty, Visible: d.Visible, Active: d.Active})
		}
	}
	return out, err
}

// Definition implements editor.Editor.
func (k knowledge) Definition(ctx context.Context, at editor.Place) ([]editor.Location, error) {
	return k.locations(ctx, ext.DefinitionMethod, at)
}

// References implements editor.Editor.
func (k knowledge) References(ctx context.Context, at editor.Place) ([]editor.Location, error) {
	return k.locations(ctx, ext.ReferencesMethod, at)
}

func (k knowledge) locations(ctx context.Context, method string, at editor.Place) ([]editor.Location, error) {
	column := documents.NewText(at.Text).Position(at.Column, k.server.store.Encoding()).Character
	answer, err := ask[ext.Locations](ctx, k, method, ext.Place{
		URI: k.uri(at.Path), Position: ext.Position{Line: uint32(at.Line), Character: column}, //nolint:gosec // lines of a text
	})
	var out []editor.Location
	for _, l := range answer.Locations {
		if abs, fails := documents.PathOf(l.URI); fails == nil {
			out = append(out, editor.Location{Path: abs, Line: int(l.Range.Start.Line)})
		}
	}
	return out, err
}

// Symbols implements editor.Editor.
func (k knowledge) Symbols(ctx context.Context, path, query string) ([]editor.Symbol, error) {
	wanted := ext.SymbolsWanted{Query: query}
	if path != "" {
		wanted = ext.SymbolsWanted{URI: k.uri(path)}
	}
	answer, err := ask[ext.Symbols](ctx, k, ext.SymbolsMethod, wanted)
	var out []editor.Symbol
	for _, sym := range answer.Symbols {
		if abs, fails := documents.PathOf(sym.URI); fails == nil {
			out = append(
				out,
				editor.Symbol{
					Name: sym.Name, Container: sym.Container, Kind: sym.Kind, Path: abs,
					Line: int(sym.Range.Start.Line),
				},
			)
		}
	}
	return out, err
}

var errOtherText = errors.New("the editor's text is another one: save the file, or try again")

// Formatted implements editor.Editor. The edits are those of the editor for the text that it has, so a text that it
// does not have is not formatted.
func (k knowledge) Formatted(ctx context.Context, path, text string) (string, error) {
	open, ok := k.server.buffers.Find(path)
	if !ok {
		return "", errors.New("it is not open in the editor, which formats open files alone")
	}
	if open.Text.String() != text {
		return "", errOtherText
	}
	answer, err := ask[ext.Edits](ctx, k, ext.FormatMethod, ext.OfFile{URI: open.URI})
	if err != nil {
		return "", err
	}
	if now, ok := k.server.buffers.Find(path); !ok || now.Text.String() != text {
		return "", errOtherText // somebody typed meanwhile
	}
	return applied(open.Text, answer.Edits, k.server.store.Encoding())
}

// applied is a text after edits of one moment, which must not overlap.
func applied(text documents.Text, edits []ext.Edit, enc documents.Encoding) (string, error) {
	type change struct {
		start, end int
		text       string
	}
	var all []change
	for _, e := range edits {
		at := change{
			text.Offset(documents.Position(e.Range.Start), enc), text.Offset(documents.Position(e.Range.End), enc),
			e.NewText,
		}
		if at.start > at.end {
			return "", errors.New("the editor gave a range that is turned around")
		}
		all = append(all, at)
	}
	slices.SortStableFunc(all, func(a, b change) int { return a.start - b.start })
	var out strings.Builder
	from := 0
	for _, c := range all {
		if c.start < from {
			return "", errors.New("the editor gave edits that overlap")
		}
		out.WriteString(text.Slice(from, c.start) + c.text)
		from = c.end
	}
	return out.String() + text.Slice(from, text.Len()), nil
}

// uri is how the editor spells a file that it has open, or else our own spelling.
func (k knowledge) uri(path string) string {
	if open, ok := k.server.buffers.Find(path); ok {
		return open.URI
	}
	return documents.URIOf(path)
}

// ask puts a question to the editor. An error says in a sentence that it could not answer.
func ask[R any](ctx context.Context, k knowledge, method string, params any) (R, error) {
	var answer R
	ctx, cancel := context.WithTimeout(ctx, knowledgeTime)
	defer cancel()
	if err := k.server.client.Call(ctx, method, params, &answer); err != nil {
		return answer, fmt.Errorf("the editor could not answer: %w", err)
	}
	return answer, nil
}
