package parsed

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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

// WrittenCalls lists those of a chat. What is in another block, such as a result, is none.
func (v View) WrittenCalls() []Written {
	last := v.Chat.LastYou()
	if last < 0 {
		return nil
	}
	return v.writtenFrom(v.Chat.Turns[last].Heading.End)
}

func (v View) writtenFrom(start int) (all []Written) {
	text := v.From(start)
	for _, b := range transcript.CodeBlocks(text) {
		words := strings.Fields(b.Info)
		if text[b.Span.Start] != '`' || len(words) == 0 || words[0] != "tool" || len(words) > 2 {
			continue
		}
		w := Written{
			Body: text[b.Body.Start:b.Body.End], Text: text[b.Span.Start:b.Span.End],
			Span:   transcript.Span{Start: start + b.Span.Start, End: start + b.Span.End},
			NameAt: start + b.First.End,
		}
		if len(words) == 2 {
			w.Tool = words[1]
		}
		all = append(all, w)
	}
	return all
}

// WrittenAbove is the call by hand right above a place, in whichever turn.
func (v View) WrittenAbove(at int) (Written, bool) {
	turn, ok := v.Chat.TurnAt(at)
	if !ok {
		return Written{}, false
	}
	for _, w := range v.writtenFrom(v.Chat.Turns[turn].Heading.End) {
		if w.Span.Start < at && at <= w.Span.End {
			return w, true
		}
	}
	return Written{}, false
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

// BelowWritten is the place below a call that was read before, or at the end of the chat if it is no longer there.
func (v View) BelowWritten(w Written) int {
	if now, ok := v.SameWritten(w); ok {
		return now.Span.End
	}
	return v.End()
}

// Names reports whether a call has this ID, or a block in which a person writes.
func (v View) Names(id string) bool {
	_, called := v.Call(id)
	_, written := v.WrittenFor(id)
	return called || written
}

func distance(a, b Written) int { return max(a.Span.Start-b.Span.Start, b.Span.Start-a.Span.Start) }

// Program is a block of Python in a chat: in the words of a person or of a model, and in no other block.
type Program struct {
	Text string
	Span transcript.Span
}

// ProgramAt is the program at a place.
func (v View) ProgramAt(span transcript.Span) (Program, bool) {
	at, ok := v.Chat.TurnAt(span.Start)
	if !ok {
		return Program{}, false
	}
	for text := range Blocks[transcript.Text](v.Chat.Turns[at]) {
		if !Touches(text.Span, span) {
			continue
		}
		for _, b := range transcript.CodeBlocks(v.Slice(text.Span.Start, text.Span.End)) {
			language, _, _ := strings.Cut(b.Info, " ")
			p := Program{
				b.Text, transcript.Span{Start: text.Span.Start + b.Span.Start, End: text.Span.Start + b.Span.End},
			}
			if slices.Contains([]string{"python", "py"}, strings.ToLower(language)) && Touches(p.Span, span) {
				return p, true
			}
		}
	}
	return Program{}, false
}

// CallText is a call as a person writes it; without a tool it has a place for the name.
func CallText(tool string, arguments json.RawMessage) (string, error) {
	body := ""
	if len(arguments) > 0 {
		var err error
		if body, err = transcript.FormatArguments(arguments); err != nil {
			return "", fmt.Errorf("the arguments are no JSON object: %w", err)
		}
	}
	return Fenced("tool "+tool, body), nil
}

// Fenced is a block whose fence its text cannot close.
func Fenced(info, text string) string {
	ticks := transcript.Fence(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return ticks + info + "\n" + text + ticks
}
