package wire

import (
	"encoding/json"
	"slices"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// sequenceWindow is how long a change may come after one that was made later.
const sequenceWindow = 100 * time.Millisecond

// message is one message that waits for its turn. uri and version are set for what opens, changes or closes a document.
type message struct {
	method, uri string
	version     int32
	serve       func(next jsonrpc2.Handler)
}

// sequencer puts changes back into order by the documents' versions. It is for clients that send every notification
// from a task of its own, so that those of a burst of keys overtake each other: Helix 25.01 does. It holds everything
// back while a version is missing. Versions may be missing for ever; [sequencer.release] gives up on them.
type sequencer struct {
	last map[string]int32 // by URI, of what was let through
	held []message        // in the order in which they came
}

func newSequencer() *sequencer { return &sequencer{last: map[string]int32{}} }

// describe fills in what a message says about a document; what cannot be read is left to its handler.
func (m *message) describe(req jsonrpc2.Request) {
	switch req.Method() {
	case "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose":
	default:
		return
	}
	var params struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version int32  `json:"version"`
		} `json:"textDocument"`
	}
	if json.Unmarshal(req.Params(), &params) == nil {
		m.method, m.uri, m.version = req.Method(), params.TextDocument.URI, params.TextDocument.Version
	}
}

// take returns the messages whose turn it is now that m has come.
func (s *sequencer) take(m message) []message {
	s.held = append(s.held, m)
	return s.ready()
}

// waiting reports whether something is held back.
func (s *sequencer) waiting() bool { return len(s.held) > 0 }

// release lets everything through, the changes of each document by their versions.
func (s *sequencer) release() []message {
	var out []message
	for len(s.held) > 0 {
		first := 0
		for i, m := range s.held {
			if m.method == s.held[0].method && m.uri == s.held[0].uri && m.version < s.held[first].version {
				first = i
			}
		}
		out = append(append(out, s.pass(first)), s.ready()...)
	}
	return out
}

// ready takes from held what can be served without a gap.
func (s *sequencer) ready() []message {
	var out []message
	for len(s.held) > 0 {
		next := 0
		if s.early(s.held[0]) {
			next = slices.IndexFunc(s.held, func(m message) bool {
				return m.method == s.held[0].method && m.uri == s.held[0].uri && !s.early(m)
			})
		}
		if next < 0 {
			break
		}
		out = append(out, s.pass(next))
	}
	return out
}

// early reports whether a change came before one that must have been made earlier.
func (s *sequencer) early(m message) bool {
	last, open := s.last[m.uri]
	return m.method == "textDocument/didChange" && open && m.version > last+1
}

// pass removes one message from held and notes its version.
func (s *sequencer) pass(i int) message {
	m := s.held[i]
	s.held = slices.Delete(s.held, i, i+1)
	switch m.method {
	case "textDocument/didOpen":
		s.last[m.uri] = m.version
	case "textDocument/didChange":
		s.last[m.uri] = max(s.last[m.uri], m.version)
	case "textDocument/didClose":
		delete(s.last, m.uri)
	}
	return m
}
