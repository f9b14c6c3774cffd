package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/excerpt"
)

//go:embed tool_search.md
var toolSearchText string

const (
	maxFound       = 5  // tools that one search describes
	maxListed      = 40 // names in the answer to a search that found nothing
	maxDescription = 1_000
	maxExamples    = 2
)

type toolSearchInput struct {
	Query string `json:"query" jsonschema:"a few words"`
}

// ToolSearch finds the tools that a model was not told of, and describes them in its result. See FoundIn.
func ToolSearch() Tool {
	spec := Spec{
		Name: "tool_search", Description: toolSearchText, Verb: "find a tool", Effect: effect.Computes, Finds: true,
	}
	return Define(spec, func(_ context.Context, call Call, in toolSearchInput) (Plan, error) {
		if strings.TrimSpace(in.Query) == "" {
			return Plan{}, arguments.Errorf("query is empty: say in a few words what the tool should do.")
		}
		return Plan{Target: excerpt.Cut(in.Query, excerpt.MaxLongLine), Run: func(
			ctx context.Context, _ Reporter,
		) Result {
			return Text(call.found(ctx, in.Query))
		}}, nil
	})
}

// Describe describes tools as the result of a search does, the first few of them. Empty: there are none.
func Describe(list []Spec) string {
	if len(list) == 0 {
		return ""
	}
	var lines []string
	for _, s := range list[:min(len(list), maxFound)] {
		lines = append(lines, definition(s))
	}
	return foundHeading + strings.Join(lines, "\n")
}

const noMoreTools = "There are no more tools than those that you know."

// foundHeading is above the tools that a model is told of.
const foundHeading = "You can call these tools now:\n"

// unknown reports whether the caller may call a tool and was not told of it.
func (c Call) unknown(s Spec) bool { return !s.Finds && !slices.Contains(c.Described, s.Name) }

// found is the result of a search among the tools that the caller was not told of: a line of JSON for each, the best
// first.
func (c Call) found(ctx context.Context, query string) string {
	var names, lines []string
	if c.dispatcher == nil {
		return noMoreTools
	}
	for _, s := range c.dispatcher.registry.Specs() {
		if c.unknown(s) {
			names = append(names, s.Name)
		}
	}
	size := 0
	for _, s := range c.search(ctx, query) {
		line := definition(s)
		if size += len(line); size > maxResult/2 && len(lines) > 0 {
			break
		}
		lines = append(lines, line)
	}
	switch {
	case len(names) == 0:
		return noMoreTools
	case len(lines) == 0 && len(names) > maxListed:
		return fmt.Sprintf(
			"No tool fits %q. There are %d more tools, such as %s.", excerpt.Cut(query, 100), len(names),
			strings.Join(names[:maxListed], ", "),
		)
	case len(lines) == 0:
		return fmt.Sprintf("No tool fits %q. There are %s.", excerpt.Cut(query, 100), strings.Join(names, ", "))
	}
	return foundHeading + strings.Join(lines, "\n")
}

// described is a tool in the result of a search.
type described struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Parameters  json.RawMessage   `json:"parameters"`
	Examples    []json.RawMessage `json:"examples,omitempty"` // of arguments
}

func definition(s Spec) string {
	d := described{
		s.Name, excerpt.Cut(s.Description, maxDescription), s.Parameters,
		s.Examples[:min(len(s.Examples), maxExamples)],
	}
	anything := json.RawMessage(`{"type":"object"}`)
	if len(d.Parameters) == 0 {
		d.Parameters = anything
	}
	line, err := json.Marshal(d)
	if err != nil { // the schema or an example is no JSON; the tool is found all the same
		d.Parameters, d.Examples = anything, nil
		line, _ = json.Marshal(d)
	}
	return string(line)
}

// FoundIn lists the names of the tools that the result of a search describes, in its order.
func FoundIn(result string) []string {
	var names []string
	for line := range strings.Lines(result) {
		var d described
		if strings.HasPrefix(line, `{"name":`) && json.Unmarshal([]byte(line), &d) == nil {
			names = append(names, d.Name)
		}
	}
	return names
}
