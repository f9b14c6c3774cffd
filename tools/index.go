package tools

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
)

// The constants of BM25, as usual, and how often a word of a name counts.
const (
	bm25K      = 1.2
	bm25B      = 0.75
	nameWeight = 3
)

// index ranks tools by BM25 over the words of their names, descriptions and parameters.
type index struct {
	counts  []map[string]float64 // of each tool: how often it has a word
	lengths []float64
	average float64
	tools   map[string]float64 // by word: how many tools have it
}

func newIndex(specs []Spec) *index {
	x := &index{tools: map[string]float64{}}
	for _, s := range specs {
		counts, length := map[string]float64{}, 0.0
		add := func(text string, weight float64) {
			for _, word := range words(text) {
				counts[word] += weight
				length += weight
			}
		}
		add(s.Name, nameWeight)
		add(s.Description, 1)
		add(parameterWords(s), 1)
		for word := range counts {
			x.tools[word]++
		}
		x.counts, x.lengths = append(x.counts, counts), append(x.lengths, length)
		x.average += length / float64(len(specs))
	}
	return x
}

// rank gives the places of the tools that have words of the query, the best first, at most n.
func (x *index) rank(query string, n int) []int {
	scores := make([]float64, len(x.counts))
	var order []int
	for i, counts := range x.counts {
		for _, word := range words(query) {
			rarity := math.Log(1 + (float64(len(x.counts))-x.tools[word]+0.5)/(x.tools[word]+0.5))
			scores[i] += rarity * counts[word] * (bm25K + 1) / (counts[word] + bm25K*(1-bm25B+bm25B*x.lengths[i]/x.average))
		}
		if scores[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	return order[:min(n, len(order))]
}

// common are words that say nothing of what a tool does.
const common = " a an and are as at be by can do for from i if in into is it me my need of on or that the this to tool use want what which with you "

// words splits a text into words in lower case, and names at _ and at capitals. A plural counts as its singular.
func words(text string) []string {
	var all []string
	var word strings.Builder
	end := func() {
		w := strings.ToLower(word.String())
		word.Reset()
		if w == "" || strings.Contains(common, " "+w+" ") {
			return
		}
		if len(w) > 3 && !strings.HasSuffix(w, "ss") {
			w = strings.TrimSuffix(w, "s")
		}
		all = append(all, w)
	}
	small := false
	for _, r := range cut(text, maxBytes) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) || small && unicode.IsUpper(r) {
			end()
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			word.WriteRune(r)
		}
		small = unicode.IsLower(r)
	}
	end()
	return all
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
