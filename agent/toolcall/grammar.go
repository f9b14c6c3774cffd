package toolcall

import (
	"slices"
	"strings"
	"sync"
)

// grammar is what decoding needs to know of a format: its envelopes, its ways of thinking, and what it drops.
type grammar struct {
	blocks     []block
	thoughts   []thought
	noise      []string // markers without meaning, dropped at the top level
	sections   []string // of the noise: what begins or ends a section of calls
	candidates []candidate
	joined     bool // calls are written right behind the prose, without a break
	// opening is a block that begins with the reply, without a marker; nil: the reply begins with prose.
	opening *block

	top     *matcher
	targets []target
	buffers sync.Pool // of decoders that ended, see limit.go
	schemas schemas
}

// block is an envelope: what opens it, how its end is found, how it is read.
type block struct {
	open []string
	scan func(*reader) scanner
	// read gives what the block holds. false: it was no call; all of it is prose. final says that the block is closed.
	read func(r *reader, b found) ([]Event, bool)
	// then is what the reply goes on with after the block; nil: prose.
	then func(b found) next
	// closers are the markers that end the block: a block that was not seen to end is cut at the last of them.
	closers []string
	line    bool // the marker is a word: it must begin a line
	runsOn  bool // it goes on up to the next message
	rest    bool // it holds the rest of the reply, and counts only behind a call
}

// found is a block as it was found in the reply.
type found struct {
	opener string
	body   []byte // the decoder's own: it is good only while the block is read
	final  bool   // closed, or open at the end of a whole reply
	closed bool   // closed by its own end
}

// text gives opener and body as one, and the body alone. Readers of plain JSON do without that copy.
func (f found) text() (raw, body string) {
	var both strings.Builder
	both.Grow(len(f.opener) + len(f.body))
	both.WriteString(f.opener)
	both.Write(f.body)
	raw = both.String()
	return raw, raw[len(f.opener):]
}

// next says how the reply goes on.
type next struct {
	thought *thought
	block   *block
}

// target is what a marker at the top level leads to.
type target struct {
	marker  string
	block   *block
	others  []*block // that begin with the same marker, tried in their order if block is no call
	thought *thought
	closer  bool // of a thought that was not open
	section bool // begins or ends a section of calls
}

// build prepares the matchers; call it once, before the grammar is used.
func (g *grammar) build() *grammar {
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
	for i := range g.blocks {
		for _, m := range g.blocks[i].open {
			add(target{marker: m, block: &g.blocks[i]})
		}
	}
	for i := range g.thoughts {
		t := &g.thoughts[i]
		t.build(g.blocks, g.sections)
		for _, m := range t.open {
			add(target{marker: m, thought: t})
		}
		for _, m := range t.close {
			if !t.shared {
				add(target{marker: m, closer: true})
			}
		}
	}
	for _, m := range g.noise {
		add(target{marker: m, section: slices.Contains(g.sections, m)})
	}
	g.top = newMatcher(markers)
	return g
}
