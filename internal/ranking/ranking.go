// Package ranking finds which of some texts have the words of another one, or are near to it in what they mean: tools
// for a search, files for a message.
package ranking

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// The constants of BM25, as usual (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009).
const (
	k = 1.2
	b = 0.75
)

// Index ranks documents by BM25 over their words. The zero value is empty. It may be read concurrently while nothing is
// added.
type Index struct {
	ids map[string]int32 // by word
	// IDs by what is in texts, so that each form is looked at once; noID: it says nothing
	read      map[string]int32
	tally     []float32  // by ID: zero but while a document is read
	having    []float64  // by the ID of a word: how many documents have it
	documents []document // by place
	number    float64    // of documents that have words
	length    float64    // of all documents together
}

// document is what is known of one: its words by their IDs, sorted.
type document struct {
	words  []entry
	length float64
}

// entry is how often a document has a word.
type entry struct {
	id    int32
	count float32 // sums of weights, which are small
}

// Field is a text of a document. Each of its words counts as often as its weight says.
type Field struct {
	Text   string
	Weight float64
}

// Add adds a document and returns its place, from 0.
func (x *Index) Add(fields ...Field) int {
	x.documents = append(x.documents, document{})
	place := len(x.documents) - 1
	x.Replace(place, fields...)
	return place
}

// Replace puts another document in the place of one; without fields the place is empty, and counts for nothing.
func (x *Index) Replace(place int, fields ...Field) {
	x.count(x.documents[place], -1)
	x.documents[place] = x.document(fields)
	x.count(x.documents[place], 1)
}

// count takes a document into account, or out of it.
func (x *Index) count(d document, by float64) {
	if len(d.words) > 0 {
		x.number += by
	}
	x.length += by * d.length
	for _, w := range d.words {
		x.having[w.id] += by
	}
}

// Compact gives back what is only of use while many documents are added.
func (x *Index) Compact() { x.read, x.tally = nil, nil }

// noID is that of what says nothing.
const noID = -1

// document reads one.
func (x *Index) document(fields []Field) document {
	var d document
	for _, f := range fields {
		count := func(id int32) {
			if id == noID {
				return
			}
			for int(id) >= len(x.tally) {
				x.tally = append(x.tally, 0)
			}
			if x.tally[id] == 0 {
				d.words = append(d.words, entry{id: id})
			}
			x.tally[id] += float32(f.Weight)
			d.length += f.Weight
		}
		each(
			f.Text, func(part string) { count(x.known(part, base)) },
			func(name string) { count(x.known(name, strings.ToLower)) },
		)
	}
	for i, w := range d.words {
		d.words[i].count, x.tally[w.id] = x.tally[w.id], 0
	}
	slices.SortFunc(d.words, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
	d.words = slices.Clip(slices.Clone(d.words))
	return d
}

// known is the ID of what is in a text, and counts as a word. No name that was split is a part of one.
func (x *Index) known(text string, word func(string) string) int32 {
	id, known := x.read[text]
	if !known {
		id = noID
		if w := word(text); w != "" {
			id = x.id(w)
		}
		if x.read == nil {
			x.read = map[string]int32{}
		}
		x.read[strings.Clone(text)] = id
	}
	return id
}

func (x *Index) id(word string) int32 {
	id, known := x.ids[word]
	if !known {
		if x.ids == nil {
			x.ids = map[string]int32{}
		}
		id = int32(len(x.having)) //nolint:gosec // there are fewer words
		x.ids[strings.Clone(word)] = id
		x.having = append(x.having, 0)
	}
	return id
}

// rarity says how much a word tells that so many documents have.
func (x *Index) rarity(having float64) float64 { return Rarity(having, x.number) }

// Rarity says how much a word tells that some of all documents have: one that none has tells most.
func Rarity(having, all float64) float64 { return math.Log(1 + (all-having+0.5)/(having+0.5)) }

// Saturated is what a word counts, times its rarity, that a document has so often; length is that of the document, in
// mean lengths.
func Saturated(count, length float64) float64 { return count * (k + 1) / (count + k*(1-b+b*length)) }

// Ranked is a document that has words of a query.
type Ranked struct {
	Place int
	Score float64
	// Covers is the part of what the words of the query tell together that the document has, from 0 to 1.
	Covers float64
}

// Rank gives the documents that have words of a query, the best first, at most n. Equal ones are in the order of
// adding.
func (x *Index) Rank(query string, n int) []Ranked {
	asked, all := x.asked(query)
	places := make([]int32, len(x.having)) // of words in asked, from 1
	for i, w := range asked {
		places[w.id] = int32(i) + 1 //nolint:gosec // there are fewer words
	}
	var found []Ranked
	var shared []entry // by place in asked, so that a query's words always count in its own order
	for place, d := range x.documents {
		shared = shared[:0]
		for _, w := range d.words {
			if at := places[w.id]; at > 0 {
				shared = append(shared, entry{at, w.count})
			}
		}
		slices.SortFunc(shared, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
		r := Ranked{Place: place}
		for _, w := range shared {
			rarity, n := asked[w.id-1].rarity, float64(w.count)
			r.Score += rarity * Saturated(n, d.length*x.number/x.length)
			r.Covers += rarity / all
		}
		if r.Score > 0 {
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return found[:min(n, len(found))]
}

// asked is a word of a query that some document has.
type asked struct {
	id     int32
	rarity float64
}

// asked are the words of a query, each once, and all that they tell together, with those that no document has.
func (x *Index) asked(query string) (words []asked, all float64) {
	seen := map[string]bool{}
	for _, word := range Words(query) {
		if seen[word] {
			continue
		}
		seen[word] = true
		id, known := x.ids[word]
		if !known {
			all += x.rarity(0)
			continue
		}
		rarity := x.rarity(x.having[id])
		words, all = append(words, asked{id, rarity}), all+rarity
	}
	return words, all
}
