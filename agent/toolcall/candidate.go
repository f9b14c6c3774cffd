package toolcall

import (
	"bytes"
	"regexp"
	"strings"
)

// A candidate is text that may be a call but has no marker of its own: JSON that stands alone, or in a code fence. It is
// held back until it is decided.
//
// The rule. A candidate is a call if all of this holds, else it is an example and stays text:
//   - it begins a line, outside code and quotations, and names an offered tool;
//   - only a short lead-in stands before it (400 bytes, no code fence), and the lead-in does not announce an example;
//   - nothing but blanks and further candidates follows it until the end of a whole reply.
//
// Several candidates in a row are several calls. JSON at the very start of a reply in a format whose own form it is
// (own) is a call whatever follows.
type candidate struct {
	kind   string // formats share some
	starts string // bytes that may begin it
	scan   func(*reader) scanner
	// read gives the calls in it, or false if it is none after all.
	read func(r *reader, body string, final bool) ([]Event, bool)
	own  bool
	// certain says that its form is a call's own and nothing else's: then it does not count what the prose before it says.
	certain bool
}

const bareKind = "JSON"

// bareJSON is a call as a JSON object or list without anything around it.
func bareJSON(own bool) candidate {
	c := candidate{kind: bareKind, starts: "{[", scan: scanBareJSON, read: readCandidate, own: own}
	if own {
		c.read = readOwn
	}
	return c
}

// readOwn reads JSON in a format whose own form it is: an unknown name is then reported, since a call was meant.
func readOwn(r *reader, body string, final bool) ([]Event, bool) {
	if events, ok := readCandidate(r, body, final); ok {
		return events, true
	}
	drafts, ok := r.payload(body, final)
	if !ok {
		return nil, false
	}
	var events []Event
	for _, d := range drafts {
		if d.arguments == nil || d.beside {
			return nil, false
		}
		events = append(events, r.event(d))
	}
	return events, len(events) > 0
}

func scanBareJSON(r *reader) scanner {
	value := scanJSON("{[")(r)
	gate := keyGate{}
	return scanFunc(func(body []byte) (verdict, int) {
		if !gate.open(body) {
			return notCall, 0
		}
		return value.next(body)
	})
}

// readCandidate reads JSON that is a call only if every name in it is offered.
func readCandidate(r *reader, body string, final bool) ([]Event, bool) {
	drafts, ok := r.payload(body, final)
	if !ok {
		return nil, false
	}
	events := make([]Event, 0, len(drafts))
	for _, d := range drafts {
		t := r.catalog.resolve(d.name)
		if t == nil || d.arguments == nil || d.beside && !fits(d.arguments, t.schema()) {
			return nil, false
		}
		events = append(events, r.event(d))
	}
	return events, true
}

// fits reports whether an object has nothing but declared arguments, and all that are required.
func fits(arguments []byte, s *schema) bool {
	members, err := readObject(arguments)
	if err != nil || len(missing(members, s)) > 0 {
		return false
	}
	for _, m := range members {
		if _, declared := s.properties[m.key]; !declared {
			return false
		}
	}
	return true
}

// fencedJSON is a call in a code fence that is labelled json, tool_call, tool, xml or nothing.
func fencedJSON() candidate {
	return candidate{kind: "fence", starts: "`", scan: scanFence, read: readFence}
}

var fenceOpen = regexp.MustCompile("^(`{3})(?:json|JSON|tool_call|tool_calls|tool|xml|)[ \t\r]*\n")

// scanFence ends with the closing fence, outside JSON strings.
func scanFence(*reader) scanner {
	var (
		ticks, start, run int
		json              jsonScan
		gate              keyGate
		tagged, valued    bool
	)
	return scanFunc(func(body []byte) (verdict, int) {
		b := body[len(body)-1]
		if start == 0 { // the opening line
			if b != '\n' {
				if len(body) > 32 || len(body) <= 3 && b != '`' {
					return notCall, 0
				}
				return more, 0
			}
			m := fenceOpen.FindSubmatch(body)
			if m == nil {
				return notCall, 0
			}
			ticks, start = len(m[1]), len(body)
			return more, 0
		}
		if !tagged && !json.started {
			if len(body)-start > 64 {
				return notCall, 0
			}
			rest := bytes.TrimSpace(body[start:])
			tagged = string(rest) == "<tool_call>"
			if tagged || strings.HasPrefix("<tool_call>", string(rest)) {
				return more, 0
			}
		}
		if !tagged && !valued && !gate.open(body[start:]) {
			return notCall, 0
		}
		if json.next(b) {
			valued = true
		}
		if json.inText || b != '`' {
			run = 0
			return more, 0
		}
		if run++; run == ticks {
			return whole, 0
		}
		return more, 0
	})
}

func readFence(r *reader, body string, final bool) ([]Event, bool) {
	_, inner, found := strings.Cut(body, "\n")
	if !found {
		return nil, false
	}
	inner = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(inner), "`"))
	tag, tagged := strings.CutPrefix(inner, "<tool_call>")
	if tagged {
		inner = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(tag), "</tool_call>"))
	}
	return readCandidates(r, inner, final)
}

// readCandidates reads one JSON value or several in a row.
func readCandidates(r *reader, text string, final bool) ([]Event, bool) {
	values := valuesIn(text)
	if len(values) < 2 {
		return readCandidate(r, text, final)
	}
	var events []Event
	for _, value := range values {
		more, ok := readCandidate(r, value, final)
		if !ok {
			return nil, false
		}
		events = append(events, more...)
	}
	return events, true
}

// valuesIn splits text into its JSON values, separated by blanks, commas or semicolons; nil if anything else is in it.
func valuesIn(text string) []string {
	var values []string
	for {
		text = strings.TrimLeft(text, " \t\r\n,;")
		if text == "" {
			return values
		}
		end := balanced(text)
		if end < 0 {
			return nil
		}
		values = append(values, text[:end])
		text = text[end:]
	}
}

var nameInJSON = regexp.MustCompile(`["'](?:name|tool_name|tool|function|function_name|toolName|action)["']\s*:\s*["']([^"']+)["']`)

// meant gives the offered tool that broken JSON names, or nil.
func (r *reader) meant(text string) *offered {
	m := nameInJSON.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	return r.catalog.resolve(m[1])
}

// begun gives the offered tool whose name is the first line of text, or nil.
func (r *reader) begun(text string) *offered {
	line, _, found := strings.Cut(strings.TrimSpace(text), "\n")
	if !found {
		return nil
	}
	return r.catalog.resolve(line)
}
