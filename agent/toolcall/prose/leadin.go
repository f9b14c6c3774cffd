package prose

import (
	"bytes"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// reported is a sentence that quotes somebody: a file that was read must not make a call. Before JSON without a marker
// of its own any short line may be between.
var reported = lazyregexp.New(
	`(?i)\b(?:says|said|contains|contained|reads|states|stated|shows|showed|prints|printed|returns|returned|writes|wrote|quotes|quoted|replies|replied)\b[^.!?\n]{0,40}:(?:[ \t]*\n\s*\S[^\n]{0,40})?\s*$`,
)

// intends matches a sentence that says what its writer is about to do: what follows is meant and not quoted.
var intends = lazyregexp.New(
	`(?i)\b(?:let me|let's|let us|(?:i|we)(?:'ll|’ll| will| need| want| must| should|'d like|'m going| am going|'re going| are going))\b(?:[^.!?\n]|\.\S)*:\s*$`,
)

var exampleWords = lazyregexp.New(
	`(?i)\b(?:example|for instance|such as|looks? like|would be|template|format|syntax|sample|schema)\b|\be\.g\.`,
)

const maxLeadIn = 400

// LeadIn is the visible prose before a candidate.
type LeadIn struct {
	text   []byte
	fence  bool
	judged int    // the length of text at the last call of judge, whose patterns are slow
	why    string // the result of that call
}

// Add takes the next prose that was shown.
func (l *LeadIn) Add(text []byte) {
	if len(l.text) > maxLeadIn {
		return
	}
	room := maxLeadIn + 1 - len(l.text)
	l.text = append(l.text, text[:max(0, min(room, len(text)))]...)
	l.fence = l.fence || bytes.Contains(l.text, []byte("```"))
}

// Empty reports whether no word was shown yet.
func (l *LeadIn) Empty() bool { return len(bytes.TrimSpace(l.text)) == 0 }

// Forbids says why no call without a marker may follow; empty: one may.
func (l *LeadIn) Forbids() string {
	if l.judged != len(l.text) {
		l.judged, l.why = len(l.text), l.judge()
	}
	return l.why
}

func (l *LeadIn) judge() string {
	switch {
	case len(l.text) == 0:
		return ""
	case len(l.text) > maxLeadIn:
		return "a long text stands before it"
	case l.fence:
		return "a code fence stands before it"
	case exampleWords().Match(l.text):
		return "the words before it announce an example"
	case reported().Match(l.text) && !l.intends():
		return "the words before it quote somebody"
	}
	return ""
}

// intends reports whether the last sentence says what its writer is about to do, before it speaks of what something
// says.
func (l *LeadIn) intends() bool {
	will, says := intends().FindIndex(l.text), reported().FindIndex(l.text)
	return will != nil && will[0] < says[0]
}

// Intends reports whether the last sentence of prose says what its writer is about to do.
func Intends(prose []byte) bool { return intends().Match(prose) }

// Announces reports whether what follows this prose is only quoted: its line speaks of it, the line that leads to it
// does, or a sentence quotes somebody.
func Announces(prose []byte) bool {
	line := prose[bytes.LastIndexByte(prose, '\n')+1:]
	if len(line) < maxBullet && bullet().Match(line) {
		return true
	}
	if len(bytes.TrimSpace(line)) == 0 {
		above := bytes.TrimSpace(prose)
		if line = nil; bytes.HasSuffix(above, []byte(":")) || bytes.HasSuffix(above, []byte("：")) {
			line = above[bytes.LastIndexByte(above, '\n')+1:]
		}
	}
	return namesExample(line) || namesForeignExample(line) || endsWithReport(prose)
}
