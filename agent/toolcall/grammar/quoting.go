package grammar

import (
	"bytes"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/prose"
	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// The rule of quoting, for markers; candidate.go has the one for calls without a marker.
//
//   - In a code fence, a span, a quotation, a list, a table, HTML or a thought a marker is text, and so is what belongs to it.
//   - One that begins a line is a call whatever the prose before it says. If that prose announces an example or quotes
//     somebody, or if a quotation was opened and not closed, the call must also end the reply.
//   - One within a line is a call unless the line announces an example.

// standing is what a marker is where it stands.
type standing int

const (
	effective standing = iota // it means what it says
	ending                    // it does if nothing but further calls follows it
	shown                     // it is text
)

// standing judges a marker that begins at hold[at]; why follows "because".
func (s *Stream) standing(t target, at int) (st standing, why string) {
	silent := t.block != nil && t.block.Read == nil && t.block.Then == nil && !t.block.Rest
	if silent || t.block == nil && t.thought == nil && !t.section {
		return s.standingOfNoise(), ""
	}
	begins := s.begins(t)
	where, loose := s.text.Shows(begins)
	_, wrap := s.text.Wrapped()
	inside := s.mention != nil && s.mention.block != nil
	switch {
	case s.sealed:
		return shown, "it stands behind results that the model made up"
	case s.adjacent:
		return shown, s.because
	case inside && (where != "" && s.mention.bound || len(bytes.TrimSpace(s.mention.body)) == 0):
		return shown, s.mention.why
	case s.last && t.block != nil:
		return shown, afterNoCall
	case s.inThoughts && t.thought != nil:
		return shown, ""
	case wrap != "":
		return shown, standsIn(wrap)
	case where != "" && !loose:
		return shown, standsIn(where)
	case t.block != nil && (t.block.BeginsLine && !s.text.Fresh() || t.block.Rest && s.calls == 0):
		return shown, ""
	}
	if s.marked && t.block != nil && t.block.Then != nil {
		return effective, "" // a message ended, and another one begins
	}
	announced := inside || prose.Announces(s.before(at))
	switch {
	case announced && (!begins || t.thought != nil):
		return shown, "the words before it announce an example"
	case t.thought != nil || !announced && where == "":
		return effective, ""
	}
	return ending, ""
}

// standingOfNoise judges a marker without meaning: it is text only in what is written as it is, or beside what is.
func (s *Stream) standingOfNoise() standing {
	switch {
	case s.adjacent || s.sealed || s.mention != nil && s.mention.block != nil || s.text.Verbatim() || strings.IndexByte("\"'", byte(s.text.Last)) >= 0:
		return shown
	case s.mentioned > 0:
		s.mentioned--
		return shown
	}
	return effective
}

// begins reports whether a marker stands where calls begin: at the start of a line, behind another marker, or, in formats that
// write calls without a break, right behind the prose.
func (s *Stream) begins(t target) bool {
	if s.text.Fresh() || s.marked {
		return true
	}
	last := byte(s.text.Last)
	return (t.block != nil || t.section) && s.g.Joined && !scan.IsSpace(last) && strings.IndexByte("`\"'(<>[{|", last) < 0
}

const afterNoCall = "what looks like a call and is none stands before it"

func standsIn(where string) string { return "it stands in " + where }
