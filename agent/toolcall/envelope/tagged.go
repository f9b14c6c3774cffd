package envelope

import (
	"regexp"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// Tagged is an envelope that writes arguments as tagged text. The families differ in their tags alone.
type Tagged struct {
	Open    []string // the outer markers; they may be the call's own
	Closers []string // of the outer markers
	// call opens one call, group "name"; it is matched where a call may begin.
	Call    *regexp.Regexp
	CallEnd []string
	// arg opens one argument: group "key", and "type" or "string" where the family says how the value is written.
	Arg    *regexp.Regexp
	ArgEnd []string
	Trim   func(string) string
	Decode func(string) string // entities or CDATA; nil: the text stands as it is
	// first are the bytes that may begin the inside; empty: a name.
	First string
	// json allows a JSON call inside instead.
	Json bool
	// opens says that the outer marker is the beginning of the call, and is read with it.
	Opens bool
	// single says that there is one call, whose name is the first thing inside.
	Single bool
	// known says that without an offered tool, or its end, it is prose: the marker alone proves nothing.
	known bool
	// other reads an inside in which no call was found.
	other func(r *grammar.Reader, raw, body string) []toolcall.Event
}

// The ways of trimming a value.
func TrimLine(text string) string {
	return strings.TrimSuffix(strings.TrimPrefix(text, "\n"), "\n")
}

func TrimNone(text string) string { return text }

func (k Tagged) Block() grammar.Block {
	m := scan.NewMatcher(append(append([]string{}, k.Closers...), k.Open...))
	marks := m.StopBytes("")
	asJSON := ScanTagged(k.Closers, k.Open, "{[")
	tags := tags{Tagged: &k, callTag: newTag(k.Call), argTag: newTag(k.Arg)}
	return grammar.Block{Open: k.Open, Closers: k.Closers, Read: tags.read, Scan: func(r *grammar.Reader) grammar.Scanner {
		return &argScan{k: &k, m: m, marks: marks, asJSON: asJSON, r: r}
	}}
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
