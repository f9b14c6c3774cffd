package envelope

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
)

// Tagged is an envelope that writes arguments as tagged text. The families differ in their tags alone.
type Tagged struct {
	Open    []string // the outer markers; they may be the call's own
	Closers []string // of the outer markers
	// Call opens one call, group "name"; it is matched where a call may begin.
	Call    *regexp.Regexp
	CallEnd []string
	// Arg opens one argument: group "key", and "type" or "string" where the family says how the value is written.
	Arg    *regexp.Regexp
	ArgEnd []string
	Trim   func(string) string
	Decode func(string) string // entities or CDATA; nil: the text is as it is
	// First are the bytes that may begin the inside; empty: a name.
	First string
	// JSON allows a JSON call inside instead.
	JSON bool
	// Opens says that the outer marker is the beginning of the call, and is read with it.
	Opens bool
	// Single says that there is one call, whose name is the first thing inside.
	Single bool
	// known says that without an offered tool, or its end, it is prose: the marker alone proves nothing.
	known bool
	// other reads an inside in which no call was found.
	other func(r *grammar.Reader, raw, body string) []toolcall.Event
}

// kind tells the envelopes apart; empty: a function of its own reads some of it.
func (k Tagged) kind() string {
	if k.Decode != nil || k.other != nil {
		return ""
	}
	return fmt.Sprint(
		k.Open, k.Closers, k.Call, k.CallEnd, k.Arg, k.ArgEnd, k.Trim("\n \n"), k.First, k.JSON, k.Opens, k.Single,
		k.known,
	)
}

// TrimLine takes off one newline at each end of a value.
func TrimLine(text string) string {
	return strings.TrimSuffix(strings.TrimPrefix(text, "\n"), "\n")
}

// TrimPair takes off one newline at each end of a value if both are there: then its tags are on lines of their own.
func TrimPair(text string) string {
	if len(text) > 1 && text[0] == '\n' && text[len(text)-1] == '\n' {
		return text[1 : len(text)-1]
	}
	return text
}

// TrimNone leaves a value as it is.
func TrimNone(text string) string { return text }
