package toolcall

import (
	"regexp"
	"strings"
)

// tagged is an envelope that writes arguments as tagged text. The families differ in their tags alone.
type tagged struct {
	open    []string // the outer markers; they may be the call's own
	closers []string // of the outer markers
	// call opens one call, group "name"; it is matched where a call may begin.
	call    *regexp.Regexp
	callEnd []string
	// arg opens one argument: group "key", and "type" or "string" where the family says how the value is written.
	arg    *regexp.Regexp
	argEnd []string
	// usualCall and usualArg are how these are mostly written.
	usualCall, usualArg usual
	trim                func(string) string
	decode              func(string) string // entities or CDATA; nil: the text stands as it is
	// first are the bytes that may begin the inside; empty: a name.
	first string
	// json allows a JSON call inside instead.
	json bool
	// opens says that the outer marker is the beginning of the call, and is read with it.
	opens bool
	// single says that there is one call, whose name is the first thing inside.
	single bool
	// known says that without an offered tool, or its end, it is prose: the marker alone proves nothing.
	known bool
	// other reads an inside in which no call was found.
	other func(r *reader, raw, body string) []Event
}

// The ways of trimming a value.
func trimLine(text string) string {
	return strings.TrimSuffix(strings.TrimPrefix(text, "\n"), "\n")
}

func trimNone(text string) string { return text }

func (k tagged) block() block {
	m := newMatcher(append(append([]string{}, k.closers...), k.open...))
	marks := m.heeding("")
	asJSON := scanTagged(k.closers, k.open, "{[")
	tags := tags{tagged: &k, callTag: newTag(k.call, k.usualCall), argTag: newTag(k.arg, k.usualArg)}
	return block{open: k.open, closers: k.closers, read: tags.read, scan: func(r *reader) scanner {
		return &argScan{k: &k, m: m, marks: marks, asJSON: asJSON, r: r}
	}}
}

func endsWith[T string | []byte](text T, endings []string) bool {
	return len(cutAny(text, endings)) < len(text)
}

// cutRepeated drops the opener where it is written twice.
func cutRepeated(body, opener string) string {
	for opener != "" {
		rest, again := strings.CutPrefix(strings.TrimLeft(body, " \t\r\n"), opener)
		if !again {
			break
		}
		body = rest
	}
	return body
}
