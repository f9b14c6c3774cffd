package parsed

import (
	"regexp"

	"github.com/assent-ls/assent/agent/transcript"
)

// Written is a call that a person wrote into the last `## You` of a chat: a fence like that of a model's call. It is
// text and runs by nothing but an action on it.
type Written struct {
	Tool   string // empty: not chosen yet
	Body   string // its arguments
	Text   string // all of it
	Span   transcript.Span
	NameAt int // where the name of the tool is to be
}

// openedFence is the line that begins a written call.
var openedFence = regexp.MustCompile("(?m)^(`{3,})tool(?: +(\\S*))?[ \\t]*\\r?$")

// WrittenCalls lists those of a chat.
func (v View) WrittenCalls() []Written {
	last := v.Chat.LastYou()
	if last < 0 {
		return nil
	}
	start := v.Chat.Turns[last].Heading.End
	text := v.From(start)
	var all []Written
	for at := 0; ; {
		m := openedFence.FindStringSubmatchIndex(text[at:])
		if m == nil {
			return all
		}
		ticks, first := text[at+m[2]:at+m[3]], min(at+m[1]+1, len(text))
		closing := regexp.MustCompile("(?m)^" + ticks + "`*[ \\t]*\\r?$").FindStringIndex(text[first:])
		if closing == nil {
			return all
		}
		w := Written{
			Body: text[first : first+closing[0]], Text: text[at+m[0] : first+closing[1]],
			Span: transcript.Span{Start: start + at + m[0], End: start + first + closing[1]}, NameAt: start + at + m[1],
		}
		if m[4] >= 0 {
			w.Tool = text[at+m[4] : at+m[5]]
		}
		all, at = append(all, w), first+closing[1]
	}
}

// SameWritten finds a call that was read before: of several with its text the one nearest to where it was.
func (v View) SameWritten(w Written) (now Written, ok bool) {
	for _, other := range v.WrittenCalls() {
		if other.Text == w.Text && (!ok || distance(other, w) < distance(now, w)) {
			now, ok = other, true
		}
	}
	return now, ok
}

func distance(a, b Written) int { return max(a.Span.Start-b.Span.Start, b.Span.Start-a.Span.Start) }
