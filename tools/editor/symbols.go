package editor

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/paths"
)

//go:embed find_definition.md
var definitionText string

//go:embed find_references.md
var referencesText string

//go:embed find_symbols.md
var symbolsText string

type placeInput struct {
	Path   string `json:"path"`
	Symbol string `json:"symbol"         jsonschema:"a name that stands in the file"`
	Line   int    `json:"line,omitempty" jsonschema:"the line where it stands; without it the first"`
}

func (s *Source) definition() tools.Tool {
	return s.locations(
		tools.Spec{
			Name: "find_definition", Description: definitionText,
			About: "defined definition declared declaration where",
		},
		s.editor.Definition,
	)
}

func (s *Source) references() tools.Tool {
	return s.locations(
		tools.Spec{
			Name: "find_references", Description: referencesText,
			About: "used uses usages references callers calls where",
		},
		s.editor.References,
	)
}

// locations is a tool that finds places for a name in a file.
func (s *Source) locations(spec tools.Spec, find func(context.Context, Place) ([]Location, error)) tools.Tool {
	spec.Effect, spec.Arguments = effect.Reads, map[string]tools.ArgumentKind{"path": tools.ExistingFile}
	return tools.Define(spec, func(ctx context.Context, _ tools.Call, in placeInput) (tools.Plan, error) {
		p, named, err := paths.ExistingPath(ctx, s.ws, in.Path)
		if err != nil {
			return tools.Plan{}, err
		}
		f, err := paths.ReadText(ctx, s.ws, p)
		if err != nil {
			return tools.Plan{}, err
		}
		at, err := placeOf(f.Text, in)
		if err != nil {
			return tools.Plan{}, err
		}
		at.Path = p.Abs
		// What is found may be in any file, with its line.
		plan := tools.Plan{
			Target:  fmt.Sprintf("%s in %s", in.Symbol, p.Rel),
			Binding: fmt.Sprintf("%s:%d:%d", p.Rel, at.Line, at.Column), Paths: append(named, "."),
			Protected: p.Protected,
		}
		plan.Run = func(ctx context.Context, _ tools.Reporter) tools.Result {
			found, err := find(ctx, at)
			if err != nil {
				return tools.FailedBy(err)
			}
			if len(found) == 0 {
				return tools.Failed(fmt.Sprintf(
					"The editor's language servers find nothing for %q: search_files finds its words.", in.Symbol,
				))
			}
			return s.places(ctx, found)
		}
		return plan, nil
	})
}

// placeOf finds a name in a text: on a line counted from 1, or the first.
func placeOf(text string, in placeInput) (Place, error) {
	if strings.TrimSpace(in.Symbol) == "" {
		return Place{}, errors.New("symbol is empty: give the name")
	}
	lines := strings.Split(text, "\n")
	if in.Line > len(lines) || in.Line < 0 {
		return Place{}, fmt.Errorf("line %d does not exist: %q has %d lines", in.Line, in.Path, len(lines))
	}
	var at []Place
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if column := wordIn(line, in.Symbol); column >= 0 {
			at = append(at, Place{Line: i, Column: column, Text: line})
		}
	}
	if len(at) == 0 {
		return Place{}, fmt.Errorf("%q does not stand in %q: search_files finds where it does", in.Symbol, in.Path)
	}
	// Small models count lines wrongly: the nearest line with the name is meant.
	return slices.MinFunc(at, func(a, b Place) int { return distance(a, in.Line) - distance(b, in.Line) }), nil
}

func distance(p Place, line int) int {
	if line == 0 {
		return p.Line
	}
	return max(p.Line-line+1, line-1-p.Line)
}

// wordIn is the column of a name that stands alone in a line, or of its first place; -1: none.
func wordIn(line, name string) int {
	if whole := edit.WholeWords(line, name); len(whole) > 0 {
		return whole[0]
	}
	return strings.Index(line, name)
}

