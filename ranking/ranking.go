// Package ranking finds which of some texts have the words of another one: tools for a search, files for a message.
package ranking

import (
	"math"
	"slices"
)

// The constants of BM25, as usual (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009).
const (
	k = 1.2
	b = 0.75
)

// Index ranks documents by BM25 over their words. The zero value is empty. It may be read concurrently once all is added.
type Index struct {
	counts    []map[string]float64 // of each document: how often it has a word
	lengths   []float64
	total     float64
	documents map[string]float64 // by word: how many documents have it
}

// Field is a text of a document. Each of its words counts as often as its weight says.
type Field struct {
	Text   string
	Weight float64
}

// Add adds a document and returns its place, from 0.
func (x *Index) Add(fields ...Field) int {
	counts, length := map[string]float64{}, 0.0
	for _, f := range fields {
		for _, word := range Words(f.Text) {
			counts[word] += f.Weight
			length += f.Weight
		}
	}
	if x.documents == nil {
		x.documents = map[string]float64{}
	}
	for word := range counts {
		x.documents[word]++
	}
	x.counts, x.lengths = append(x.counts, counts), append(x.lengths, length)
	x.total += length
	return len(x.counts) - 1
}

// rarity says how much a word tells: one that no document has tells most.
func (x *Index) rarity(word string) float64 {
	return math.Log(1 + (float64(len(x.counts))-x.documents[word]+0.5)/(x.documents[word]+0.5))
}

// Ranked is a document that has words of a query.
type Ranked struct {
	Place int
	Score float64
	// Covers is the part of what the words of the query tell together that the document has, from 0 to 1.
	Covers float64
}

// Rank gives the documents that have words of a query, the best first, at most n. Equal ones stand in the order of adding.
func (x *Index) Rank(query string, n int) []Ranked {
	asked := map[string]float64{} // by word: its rarity
	var order []string
	all := 0.0
	for _, word := range Words(query) {
		if _, seen := asked[word]; !seen {
			asked[word] = x.rarity(word)
			all += asked[word]
			order = append(order, word)
		}
	}
	var found []Ranked
	for i, counts := range x.counts {
		r := Ranked{Place: i}
		for _, word := range order {
			if n := counts[word]; n > 0 {
				r.Score += asked[word] * n * (k + 1) / (n + k*(1-b+b*x.lengths[i]*float64(len(x.counts))/x.total))
				r.Covers += asked[word] / all
			}
		}
		if r.Score > 0 {
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b Ranked) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return found[:min(n, len(found))]
}
