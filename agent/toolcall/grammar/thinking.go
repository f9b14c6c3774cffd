package grammar

import (
	"bytes"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// Thought is one way in which models mark their reasoning.
type Thought struct {
	Open, Close []string
	// shared closers mean something else at the top level, so a lone one is not dropped.
	Shared bool
	// breaks says that the markers of calls end the thought if nothing closes it: Qwen3, GLM, Kimi K2 and others forget to.
	Breaks bool
	// greedy says that calls inside the thought are meant (Apertus).
	Greedy bool
	// label is a word that may stand before the thought and is not part of it.
	Label string
	// resumes says that the thought goes on after such a call.
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

func (s *Stream) beginThought(t *Thought) {
	s.mode, s.thought, s.state = inThought, t, 0
	s.hold, s.followed, s.blank, s.fresh = nil, 0, 0, true
}

// leavePromptedThought leaves the thought that the prompt opened: the server tells thoughts from text itself.
func (s *Stream) leavePromptedThought() {
	if s.prompted && s.mode == inThought && s.fresh && len(bytes.TrimSpace(s.hold)) == 0 {
		s.endThought()
	}
	s.prompted = false
}

func (s *Stream) thoughtByte(b byte) {
	s.hold = append(s.hold, b)
	var hit int
	s.state, hit = s.thought.Inner.Step(s.state, b)
	if hit < 0 {
		if s.thought.Inner.Depth(s.state) == 0 && scan.IsSpace(b) {
			return
		}
		s.showThought(len(s.hold) - s.thought.Inner.Depth(s.state))
		return
	}
	t := s.thought.Targets[hit]
	at := len(s.hold) - len(t.marker)
	switch {
	case t.closer:
		s.showThought(at)
		s.endThought()
	case t.block != nil && s.thought.Greedy:
		s.showThought(at)
		s.beginBlock(t.marker, t.block)
	case (t.block != nil || t.section) && !s.last:
		s.showThought(at)
		s.mode, s.state = inThoughtCall, 0
	case s.fresh && len(bytes.TrimSpace(s.hold[:at])) == 0: // the opener, echoed
		s.hold, s.state = s.hold[:0], 0
	default:
		s.state = 0
		s.showThought(len(s.hold))
	}
}

// showThought makes the first n bytes of hold certain as reasoning, without blanks at either end of the thought.
func (s *Stream) showThought(n int) {
	if s.fresh {
		blanks := n - len(bytes.TrimLeft(s.hold[:n], " \t\r\n"))
		s.hold = s.hold[:copy(s.hold, s.hold[blanks:])]
		n -= blanks
		if label := s.thought.Label; label != "" && n <= len(label) && strings.HasPrefix(label, string(s.hold[:n])) {
			return
		} else if rest, found := bytes.CutPrefix(s.hold, []byte(label)); label != "" && found && scan.IsSpace(rest[0]) {
			cut := len(s.hold) - len(bytes.TrimLeft(rest, " \t\r\n"))
			s.hold, n = s.hold[:copy(s.hold, s.hold[cut:])], n-cut
		}
	}
	n = scan.TrimmedLen(s.hold[:n])
	if n == 0 {
		return
	}
	s.fresh = false
	s.emitThinking(s.hold[:n])
	s.hold = s.hold[:copy(s.hold, s.hold[n:])]
}

func (s *Stream) endThought() {
	s.thought, s.hold, s.prompted = nil, s.hold[:0], false
	s.backToProse()
}

// thoughtCallByte holds everything after a marker of a call inside a thought: if the thought still ends, the marker was quoted.
func (s *Stream) thoughtCallByte(b byte) {
	s.hold = append(s.hold, b)
	var hit int
	s.state, hit = s.thought.Inner.Step(s.state, b)
	if hit >= 0 && s.thought.Targets[hit].closer {
		at := len(s.hold) - len(s.thought.Targets[hit].marker)
		s.showThought(at)
		s.endThought()
	} else if len(s.hold) > MaxCall { // it goes on for ever: the marker was quoted
		s.mode, s.state = inThought, 0
		s.showThought(len(s.hold))
	}
}

// finishThoughtCall reads a thought that a call ended.
func (s *Stream) finishThoughtCall(complete bool) {
	rest := bytes.Clone(bytes.TrimLeft(s.hold, " \t\r\n"))
	if !complete {
		s.showThought(len(s.hold))
		rest = nil
	}
	s.endThought()
	s.replay(rest)
}

// finishThought ends a reply inside a thought. If the model meant to end there, what it thought may be its answer.
func (s *Stream) finishThought(complete bool) {
	s.showThought(len(s.hold))
	some := !s.fresh
	s.endThought()
	if complete && s.calls == 0 && some {
		s.unclosed = true
	}
}
