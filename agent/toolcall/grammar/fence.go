package grammar

import (
	"bytes"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/values"
	"github.com/assent-ls/assent/internal/lazyregexp"
)

// FencedJSON is a call in a code fence that is labelled json, tool_call, tool, xml or nothing.
func FencedJSON() Candidate {
	return Candidate{Kind: "fence", Starts: "`", Scan: ScanFence, Read: ReadFence}
}

var fenceOpen = lazyregexp.New("^(`{3})(?:json|JSON|tool_call|tool_calls|tool|xml|)[ \t\r]*\n")

// ScanFence ends with the closing fence, outside JSON strings.
func ScanFence(*Reader) Scanner {
	var (
		ticks, start, run int
		json              values.Scan
		gate              keyGate
		tagged, valued    bool
	)
	return ScanFunc(func(body []byte) (Verdict, int) {
		b := body[len(body)-1]
		if start == 0 { // the opening line
			if b != '\n' {
				if len(body) > 32 || len(body) <= 3 && b != '`' {
					return NotCall, 0
				}
				return More, 0
			}
			m := fenceOpen().FindSubmatch(body)
			if m == nil {
				return NotCall, 0
			}
			ticks, start = len(m[1]), len(body)
			return More, 0
		}
		if !tagged && !json.Started {
			if len(body)-start > 64 {
				return NotCall, 0
			}
			rest := bytes.TrimSpace(body[start:])
			tagged = string(rest) == "<tool_call>"
			if tagged || strings.HasPrefix("<tool_call>", string(rest)) {
				return More, 0
			}
		}
		if !tagged && !valued && !gate.open(body[start:]) {
			return NotCall, 0
		}
		if json.Next(b) {
			valued = true
		}
		if json.InString() || b != '`' {
			run = 0
			return More, 0
		}
		run++
		return WholeIf(run == ticks)
	})
}

// ReadFence reads the calls in a code fence.
func ReadFence(r *Reader, body string, final bool) ([]toolcall.Event, bool) {
	_, inner, found := strings.Cut(body, "\n")
	if !found {
		return nil, false
	}
	inner = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(inner), "`"))
	tag, tagged := strings.CutPrefix(inner, "<tool_call>")
	if tagged {
		inner = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(tag), "</tool_call>"))
	}
	return ReadCandidates(r, inner, final)
}

// ReadCandidates reads one JSON value or several in a row.
func ReadCandidates(r *Reader, text string, final bool) ([]toolcall.Event, bool) {
	values := values.ValuesIn(text)
	if len(values) < 2 {
		events, ok := ReadCandidate(r, text, final)
		return append(events, r.BehindWords(text)...), ok
	}
	var events []toolcall.Event
	for _, value := range values {
		more, ok := ReadCandidate(r, value, final)
		if !ok {
			return nil, false
		}
		events = append(events, more...)
	}
	return events, true
}

// BehindWords reports the calls in an envelope that are behind the first one and words: they do not run, since they
// may be examples.
func (r *Reader) BehindWords(text string) []toolcall.Event {
	var events []toolcall.Event
	for at := max(values.Balanced(text), 0); at > 0 && len(events) < maxNamed; {
		next := strings.IndexAny(text[at:], "{[")
		if next < 0 {
			break
		}
		length := values.Balanced(text[at+next:])
		if length < 0 {
			break
		}
		value := text[at+next : at+next+length]
		calls, _ := ReadCandidate(r, value, true)
		for _, e := range calls {
			if c, ok := e.(toolcall.Called); ok {
				e = toolcall.Malformed{
					Raw: value, Name: c.Call.Name,
					Reason: "The call of " + c.Call.Name +
						" was not run: words stand before it in the same envelope. Make it again by itself.",
				}
			}
			events = append(events, e)
		}
		at += next + length
	}
	return events
}
