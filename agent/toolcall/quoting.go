package toolcall

import (
	"bytes"
	"regexp"
	"strings"
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
	live   standing = iota // it means what it says
	ending                 // it does if nothing but further calls follows it
	shown                  // it is text
)

// standing judges a marker that begins at hold[at]; why follows "because".
func (s *stream) standing(t target, at int) (st standing, why string) {
	silent := t.block != nil && t.block.read == nil && t.block.then == nil && !t.block.rest
	if silent || t.block == nil && t.thought == nil && !t.section {
		return s.standingOfNoise(), ""
	}
	begins := s.begins(t)
	where, loose := s.text.shows(begins)
	_, wrap := s.text.wrapped()
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
	case t.block != nil && (t.block.line && !s.text.fresh() || t.block.rest && s.calls == 0):
		return shown, ""
	}
	if s.marked && t.block != nil && t.block.then != nil {
		return live, "" // a message ended, and another one begins
	}
	announced := inside || announces(s.before(at))
	switch {
	case announced && (!begins || t.thought != nil):
		return shown, "the words before it announce an example"
	case t.thought != nil || !announced && where == "":
		return live, ""
	}
	return ending, ""
}

// standingOfNoise judges a marker without meaning: it is text only in what is written as it is, or beside what is.
func (s *stream) standingOfNoise() standing {
	switch {
	case s.adjacent || s.sealed || s.mention != nil && s.mention.block != nil || s.text.verbatim() || strings.IndexByte("\"'", byte(s.text.last)) >= 0:
		return shown
	case s.mentioned > 0:
		s.mentioned--
		return shown
	}
	return live
}

// begins reports whether a marker stands where calls begin: at the start of a line, behind another marker, or, in formats that
// write calls without a break, right behind the prose.
func (s *stream) begins(t target) bool {
	if s.text.fresh() || s.marked {
		return true
	}
	last := byte(s.text.last)
	return (t.block != nil || t.section) && s.g.joined && !isSpace(last) && strings.IndexByte("`\"'(<>[{|", last) < 0
}

const afterNoCall = "what looks like a call and is none stands before it"

func standsIn(where string) string { return "it stands in " + where }

// announces reports whether what follows this prose is only quoted: its line speaks of it, the line that leads to it does, or a
// sentence quotes somebody.
func announces(prose []byte) bool {
	line := prose[bytes.LastIndexByte(prose, '\n')+1:]
	if len(line) < maxBullet && bullet.Match(line) {
		return true
	}
	if len(bytes.TrimSpace(line)) == 0 {
		above := bytes.TrimSpace(prose)
		if line = nil; bytes.HasSuffix(above, []byte(":")) || bytes.HasSuffix(above, []byte("：")) {
			line = above[bytes.LastIndexByte(above, '\n')+1:]
		}
	}
	return speaks(line) || speaksAbroad(line) || reports(prose)
}

// reported is a sentence that quotes somebody: a file that was read must not make a call. Before JSON without a marker of its
// own any short line may stand between.
var reported = regexp.MustCompile(`(?i)\b(?:says|said|contains|contained|reads|states|stated|shows|showed|prints|printed|returns|returned|writes|wrote|quotes|quoted|replies|replied)\b[^.!?\n]{0,40}:(?:[ \t]*\n\s*\S[^\n]{0,40})?\s*$`)

// intends is a sentence that says what its writer is about to do: what it asks about is not quoted.
var intends = regexp.MustCompile(`(?i)\b(?:let me|let's|let us|(?:i|we)(?:'ll|’ll| will| need| want| must| should|'d like|'m going| am going|'re going| are going))\b(?:[^.!?\n]|\.\S)*:\s*$`)

var exampleWords = regexp.MustCompile(`(?i)\b(?:example|for instance|such as|looks? like|would be|template|format|syntax|sample|schema)\b|\be\.g\.`)

const maxLeadIn = 400

// leadIn is the visible prose before a candidate.
type leadIn struct {
	text   []byte
	fence  bool
	judged int    // how much of text was judged last: it is asked often, and patterns take long
	why    string // what forbids said then
}

func (l *leadIn) add(text []byte) {
	if len(l.text) > maxLeadIn {
		return
	}
	room := maxLeadIn + 1 - len(l.text)
	l.text = append(l.text, text[:max(0, min(room, len(text)))]...)
	l.fence = l.fence || bytes.Contains(l.text, []byte("```"))
}

func (l *leadIn) empty() bool { return len(bytes.TrimSpace(l.text)) == 0 }

// forbids says why no call without a marker may follow; empty: one may.
func (l *leadIn) forbids() string {
	if l.judged != len(l.text) {
		l.judged, l.why = len(l.text), l.judge()
	}
	return l.why
}

func (l *leadIn) judge() string {
	switch {
	case len(l.text) == 0:
		return ""
	case len(l.text) > maxLeadIn:
		return "a long text stands before it"
	case l.fence:
		return "a code fence stands before it"
	case exampleWords.Match(l.text):
		return "the words before it announce an example"
	case reported.Match(l.text) && !l.intends():
		return "the words before it quote somebody"
	}
	return ""
}

// intends reports whether the last sentence says what its writer is about to do, before it speaks of what something says.
func (l *leadIn) intends() bool {
	will, says := intends.FindIndex(l.text), reported.FindIndex(l.text)
	return will != nil && will[0] < says[0]
}
