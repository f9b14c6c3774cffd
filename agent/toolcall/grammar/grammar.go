// Package grammar says how calls and thoughts are in the replies of a family of models, and has the one decoder that
// reads by it.
package grammar

import (
	"bytes"
	"slices"
	"sync"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
	"github.com/assent-ls/assent/internal/lazyregexp"
)

// Grammar is what decoding needs to know of a format: its envelopes, its ways of thinking, and what it drops.
type Grammar struct {
	Blocks     []Block
	Thoughts   []Thought
	Noise      []string // markers without meaning, dropped at the top level
	Sections   []string // of the noise: what begins or ends a section of calls
	Candidates []Candidate
	Joined     bool // calls are written right behind the prose, without a break
	// Opening is a block that begins with the reply, without a marker; nil: the reply begins with prose.
	Opening *Block

	bodies  sync.Pool // buffers of decoders that ended
	top     *scan.Matcher
	targets []target
}

// Block is an envelope: what opens it, how its end is found, how it is read.
type Block struct {
	Open []string
	Scan Scans
	Read Reads
	// Then is what the reply goes on with after the block; nil: prose.
	Then func(b Found) Next
	// Closers are the markers that end the block: a block that was not seen to end is cut at the last of them.
	Closers    []string
	BeginsLine bool   // the marker is a word: it must begin a line
	RunsOn     bool   // it goes on up to the next message
	Foreign    bool   // it is of another family: see Foreign
	Elsewhere  *Block // what counts in replies of other families instead; nil: the same
	// what it reads, in the words of its maker: two of one kind read the same; empty: no other reads that
	Kind string
	Rest bool // it holds the rest of the reply, and counts only behind a call
}

// Found is a block as it was found in the reply.
type Found struct {
	Opener string
	Body   []byte // the decoder's own: it is good only while the block is read
	Final  bool   // closed, or open at the end of a whole reply
	Closed bool   // closed by its own end
}

// Text gives opener and body as one, and the body alone without the closer that it ends with.
func (f Found) Text(closers ...string) (raw, body string) {
	raw = f.Opener + string(f.Body)
	return raw, scan.CutAny(raw[len(f.Opener):], closers)
}

// Next says how the reply goes on.
type Next struct {
	Thought *Thought
	Block   *Block
}

// target is what a marker at the top level leads to.
type target struct {
	marker       string
	block        *Block
	alternatives []*Block // that begin with the same marker, tried in their order if block is no call
	thought      *Thought
	closer       bool // of a thought that was not open
	section      bool // begins or ends a section of calls
	noise        bool // means nothing where it begins no call
	foreign      bool // of another family
	expects      bool // text unless a call follows it
}

// Build prepares the matchers; call it once, before the grammar is used.
func (g *Grammar) Build() *Grammar {
	var markers []string
	add := func(t target) {
		if same := slices.Index(markers, t.marker); same >= 0 && g.targets[same].block != nil {
			if t.block != nil {
				g.targets[same].alternatives = append(g.targets[same].alternatives, t.block)
			}
			g.targets[same].section = g.targets[same].section || t.section
			g.targets[same].noise = g.targets[same].noise || t.noise
			return
		}
		if t.marker != "" {
			g.targets = append(g.targets, t)
			markers = append(markers, t.marker)
		}
	}
	for i := range g.Blocks {
		for _, m := range g.Blocks[i].Open {
			add(target{marker: m, block: &g.Blocks[i], foreign: g.Blocks[i].Foreign})
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
		add(target{marker: m, section: slices.Contains(g.Sections, m), noise: true})
	}
	g.top = scan.NewMatcher(markers)
	return g
}

// Thought is one way in which models mark their reasoning.
type Thought struct {
	Open, Close []string
	// Shared closers mean something else at the top level, so a lone one is not dropped.
	Shared bool
	// Breaks says that the markers of calls end the thought if nothing closes it: Qwen3, GLM, Kimi K2 and others forget
	// to.
	Breaks bool
	// Greedy says that calls inside the thought are meant (Apertus).
	Greedy bool
	// Label is a word that may be before the thought and is not part of it.
	Label string
	// Resumes says that the thought goes on after such a call.
	Resumes bool

	Inner   *scan.Matcher
	Targets []target
}

// Build prepares the matcher for the inside of the thought.
func (t *Thought) Build(blocks []Block, sections []string) {
	var markers []string
	for _, m := range t.Close {
		t.Targets = append(t.Targets, target{marker: m, closer: true})
		markers = append(markers, m)
	}
	for _, m := range t.Open {
		if !slices.Contains(markers, m) {
			t.Targets = append(t.Targets, target{marker: m})
			markers = append(markers, m)
		}
	}
	if t.Breaks || t.Greedy {
		for i := range blocks {
			for _, m := range blocks[i].Open {
				t.Targets = append(t.Targets, target{marker: m, block: &blocks[i]})
				markers = append(markers, m)
			}
		}
	}
	if t.Breaks {
		for _, m := range sections {
			t.Targets = append(t.Targets, target{marker: m, section: true})
			markers = append(markers, m)
		}
	}
	t.Inner = scan.NewMatcher(markers)
}

func isCall(e toolcall.Event) bool {
	_, ok := e.(toolcall.Called)
	return ok
}

// callEnd is where the call of a block ends: before the text that follows the JSON of one that nothing closes.
func (f Found) callEnd(b *Block) int {
	at := bytes.IndexByte(f.Body, '{')
	if at < 0 || f.Closed && len(b.Closers) > 0 && !b.RunsOn {
		return len(f.Body)
	}
	end := values.Balanced(string(f.Body[at:]))
	if end < 0 || len(bytes.Trim(f.Body[at+end:], " \t\r\n]`")) == 0 {
		return len(f.Body)
	}
	return at + end
}

// isIntended reports whether an event comes from what was certainly meant as a call.
func isIntended(e toolcall.Event) bool {
	m, broken := e.(toolcall.Malformed)
	return isCall(e) || broken && m.Name != ""
}

var partOfHeader = lazyregexp.New(`^\s*(?:assistant|analysis|commentary|final|to=\S*|<\|[^ ]*)?\s*(?:$|to=|<\|)`)
