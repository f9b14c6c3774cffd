package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/assent-ls/assent/internal/ranking"
)

// nameWeight is how often a word of a tool's name counts.
const nameWeight = 3

// searchIndex finds tools by the words of their names, descriptions and parameters. It is made at the first search,
// since most runs have none, and shared by all registries with the same tools. It may be used concurrently.
type searchIndex struct {
	specs []Spec
	once  sync.Once

	// Valid once once is done.
	words ranking.Index
	names []map[string]bool // of each tool: the words of its name, and the names of its parameters
	named map[string]int    // by word: in how many of names it is
	had   map[string]int    // by word: in how many of all it is
	all   []map[string]bool // of each tool: all its words
}

// indexOf is an index of a list of tools: that of an earlier registry, if there is one, if it describes the same.
func indexOf(specs []Spec, earlier *Registry) *searchIndex {
	if earlier != nil && slices.EqualFunc(specs, earlier.index.specs, sameWords) {
		return earlier.index
	}
	return &searchIndex{specs: specs}
}

func sameWords(a, b Spec) bool {
	return a.Name == b.Name && a.Description == b.Description && string(a.Parameters) == string(b.Parameters) &&
		a.About == b.About
}

// maxNear is how many texts count as near in what they mean: all are, more or less, and the order of the far ones says
// nothing.
const maxNear = 10

// ByMeaning puts what is near to a query in what it means into a list of places of texts that was ranked by words, the
// best first. Where the user chose no model for that, or it cannot be asked now, the list stays as it is.
func (c Call) ByMeaning(ctx context.Context, query string, byWords []int, texts func() []string) []int {
	if c.dispatcher == nil || c.dispatcher.registry.meaning == nil {
		return byWords
	}
	near := c.dispatcher.registry.meaning.Near(ctx, query, texts())
	near = near[:min(len(near), maxNear)]
	// twice, since it is right more often than words (docs/mcp.md has how often)
	return ranking.Fuse(byWords, near, near)
}

// search gives the first tools that a query finds among those that the caller was not told of, the best first: those
// that it names, then by words and by what they mean.
func (c Call) search(ctx context.Context, query string) []Spec {
	all := c.dispatcher.registry.Specs()
	var unknown, byWords []int // places among all; places among the unknown ones
	for i, s := range all {
		if c.unknown(s) {
			unknown = append(unknown, i)
		}
	}
	for _, found := range c.dispatcher.registry.index.rank(query) {
		if at, is := slices.BinarySearch(unknown, found.Place); is {
			byWords = append(byWords, at)
		}
	}
	names := namesIn(query)
	var named, others []Spec
	for _, at := range c.ByMeaning(ctx, query, byWords, func() []string { return meanings(all, unknown) }) {
		if s := all[unknown[at]]; names[strings.ToLower(s.Name)] {
			named = append(named, s)
		} else {
			others = append(others, s)
		}
	}
	list := append(named, others...)
	return list[:min(maxFound, len(list))]
}

// namesIn are what may be names of tools in a query, in lower case: all of it, and each word that is none of everyday
// language.
func namesIn(query string) map[string]bool {
	names := map[string]bool{strings.ToLower(strings.TrimSpace(query)): true}
	inName := func(r rune) bool { return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for word := range strings.FieldsFuncSeq(query, func(r rune) bool { return !inName(r) }) {
		if strings.ContainsAny(word, "_-") {
			names[strings.ToLower(word)] = true
		}
	}
	return names
}

// meanings are what some tools say about themselves, as a model that judges what texts mean reads it.
func meanings(all []Spec, places []int) []string {
	texts := make([]string, len(places))
	for i, place := range places {
		s := all[place]
		texts[i] = strings.TrimSpace(
			strings.NewReplacer("_", " ", "-", " ").Replace(s.Name) + ": " + s.Description + " " + s.About,
		)
	}
	return texts
}

// Fitting lists the tools that a request seems to be about, the best first, of those that are about something outside
// of the workspace: it has a word of their names, the names of their parameters or what they know, or two words of
// their descriptions. Those that fit much worse than the best are left out.
func (r *Registry) Fitting(request string, want func(Spec) bool) []Spec {
	asked := ranking.Words(request)
	var list []Spec
	best := 0.0
	for _, found := range r.index.rank(request) {
		s := r.tools[found.Place].Spec()
		if s.Origin == BuiltIn && s.About == "" || !want(s) || !r.index.meant(found.Place, asked) {
			continue
		}
		best = max(best, found.Score)
		if found.Score < best*leastFit || len(list) == maxFound {
			break
		}
		list = append(list, s)
	}
	return list
}

// leastFit is the part of the best tool's score that another one must have.
const leastFit = 0.4

// fewTools is how many tools may have a word in any case that says what a tool is about; "id" and "name" do not.
const fewTools = 12

// meant reports whether words speak of a tool.
func (x *searchIndex) meant(place int, words []string) bool {
	few := max(fewTools, len(x.specs)/10)
	has := map[string]bool{}
	for _, w := range words {
		if x.names[place][w] && x.named[w] <= few {
			return true
		}
		if x.all[place][w] && x.had[w] <= few {
			has[w] = true
		}
	}
	return len(has) >= 2
}

// rank gives the places of the tools that have words of a query, the best first.
func (x *searchIndex) rank(query string) []ranking.Ranked {
	x.once.Do(func() {
		x.named, x.had = map[string]int{}, map[string]int{}
		for _, s := range x.specs {
			parameters, about := parameterWords(s)
			name := s.Name + verbs(s.Name) + " " + s.About
			x.words.Add(
				ranking.Field{Text: name, Weight: nameWeight}, ranking.Field{Text: s.Description, Weight: 1},
				ranking.Field{Text: parameters + about, Weight: 1},
			)
			x.names = append(x.names, setOf(name+" "+parameters, x.named))
			x.all = append(x.all, setOf(name+" "+parameters+about+s.Description, x.had))
		}
	})
	return x.words.Rank(query, len(x.specs))
}

// setOf are the words of a text. Each is counted once.
func setOf(text string, counts map[string]int) map[string]bool {
	set := map[string]bool{}
	for _, w := range ranking.Words(text) {
		if !set[w] {
			set[w] = true
			counts[w]++
		}
	}
	return set
}

// verbs are those of the nouns in the name of a tool: who wants a reminder or a deployment says "remind me" or "deploy
// it".
func verbs(name string) string {
	var all strings.Builder
	for _, word := range ranking.Words(name) {
		for _, ending := range []string{"er", "ment", "or", "ation"} {
			if verb, ok := strings.CutSuffix(word, ending); ok && len(verb) >= 4 {
				all.WriteString(" " + verb)
			}
		}
	}
	return all.String()
}

// parameterWords are the names of a tool's parameters, and what is said about them.
func parameterWords(s Spec) (names, about string) {
	var schema struct {
		Properties map[string]json.RawMessage
	}
	if json.Unmarshal(s.Parameters, &schema) != nil {
		return "", ""
	}
	for name, text := range schema.Properties {
		var p struct{ Description string }
		_ = json.Unmarshal(text, &p) // what cannot be read says nothing
		names, about = names+name+" ", about+p.Description+" "
	}
	return names, about
}
