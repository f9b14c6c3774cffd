package grammar

import (
	"slices"
	"sync"
)

// New puts a grammar together when it is first asked for: its blocks, their closers as noise, the usual thoughts unless
// it has others, and what is accepted without a marker, since servers strip special tokens: JSON unless it has others.
func New(blocks []Block, with ...func(*Grammar)) func() *Grammar {
	return sync.OnceValue(func() *Grammar {
		g := &Grammar{Blocks: blocks, Noise: EndMarkers()}
		for _, apply := range with {
			apply(g)
		}
		if g.Thoughts == nil {
			g.Thoughts = ThinkTags(false)
		}
		if g.Candidates == nil {
			AcceptingJSON(g)
		}
		var openers []string
		for _, b := range g.Blocks {
			openers = append(openers, b.Open...)
		}
		for _, b := range g.Blocks {
			for _, c := range b.Closers {
				if !slices.Contains(g.Noise, c) && !slices.Contains(openers, c) {
					g.Noise = append(g.Noise, c)
				}
			}
		}
		return g.Build()
	})
}

// OneBlock is [New] with one block.
func OneBlock(block Block, with ...func(*Grammar)) func() *Grammar {
	return New([]Block{block}, with...)
}

// ThinkTags are the tags that most families use; breaks says that calls end a thought which nothing closes.
func ThinkTags(breaks bool) []Thought {
	first := Think()
	first.Breaks = breaks
	return []Thought{first, {Open: []string{"<thinking>"}, Close: []string{"</thinking>"}, Breaks: breaks}}
}

// CallsEndThoughts lets the markers of calls end a thought that nothing closes.
func CallsEndThoughts(g *Grammar) { g.Thoughts = ThinkTags(true) }

// Think is the common form.
func Think() Thought {
	return Thought{Open: []string{"<think>"}, Close: []string{"</think>"}}
}

// WithThoughts replaces the usual thoughts.
func WithThoughts(list ...Thought) func(*Grammar) {
	return func(g *Grammar) { g.Thoughts = list }
}

// AlsoThoughts are thoughts besides the common form.
func AlsoThoughts(list ...Thought) func(*Grammar) { return WithThoughts(append(list, Think())...) }

// Between is a thought between two markers.
func Between(open, closer string) Thought {
	return Thought{Open: []string{open}, Close: []string{closer}}
}

// Dropping adds markers without meaning.
func Dropping(markers ...string) func(*Grammar) {
	return func(g *Grammar) { g.Noise = append(g.Noise, markers...) }
}

// WithSections adds markers round a section of calls: without meaning at the top level, but in a thought as stopping as
// a call.
func WithSections(markers ...string) func(*Grammar) {
	return func(g *Grammar) { g.Noise, g.Sections = append(g.Noise, markers...), append(g.Sections, markers...) }
}

// Accepting adds candidates.
func Accepting(candidates ...Candidate) func(*Grammar) {
	return func(g *Grammar) { g.Candidates = append(g.Candidates, candidates...) }
}

// AcceptingJSON accepts the call as JSON without its marker.
func AcceptingJSON(g *Grammar) { g.Candidates = append(g.Candidates, BareJSON(false), FencedJSON()) }

// EndMarkers are special tokens that servers sometimes leave at the end of a reply.
func EndMarkers() []string {
	return []string{"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<end_of_turn>", "</s>"}
}

// Joined is a grammar whose calls are written right behind the prose.
func Joined(build func() *Grammar) func() *Grammar {
	return sync.OnceValue(func() *Grammar {
		g := build()
		g.Joined = true
		return g
	})
}
