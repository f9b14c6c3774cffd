package sql

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

//go:embed schema_search.md
var schemaSearchText string

// SchemaSearch and Select are the own names of the tools.
const (
	SchemaSearch = "schema_search"
	Select       = "sql_select"
)

// The bounds of a search.
const (
	maxFound     = 12      // tables
	maxFoundText = 8 << 10 // bytes
	maxLine      = 2 << 10 // of one table
)

type schemaInput struct {
	Query  string `json:"query" jsonschema:"words of what is looked for; empty: all tables"`
	Source string `json:"source,omitempty" jsonschema:"the database; empty: all"`
}

// schemaSearch is the tool schema_search.
func (s *Source) schemaSearch(list []*database) tools.Tool {
	spec := tools.Spec{
		Name: SchemaSearch, Description: schemaSearchText, Verb: "look for tables:", Effect: effect.Queries,
		Timeout: callLimit, PerMinute: 60,
	}
	return naming(list, spec, func(_ context.Context, call tools.Call, in schemaInput) (tools.Plan, error) {
		asked := list
		if in.Source != "" || len(list) == 1 {
			d, err := s.find(in.Source)
			if err != nil {
				return tools.Plan{}, err
			}
			asked = []*database{d}
		}
		names, places := namesOf(asked)
		plan := tools.Plan{
			Databases: names,
			Target:    fmt.Sprintf("%q in %s", strings.TrimSpace(in.Query), strings.Join(names, ", ")),
			Binding:   policy.Bind(append(places, in.Query)...),
		}
		plan.Run = func(ctx context.Context, _ tools.Reporter) tools.Result {
			var parts []string
			failed := 0
			byMeaning := func(byWords []int, texts func() []string) []int {
				return call.ByMeaning(ctx, in.Query, byWords, texts)
			}
			for _, d := range asked {
				text, err := d.search(ctx, in.Query, false, byMeaning)
				if err != nil {
					failed++
					text = tools.FailedBy(err).Text()
				}
				parts = append(parts, text)
			}
			result := tools.Text(strings.Join(parts, "\n\n"))
			result.Failed = failed == len(asked)
			return result
		}
		return plan, nil
	})
}

// tool is a tool whose schema names the databases, so that a model whose calls are constrained names one of them.
type tool struct {
	tools.Tool
	spec tools.Spec
}

// Spec implements tools.Tool.
func (t tool) Spec() tools.Spec { return t.spec }

// naming defines a tool with the argument source, which says what databases there are.
func naming[In any](
	list []*database, spec tools.Spec, plan func(context.Context, tools.Call, In) (tools.Plan, error),
) tools.Tool {
	spec.Description, spec.About = strings.TrimSpace(spec.Description)+" "+sources(list), about(list)
	defined := tools.Define(spec, plan)
	t := tool{defined, defined.Spec()}
	names, _ := namesOf(list)
	if enum, err := json.Marshal(names); err == nil {
		t.spec.Parameters = bytes.Replace(
			t.spec.Parameters, []byte(`"source":{`), []byte(`"source":{"enum":`+string(enum)+`,`), 1,
		)
	}
	return t
}

// sources says which databases there are.
func sources(list []*database) string {
	var names []string
	for _, d := range list {
		names = append(names, fmt.Sprintf("%s (%s)", d.Name, d.Kind))
	}
	return "Sources: " + strings.Join(names, ", ") + "."
}

func namesOf(list []*database) (names, places []string) {
	for _, d := range list {
		names, places = append(names, d.Name), append(places, d.Place())
	}
	return names, places
}

// search describes the tables that a query finds. See [schema.find].
func (d *database) search(ctx context.Context, query string, fresh bool, more also) (string, error) {
	s, err := d.schema(ctx, fresh)
	if err != nil {
		return "", err
	}
	return d.described(s, s.find(query, more)), nil
}

// described are tables as models and people read them, within bounds.
func (d *database) described(s schema, found []table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, read %s:\n", d.Name, d.Kind, s.age())
	shown := 0
	for _, t := range found {
		line := visible.Line(short(t.line(), maxLine))
		if shown == maxFound || b.Len()+len(line) > maxFoundText {
			break
		}
		b.WriteString(line + "\n")
		shown++
	}
	switch {
	case len(s.Tables) == 0:
		b.WriteString("[It has no tables that can be read.]")
	case len(found) == 0:
		fmt.Fprintf(&b, "[None of its %d tables has these words. Some are %s.]", len(s.Tables), some(s.Tables))
	case shown < len(found):
		fmt.Fprintf(
			&b, "[%d more tables fit, of %d in all: %s. Search with other words.]", len(found)-shown, len(s.Tables),
			some(found[shown:]),
		)
	}
	if s.Cut {
		fmt.Fprintf(&b, "\n[Only the first %d columns of the database are known.]", maxColumns)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// some are the names of the first tables.
func some(list []table) string {
	const most = 20
	var names []string
	for _, t := range list[:min(most, len(list))] {
		names = append(names, visible.Line(short(t.Name, 80)))
	}
	text := strings.Join(names, ", ")
	if len(list) > most {
		text += " and more"
	}
	return text
}