// places shows lines of files with their text.
func (s *Source) places(ctx context.Context, found []Location) tools.Result {
	see := s.view("")
	var lines []string
	seen := map[Location]bool{}
	texts := map[string][]string{}
	for _, l := range found {
		if seen[l] {
			continue
		}
		seen[l] = true
		rel, ok := see.name(l.Path)
		if !ok {
			continue
		}
		if _, read := texts[rel]; !read && ctx.Err() == nil {
			texts[rel] = s.text(ctx, rel)
		}
		line := fmt.Sprintf("%s:%d", rel, l.Line+1)
		if all := texts[rel]; l.Line < len(all) {
			line += ": " + excerpt.ShortLine(strings.TrimSpace(all[l.Line]))
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return tools.Text("It stands in no file that can be shown." + see.leftOut())
	}
	return tools.Text(excerpt.List(lines, "") + see.leftOut())
}

func (s *Source) text(ctx context.Context, rel string) []string {
	p, err := s.ws.Resolve(rel)
	if err != nil {
		return nil // its place is shown without its text
	}
	f, err := paths.ReadText(ctx, s.ws, p)
	if err != nil {
		return nil // its place is shown without its text
	}
	return strings.Split(f.Text, "\n")
}

type symbolsInput struct {
	Path  string `json:"path,omitempty"  jsonschema:"a file: all its symbols"`
	Query string `json:"query,omitempty" jsonschema:"part of a name: symbols of all files"`
}

func (s *Source) symbols() tools.Tool {
	spec := tools.Spec{
		Name: "find_symbols", Description: symbolsText, Effect: effect.Reads,
		About:     "functions classes types methods symbols outline",
		Arguments: map[string]tools.ArgumentKind{"path": tools.ExistingFile},
	}
	return tools.Define(spec, func(ctx context.Context, _ tools.Call, in symbolsInput) (tools.Plan, error) {
		plan, abs, err := s.planFor(ctx, in.Path, fmt.Sprintf("%q", in.Query))
		if err != nil {
			return tools.Plan{}, err
		}
		if abs == "" && strings.TrimSpace(in.Query) == "" {
			return tools.Plan{}, errors.New("give the path of a file, or part of a name as query")
		}
		plan.Binding = plan.Target + "\x00" + in.Query
		plan.Run = func(ctx context.Context, _ tools.Reporter) tools.Result {
			found, err := s.editor.Symbols(ctx, abs, in.Query)
			if err != nil {
				return tools.FailedBy(err)
			}
			return s.named(found, abs, in.Query)
		}
		return plan, nil
	})
}

// named lists symbols, those whose names fit alone.
func (s *Source) named(found []Symbol, of, query string) tools.Result {
	see := s.view(of)
	var lines []string
	for _, sym := range found {
		if of != "" && !strings.Contains(strings.ToLower(sym.Name), strings.ToLower(query)) {
			continue
		}
		rel, ok := see.name(sym.Path)
		if !ok {
			continue
		}
		line := fmt.Sprintf("%s:%d: %s", rel, sym.Line+1, strings.TrimSpace(kinds[sym.Kind]+" "+oneLine(sym.Name)))
		if sym.Container != "" {
			line += " in " + oneLine(sym.Container)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return tools.Failed(
			"The editor's language servers know no such symbol: search_files finds words." + see.leftOut(),
		)
	}
	return tools.Text(excerpt.List(lines, "Give a longer query.") + see.leftOut())
}

// oneLine makes a text of others harmless in a line: it has one line, nothing hidden, and no more than a line may have.
func oneLine(s string) string {
	return excerpt.ShortLine(visible.Line(strings.Join(strings.Fields(s), " ")))
}

// kinds are the kinds of symbols of LSP that programs have names for.
var kinds = map[int]string{
	2: "module", 3: "namespace", 4: "package", 5: "class", 6: "method", 7: "property", 8: "field", 9: "constructor",
	10: "enum", 11: "interface",
	12: "function", 13: "variable", 14: "constant", 22: "enum member", 23: "struct", 24: "event", 26: "type parameter",
}
