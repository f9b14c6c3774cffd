package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/assent-ls/assent/ranking"
)

// nameWeight is how often a word of a tool's name counts.
const nameWeight = 3

// searchIndex finds tools by the words of their names, descriptions and parameters. It is made at the first search, since most runs have
// none, and shared by all registries with the same tools. It may be used concurrently.
type searchIndex struct {
	specs []Spec
	once  sync.Once
	words ranking.Index // valid once once is done
}

// indexOf is an index of a list of tools: the earlier one if it describes the same.
func indexOf(specs []Spec, earlier *searchIndex) *searchIndex {
	if earlier != nil && slices.EqualFunc(specs, earlier.specs, sameWords) {
		return earlier
	}
	return &searchIndex{specs: specs}
}

func sameWords(a, b Spec) bool {
	return a.Name == b.Name && a.Description == b.Description && string(a.Parameters) == string(b.Parameters)
}

// search gives the tools that have words of a query, the best first, at most n of those that want lets through.
func (r *Registry) search(query string, n int, want func(Spec) bool) []Spec {
	var list []Spec
	for _, found := range r.index.rank(query) {
		if s := r.tools[found.Place].Spec(); want(s) {
			list = append(list, s)
		}
		if len(list) == n {
			break
		}
	}
	return list
}

// rank gives the places of the tools that have words of a query, the best first.
func (x *searchIndex) rank(query string) []ranking.Ranked {
	x.once.Do(func() {
		for _, s := range x.specs {
			x.words.Add(ranking.Field{Text: s.Name, Weight: nameWeight}, ranking.Field{Text: s.Description, Weight: 1}, ranking.Field{Text: parameterWords(s), Weight: 1})
		}
	})
	return x.words.Rank(query, len(x.specs))
}

// parameterWords are the names of a tool's parameters, and what is said of them.
func parameterWords(s Spec) string {
	var schema struct {
		Properties map[string]json.RawMessage
	}
	if json.Unmarshal(s.Parameters, &schema) != nil {
		return ""
	}
	var all strings.Builder
	for name, text := range schema.Properties {
		var p struct{ Description string }
		_ = json.Unmarshal(text, &p) // what cannot be read says nothing
		all.WriteString(name + " " + p.Description + " ")
	}
	return all.String()
}
