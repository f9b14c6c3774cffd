package grammar

import (
	"bytes"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/prose"
	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// The rule of quoting, for markers; candidate.go has the one for calls without a marker.
//
//   - In a code fence, a span, a quotation, a list, a table, HTML or a thought a marker is text, and so is what
//     belongs to it.
//   - One that begins a line is a call whatever the prose before it says. If that prose announces an example or quotes
//     somebody, or if a quotation was opened and not closed, the call must also end the reply.
//   - One within a line is a call unless the line announces an example.
//   - One of another family must also end the reply, wherever it is: see foreign.go.

// standing is what a marker means at its place.
type standing int

const (
	effective standing = iota // it means what it says
	ending                    // it does if nothing but further calls follows it
	shown                     // it is text
)

// judge judges a marker that begins at uncertain[at]; why follows "because".
func (s *Decoder) judge(t target, at int) (st standing, why string) {
	silent := t.block != nil && t.block.Read == nil && t.block.Then == nil && !t.block.Rest
	if silent || t.block == nil && t.thought == nil && !t.section {
		return judgeNoise(s), ""
	}
	begins := s.startsCall(t)
	where, loose := s.markdown.Shows(begins)
	_, wrap := s.markdown.Wrapped()
	inside := s.mention != nil && s.mention.block != nil
	switch {
	case s.sealed:
		return shown, "it stands behind results that the model made up"
	case s.besideShown:
		return shown, s.shownBecause
	case inside && (where != "" && s.mention.bound || len(bytes.TrimSpace(s.mention.body)) == 0):
		return shown, s.mention.why
	case s.noBlocks && t.block != nil:
		s.gaveUp = s.gaveUp || s.afterForeign
		return shown, afterNoCall
	case s.inThoughts && t.thought != nil:
		return shown, ""
	case wrap != "":
		return shown, foundIn(wrap)
	case where != "" && !loose:
		return shown, foundIn(where)
	case t.block != nil && (t.block.BeginsLine && !s.markdown.Fresh() || t.block.Rest && s.calls == 0):
		return shown, ""
	}
	foreign := t.foreign || t.block != nil && t.block.Foreign && !t.noise
	if s.afterNoise && t.block != nil && t.block.Then != nil && !foreign {
		return effective, "" // a message ended, and another one begins
	}
	announced := inside || prose.Announces(s.before(at))
	switch {
	case announced && (!begins || t.thought != nil):
		return shown, announcedExample
	case t.thought != nil || !announced && where == "" && !foreign:
		return effective, ""
	}
	return ending, ""
}

// judgeNoise judges a marker without meaning: it is text only in what is written as it is, or beside what is.
func judgeNoise(s *Decoder) standing {
	switch {
	case s.besideShown || s.sealed || s.mention != nil && s.mention.block != nil || s.markdown.Verbatim() ||
		strings.IndexByte("\"'", byte(s.markdown.Last)) >= 0:
		return shown
	case s.mentioned > 0:
		s.mentioned--
		return shown
	}
	return effective
}

// startsCall reports whether a marker is where calls begin: at the start of a line, behind another marker, or, in
// formats that write calls without a break, right behind the prose.
func (s *Decoder) startsCall(t target) bool {
	if s.markdown.Fresh() || s.afterNoise {
		return true
	}
	last := byte(s.markdown.Last)
	return (t.block != nil || t.section) && s.g.Joined && !scan.IsSpace(last) &&
		strings.IndexByte("`\"'(<>[{|", last) < 0
}

const afterNoCall = "what looks like a call and is none stands before it"

func foundIn(where string) string { return "it stands in " + where }

// quoteMarker takes a marker that is text.
func (s *Decoder) quoteMarker(t target, why string) {
	if m := s.mention; m != nil {
		if s.advance(len(s.uncertain)); s.mention != nil || t.block == nil {
			return // it is inside
		}
		why = m.why // that ended before it
	}
	if closer, _ := s.markdown.Wrapped(); s.markdown.Quotes.Closer == 0 {
		s.markdown.Quotes.Closer = closer
	}
	before := s.markdown.Inside()
	s.markdown.Held = true
	s.skipMarkerText()
	s.markdown.Held = false
	switch {
	case t.block != nil && why != "":
		s.mention = &mention{
			why: why, bound: strings.HasPrefix(why, foundIn("")), scan: t.block.Scan(s.r), opener: t.marker,
			block: t.block, alternatives: t.alternatives, before: before,
		}
		s.markdown.Held = true
		if !t.block.Foreign {
			s.mentioned++
		}
	case t.block != nil || t.thought != nil:
		s.mentioned++
	default:
		if s.besideShown = true; why != "" {
			s.shownBecause = why
		}
	}
}
