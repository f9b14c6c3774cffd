package grammar

import (
	"slices"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// Grammar is what decoding needs to know of a format: its envelopes, its ways of thinking, and what it drops.
type Grammar struct {
	Blocks     []Block
	Thoughts   []Thought
	Noise      []string // markers without meaning, dropped at the top level
	Sections   []string // of the noise: what begins or ends a section of calls
	Candidates []Candidate
	Joined     bool // calls are written right behind the prose, without a break
	// opening is a block that begins with the reply, without a marker; nil: the reply begins with prose.
	Opening *Block

	top     *scan.Matcher
	targets []target
}

// Block is an envelope: what opens it, how its end is found, how it is read.
type Block struct {
	Open []string
	Scan func(*Reader) Scanner
	// read gives what the block holds. false: it was no call; all of it is prose. final says that the block is closed.
	Read func(r *Reader, b Found) ([]toolcall.Event, bool)
	// then is what the reply goes on with after the block; nil: prose.
	Then func(b Found) Next
	// closers are the markers that end the block: a block that was not seen to end is cut at the last of them.
	Closers    []string
	BeginsLine bool // the marker is a word: it must begin a line
	RunsOn     bool // it goes on up to the next message
	Rest       bool // it holds the rest of the reply, and counts only behind a call
}

// Found is a block as it was found in the reply.
type Found struct {
	Opener string
	Body   []byte // the decoder's own: it is good only while the block is read
	Final  bool   // closed, or open at the end of a whole reply
	Closed bool   // closed by its own end
}

// Text gives opener and body as one, and the body alone.
func (f Found) Text() (raw, body string) {
	raw = f.Opener + string(f.Body)
	return raw, raw[len(f.Opener):]
}

// Next says how the reply goes on.
type Next struct {
	Thought *Thought
	Block   *Block
}

// target is what a marker at the top level leads to.
type target struct {
	marker  string
	block   *Block
	others  []*Block // that begin with the same marker, tried in their order if block is no call
	thought *Thought
	closer  bool // of a thought that was not open
	section bool // begins or ends a section of calls
}

// Build prepares the matchers; call it once, before the grammar is used.
func (g *Grammar) Build() *Grammar {
	var markers []string
	add := func(t target) {
		if same := slices.Index(markers, t.marker); same >= 0 && t.block != nil && g.targets[same].block != nil {
			g.targets[same].others = append(g.targets[same].others, t.block)
			return
		}
		if t.marker != "" {
			g.targets = append(g.targets, t)
			markers = append(markers, t.marker)
		}
	}
	for i := range g.Blocks {
		for _, m := range g.Blocks[i].Open {
			add(target{marker: m, block: &g.Blocks[i]})
		}
	}
	for i := range g.Thoughts {
		t := &g.Thoughts[i]
		t.Build(g.Blocks, g.Sections)
		for _, m := range t.Open {
			add(target{marker: m, thought: t})
		}
		for _, m := range t.Close {
			if !t.Shared {
				add(target{marker: m, closer: true})
			}
		}
	}
	for _, m := range g.Noise {
		add(target{marker: m, section: slices.Contains(g.Sections, m)})
	}
	g.top = scan.NewMatcher(markers)
	return g
}
