package toolcall

import (
	"bytes"
	"slices"
	"strings"
)

// thought is one way in which models mark their reasoning.
type thought struct {
	open, close []string
	// shared closers mean something else at the top level, so a lone one is not dropped.
	shared bool
	// breaks says that the markers of calls end the thought if nothing closes it: Qwen3, GLM, Kimi K2 and others forget to.
	breaks bool
	// greedy says that calls inside the thought are meant (Apertus).
	greedy bool
	// label is a word that may stand before the thought and is not part of it.
	label string
	// resumes says that the thought goes on after such a call.
	resumes bool

	inner   *matcher
	targets []target
}

// build prepares the matcher for the inside of the thought.
func (t *thought) build(blocks []block, sections []string) {
	var markers []string
	for _, m := range t.close {
		t.targets = append(t.targets, target{marker: m, closer: true})
		markers = append(markers, m)
	}
	for _, m := range t.open {
		if !slices.Contains(markers, m) {
			t.targets = append(t.targets, target{marker: m})
			markers = append(markers, m)
		}
	}
	if t.breaks || t.greedy {
		for i := range blocks {
			for _, m := range blocks[i].open {
				t.targets = append(t.targets, target{marker: m, block: &blocks[i]})
				markers = append(markers, m)
			}
		}
	}
	if t.breaks {
		for _, m := range sections {
			t.targets = append(t.targets, target{marker: m, section: true})
			markers = append(markers, m)
		}
	}
	t.inner = newMatcher(markers)
}

// think is the common form.
func think() thought {
	return thought{open: []string{"<think>"}, close: []string{"</think>"}}
}

func (s *stream) beginThought(t *thought) {
	s.mode, s.thought, s.state = inThought, t, 0
	s.hold, s.followed, s.blank, s.fresh = nil, 0, 0, true
}

// unprompt leaves the thought that the prompt opened: the server tells thoughts from text itself.
func (s *stream) unprompt() {
	if s.prompted && s.mode == inThought && s.fresh && len(bytes.TrimSpace(s.hold)) == 0 {
		s.endThought()
	}
	s.prompted = false
}

func (s *stream) thoughtByte(b byte) {
	s.hold = append(s.hold, b)
	var hit int
	s.state, hit = s.thought.inner.step(s.state, b)
	if hit < 0 {
		if s.thought.inner.depth(s.state) == 0 && isSpace(b) {
			return
		}
		s.showThought(len(s.hold) - s.thought.inner.depth(s.state))
		return
	}
	t := s.thought.targets[hit]
	at := len(s.hold) - len(t.marker)
	switch {
	case t.closer:
		s.showThought(at)
		s.endThought()
	case t.block != nil && s.thought.greedy:
		s.showThought(at)
		s.beginBlock(t.marker, t.block)
	case (t.block != nil || t.section) && !s.last:
		s.showThought(at)
		s.mode, s.state = inDoubt, 0
	case s.fresh && len(bytes.TrimSpace(s.hold[:at])) == 0: // the opener, echoed
		s.hold, s.state = s.hold[:0], 0
	default:
		s.state = 0
		s.showThought(len(s.hold))
	}
}

// showThought makes the first n bytes of hold certain as reasoning, without blanks at either end of the thought.
func (s *stream) showThought(n int) {
	if s.fresh {
		blanks := n - len(bytes.TrimLeft(s.hold[:n], " \t\r\n"))
		s.hold = s.hold[:copy(s.hold, s.hold[blanks:])]
		n -= blanks
		if label := s.thought.label; label != "" && n <= len(label) && strings.HasPrefix(label, string(s.hold[:n])) {
			return
		} else if rest, found := bytes.CutPrefix(s.hold, []byte(label)); label != "" && found && isSpace(rest[0]) {
			cut := len(s.hold) - len(bytes.TrimLeft(rest, " \t\r\n"))
			s.hold, n = s.hold[:copy(s.hold, s.hold[cut:])], n-cut
		}
	}
	n = withoutBlanks(s.hold[:n])
	if n == 0 {
		return
	}
	s.fresh = false
	s.emitThinking(s.hold[:n])
	s.hold = s.hold[:copy(s.hold, s.hold[n:])]
}

func (s *stream) endThought() {
	s.thought, s.hold, s.prompted = nil, s.hold[:0], false
	s.prose()
}

// doubtByte holds everything after a marker of a call inside a thought: if the thought still ends, the marker was quoted.
func (s *stream) doubtByte(b byte) {
	s.hold = append(s.hold, b)
	var hit int
	s.state, hit = s.thought.inner.step(s.state, b)
	if hit >= 0 && s.thought.targets[hit].closer {
		at := len(s.hold) - len(s.thought.targets[hit].marker)
		s.showThought(at)
		s.endThought()
	} else if len(s.hold) > maxCall { // it goes on for ever: the marker was quoted
		s.mode, s.state = inThought, 0
		s.showThought(len(s.hold))
	}
}

// finishDoubt reads a thought that a call ended.
func (s *stream) finishDoubt(complete bool) {
	rest := bytes.Clone(bytes.TrimLeft(s.hold, " \t\r\n"))
	if !complete {
		s.showThought(len(s.hold))
		rest = nil
	}
	s.endThought()
	s.again(rest)
}

// finishThought ends a reply inside a thought. If the model meant to end there, what it thought may be its answer.
func (s *stream) finishThought(complete bool) {
	s.showThought(len(s.hold))
	some := !s.fresh
	s.endThought()
	if complete && s.calls == 0 && some {
		s.unclosed = true
	}
}
