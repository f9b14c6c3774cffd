package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/assent-ls/assent/tools/effect"
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
	spec := Spec{Name: "tool_search", Description: toolSearchText, Verb: "find a tool", Effect: effect.Computes, Finds: true}
	return define(spec, func(_ context.Context, call Call, in toolSearchInput) (Plan, error) {
		if strings.TrimSpace(in.Query) == "" {
			return Plan{}, argumentError("query is empty: say in a few words what the tool should do.")
		}
		return Plan{Target: cut(in.Query, maxLongLine), Run: func(ctx context.Context, _ Reporter) Result {
			return Text(call.found(ctx, in.Query))
		}}, nil
	})
}

// Suited lists the built-in tools that a request asks for: one of their verbs stands in front of a file, as in "rename the file a.txt", or in
// front of a name in code, or the request has one of their cues.
// described are those that the model was told of. A verb alone says too little: who is asked to remove a line and offered a tool that
// deletes files may delete the file.
func (r *Registry) Suited(described []string, request string) []Spec {
	var list []Spec
	for _, s := range r.Specs() {
		if !slices.Contains(described, s.Name) && (verbBeforeFile(s.Verbs, request) || phraseAndFile(s.Phrases, request) || verbBeforeName(s.NameVerbs, request) || hasCue(s.Cues, request)) {
			list = append(list, s)
		}
	}
	return list
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

// betweenVerbAndFile are the words that may stand between the two.
const betweenVerbAndFile = " a an the this that these those my our old whole entire empty file files "

// verbBeforeFile reports whether a verb stands in front of a path, or of the word "file".
func verbBeforeFile(verbs []string, request string) bool {
	after := false
	for word := range strings.FieldsSeq(strings.ToLower(request)) {
		bare := strings.Trim(word, "\"'`.,;:!?()")
		switch {
		case slices.Contains(verbs, bare):
			after = true
		case !after:
		case bare == "file" || bare == "files" || strings.ContainsAny(bare, "./"):
			return true
		case !strings.Contains(betweenVerbAndFile, " "+bare+" "):
			after = false
		}
	}
	return false
}

// betweenVerbAndName are the words that may stand between a verb and a name in code.
const betweenVerbAndName = " a an the this that our function method variable constant class type struct field parameter argument option key setting macro module "

// verbBeforeName reports whether a verb stands in front of what can only be a name in code, such as parseAll, max_size or Point3D, and no file
// is named in which that is to be done.
func verbBeforeName(verbs []string, request string) bool {
	after, found := false, false
	for word := range strings.FieldsSeq(request) {
		bare := strings.Trim(word, "\"'`.,;:!?()")
		switch lower := strings.ToLower(bare); {
		case slices.Contains(verbs, lower):
			after = true
		case !after:
		case isName(bare) && (strings.Contains(bare, "_") || strings.LastIndexFunc(bare, unicode.IsUpper) > 0):
			found = true
		case !strings.Contains(betweenVerbAndName, " "+lower+" "):
			after = false
		}
		if strings.ContainsAny(bare, "./") {
			return false
		}
	}
	return found
}

// hasCue reports whether a request has one of some phrases.
func hasCue(cues []string, request string) bool {
	request = strings.ToLower(request)
	return slices.ContainsFunc(cues, func(cue string) bool { return strings.Contains(request, cue) })
}

// phraseAndFile reports whether a request has one of some phrases, and a path.
func phraseAndFile(phrases []string, request string) bool {
	return hasCue(phrases, request) &&
		slices.ContainsFunc(strings.Fields(request), func(w string) bool { return strings.ContainsAny(strings.Trim(w, "\"'`.,;:!?()"), "./") })
}

const noMoreTools = "There are no more tools than those that you know."

// foundHeading stands above the tools that a model is told of.
const foundHeading = "You can call these tools now:\n"

// unknown reports whether the caller may call a tool and was not told of it.
func (c Call) unknown(s Spec) bool { return !s.Finds && !slices.Contains(c.Described, s.Name) }

// found is the result of a search among the tools that the caller was not told of: a line of JSON for each, the best first.
func (c Call) found(ctx context.Context, query string) string {
	var names, lines []string
	if c.registry == nil {
		return noMoreTools
	}
	for _, s := range c.registry.Specs() {
		if c.unknown(s) {
			names = append(names, s.Name)
		}
	}
	size := 0
	for _, s := range c.search(ctx, query, maxFound) {
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
		return fmt.Sprintf("No tool fits %q. There are %d more tools, such as %s.", cut(query, 100), len(names), strings.Join(names[:maxListed], ", "))
	case len(lines) == 0:
		return fmt.Sprintf("No tool fits %q. There are %s.", cut(query, 100), strings.Join(names, ", "))
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
	d := described{s.Name, cut(s.Description, maxDescription), s.Parameters, s.Examples[:min(len(s.Examples), maxExamples)]}
	if len(d.Parameters) == 0 {
		d.Parameters = json.RawMessage(`{"type":"object"}`)
	}
	line, err := json.Marshal(d)
	if err != nil { // the schema or an example is no JSON; the tool is found all the same
		line, _ = json.Marshal(described{Name: s.Name, Description: d.Description, Parameters: json.RawMessage(`{"type":"object"}`)})
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
