package tools

import (
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assent-ls/assent/ranking"
)

// nameWeight is how often a word of a tool's name counts.
const nameWeight = 3

// rank gives the places of the tools that have words of a query in their names, descriptions and parameters, the best first, at most n.
func rank(specs []Spec, query string, n int) []int {
	var index ranking.Index
	for _, s := range specs {
		index.Add(ranking.Field{Text: s.Name, Weight: nameWeight}, ranking.Field{Text: s.Description, Weight: 1}, ranking.Field{Text: parameterWords(s), Weight: 1})
	}
	var places []int
	for _, found := range index.Rank(query, n) {
		places = append(places, found.Place)
	}
	return places
}

// parameterWords are the names of a tool's parameters, and what is said of them.
func parameterWords(s Spec) string {
	var schema jsonschema.Schema
	if schema.UnmarshalJSON(s.Parameters) != nil {
		return ""
	}
	var all strings.Builder
	for name, p := range schema.Properties {
		all.WriteString(name + " ")
		if p != nil {
			all.WriteString(p.Description + " ")
		}
	}
	return all.String()
}
