package grammar

import (
	"bytes"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/scan"
)

func beginThought(s *Decoder, t *Thought) {
	s.mode, s.thought, s.place = inThought, t, place{}
	s.uncertain, s.followed, s.blank, s.fresh = nil, 0, 0, true
}

// leavePromptedThought leaves the thought that the prompt opened: the server tells thoughts from text itself.
func leavePromptedThought(s *Decoder) {
	if s.prompted && s.mode == inThought && s.fresh && len(bytes.TrimSpace(s.uncertain)) == 0 {
		endThought(s)
	}
	s.prompted = false
}

// showThought makes the first n bytes of uncertain certain as reasoning, without whitespace at either end of the
// thought.
func showThought(s *Decoder, n int) {
	if s.fresh {
		blanks := n - len(bytes.TrimLeft(s.uncertain[:n], " \t\r\n"))
		s.uncertain = slices.Delete(s.uncertain, 0, blanks)
		n -= blanks
		if label := s.thought.Label; label != "" && n <= len(label) &&
			strings.HasPrefix(label, string(s.uncertain[:n])) {
			return
		} else if rest, found := bytes.CutPrefix(s.uncertain, []byte(label)); label != "" && found &&
			scan.IsSpace(rest[0]) {
			cut := len(s.uncertain) - len(bytes.TrimLeft(rest, " \t\r\n"))
			s.uncertain, n = slices.Delete(s.uncertain, 0, cut), n-cut
		}
	}
	n = scan.TrimmedLen(s.uncertain[:n])
	if n == 0 {
		return
	}
	s.fresh = false
	s.emitThinking(s.uncertain[:n])
	s.uncertain = slices.Delete(s.uncertain, 0, n)
}

func endThought(s *Decoder) {
	s.thought, s.prompted = nil, false
	s.backToProse()
}
