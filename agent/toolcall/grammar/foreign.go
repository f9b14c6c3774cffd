package grammar

import (
	"bytes"
	"slices"

	"github.com/assent-ls/assent/agent/toolcall"
)

// Models write calls in the envelopes of other families, too. A decoder therefore looks for all known envelopes: first
// for those of its own grammar, then for those of a foreign one, which is the same for all.
//
// A foreign envelope is a call under stricter rules, because a model is more likely to show it than to mean it: it must
// name an offered tool, and nothing but further calls may follow it until the end of a whole reply. Otherwise it is
// text, and a complete call in it is reported. What a family drops from its replies (markers without meaning, invented
// results) is dropped only beside its calls.

// Foreign makes one grammar of those of all families, to be used beside the own grammar of any of them.
func Foreign(families []*Grammar) *Grammar {
	g := &Grammar{}
	var kinds []string
	for _, f := range families {
		for _, b := range f.Blocks {
			if b.Read == nil && b.Then == nil || b.Kind != "" && slices.Contains(kinds, b.Kind) {
				continue
			}
			kinds = append(kinds, b.Kind)
			if b.Elsewhere != nil {
				b = *b.Elsewhere
			}
			b.Foreign = true
			g.Blocks = append(g.Blocks, b)
		}
		for _, t := range f.Thoughts {
			g.addThought(Thought{Open: t.Open, Close: t.Close, Label: t.Label, Shared: true})
		}
		for _, c := range f.Candidates {
			g.addCandidate(c.elsewhere())
		}
		g.Noise = appendNew(g.Noise, f.Noise)
		g.Sections = appendNew(g.Sections, f.Sections)
	}
	g.Build()
	for i := range g.targets {
		t := &g.targets[i]
		t.foreign, t.expects, t.noise = true, t.section, false
	}
	return g
}

// place is how much of the markers was read: of the own grammar (or of the open thought), and of the foreign one.
type place struct{ own, foreign int16 }

// step takes one byte of what is not in a thought. found says that a marker ends with it.
func (s *Decoder) step(b byte) (t target, found bool) {
	var own int
	foreign := -1
	s.place.own, own = s.g.top.Step(s.place.own, b)
	if s.foreign != nil {
		s.place.foreign, foreign = s.foreign.top.Step(s.place.foreign, b)
	}
	switch {
	case own < 0 && foreign < 0:
		return target{}, false
	case foreign < 0:
		return s.g.targets[own], true
	case own < 0:
		t = s.foreign.targets[foreign]
		return t, s.g.top.Depth(s.place.own) <= len(t.marker) // else it may be part of an own marker
	}
	return together(s.g.targets[own], s.foreign.targets[foreign]), true
}

// together is the target of a marker that means something in both grammars: the longer one, else what it means in the
// own grammar, and then the other envelopes that it may open.
func together(own, foreign target) target {
	switch {
	case len(foreign.marker) > len(own.marker):
		return foreign
	case len(foreign.marker) < len(own.marker) || own.thought != nil || own.closer:
		return own
	}
	own.expects = foreign.expects && !own.noise
	if foreign.block == nil {
		return own
	}
	others := append([]*Block{foreign.block}, foreign.alternatives...)
	if own.block == nil {
		own.block, others = others[0], others[1:]
	}
	own.alternatives = slices.Concat(own.alternatives, slices.DeleteFunc(others, func(b *Block) bool {
		return b.Kind != "" &&
			(own.block.Kind == b.Kind ||
				slices.ContainsFunc(own.alternatives, func(have *Block) bool { return have.Kind == b.Kind }))
	}))
	return own
}

// partial is how many of the last bytes may still become a marker.
func partial(s *Decoder) int {
	depth := s.g.top.Depth(s.place.own)
	if s.foreign != nil {
		depth = max(depth, s.foreign.top.Depth(s.place.foreign))
	}
	return depth
}

// namedWithin is how much of a foreign envelope is held that does not name an offered tool.
const namedWithin = 512

// unnamed reports whether what is read is no call, since so much of it names no tool.
func unnamed(s *Decoder) bool {
	return s.block.Foreign && len(s.body) >= namedWithin && !s.named && !s.r.Catalog.Open &&
		!slices.ContainsFunc(s.r.Catalog.tools, func(t *offered) bool { return bytes.Contains(s.body, []byte(t.Name)) })
}

// moreToRead is how much more than the first a block may read that begins alike: the markers at its end.
const moreToRead = 64

// tryLater reports whether a block that was read is not settled yet: another envelope that begins alike may hold a
// call. The one that says best what is wrong is tried once more in the end, and then counts.
func tryLater(s *Decoder, f Found, events []toolcall.Event) bool {
	b := s.block
	if s.settled || slices.ContainsFunc(events, isCall) || b.Read == nil && b.Then == nil {
		return false
	}
	if b.Read == nil {
		if next := b.Then(f); next.Block != nil || next.Thought != nil {
			return false
		}
	}
	if own := !b.Foreign && !s.strict; own || s.resort == nil && f.Closed && slices.ContainsFunc(events, isIntended) {
		s.resort, s.within = b, len(f.Body)+moreToRead
	}
	return len(s.alternatives) > 0 || s.resort != b
}

// nextBlock gives the next envelope to try where one was no call; nil: there is none, and all of it is text.
func nextBlock(s *Decoder) *Block {
	if len(s.alternatives) > 0 && s.tired(len(s.body)) {
		s.alternatives, s.gaveUp = nil, s.gaveUp || s.resort == nil
	}
	switch {
	case len(s.alternatives) > 0:
		next := s.alternatives[0]
		s.alternatives = s.alternatives[1:]
		return next
	case s.resort != nil && !s.settled:
		s.settled, s.within = true, 0
		return s.resort
	}
	return nil
}

// candidates gives those that b may begin, the own ones first, from the one after a candidate on; nil: from the first.
func candidates(s *Decoder, after *Candidate) []*Candidate {
	if s.known == nil {
		for i := range s.g.Candidates {
			s.known = append(s.known, &s.g.Candidates[i])
		}
		own := len(s.known)
		for i := 0; s.foreign != nil && i < len(s.foreign.Candidates); i++ {
			c := &s.foreign.Candidates[i]
			if !slices.ContainsFunc(s.known[:own], func(have *Candidate) bool { return have.Kind == c.Kind }) {
				s.known = append(s.known, c)
			}
		}
	}
	return s.known[slices.Index(s.known, after)+1:]
}
