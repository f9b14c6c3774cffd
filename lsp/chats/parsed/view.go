// Package parsed has a chat document as it is now, and finds things in it: calls, mentions, commands, and what it lacks
// of a reply. It does no I/O.
package parsed

import (
	"iter"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
)

// View is a chat as it is now, parsed.
type View struct {
	Snapshot documents.Snapshot // what the offsets are meant in
	Text     documents.Text
	Chat     *transcript.Chat
	Asking   map[string]transcript.Span // the call by hand that asks, by the IDs of what it asks
}

// Slice is a part of the document's text: nothing needs all of it to follow a keystroke.
func (v View) Slice(start, end int) string { return v.Text.Slice(start, end) }

// From is the text from an offset on.
func (v View) From(start int) string { return v.Text.Slice(start, v.Text.Len()) }

// End is the offset behind the last words.
func (v View) End() int { return len(trimLine(v.From(0))) }

// Unsent is the turn of the user that the chat ends in, which is not sent yet.
func (v View) Unsent() (turn transcript.Turn, ok bool) {
	if n := len(v.Chat.Turns); n > 0 && v.Chat.Turns[n-1].Role == transcript.You {
		return v.Chat.Turns[n-1], true
	}
	return turn, false
}

// LineAt is the line that holds an offset, without its end.
func (v View) LineAt(offset int) transcript.Span {
	span := transcript.Span{Start: strings.LastIndexAny(v.Slice(0, offset), "\r\n") + 1, End: v.Text.Len()}
	return v.FirstLine(span)
}

// Lines counts the line ends before an offset.
func (v View) Lines(offset int) int { return strings.Count(v.Slice(0, offset), "\n") }

func (v View) Call(id string) (transcript.Call, bool) {
	return v.Chat.Call(id)
}

// CallSpan is where a call is that asks something, of a model or by hand.
func (v View) CallSpan(id string) (transcript.Span, bool) {
	if at, ok := v.Asking[id]; ok {
		return at, true
	}
	call, ok := v.Call(id)
	return call.Span, ok
}

func (v View) Result(id string) (transcript.Result, bool) {
	return find(v.Chat, func(result transcript.Result) bool { return result.ID == id })
}

func (v View) Reason(id string) (transcript.Reason, bool) {
	return find(v.Chat, func(reason transcript.Reason) bool { return reason.ID == id })
}

func (v View) Answer(id string) (transcript.Answer, bool) {
	return find(v.Chat, func(answer transcript.Answer) bool { return answer.ID == id })
}

// WrittenFor is the block in which a person writes about a call: a reason, or an answer.
func (v View) WrittenFor(id string) (transcript.Span, bool) {
	if reason, ok := v.Reason(id); ok {
		return reason.Span, true
	}
	answer, ok := v.Answer(id)
	return answer.Span, ok
}

// LastAnswer is the index of the last turn of the assistant, or -1.
func (v View) LastAnswer() int {
	for i, turn := range slices.Backward(v.Chat.Turns) {
		if turn.Role == transcript.Assistant {
			return i
		}
	}
	return -1
}

// NearAny reports whether a range is on one of the calls that wait, or on what a person writes about it.
func (v View) NearAny(calls []event.AskedCall, span transcript.Span) bool {
	return slices.ContainsFunc(calls, func(asked event.AskedCall) bool {
		call, ok := v.CallSpan(asked.CallID)
		reason, hasReason := v.Reason(asked.CallID)
		answer, hasAnswer := v.Answer(asked.InAnswer())
		return ok &&
			(Touches(call, span) || hasReason && Touches(reason.Span, span) ||
				hasAnswer && Touches(answer.Span, span))
	})
}

// InChat reports whether all calls are in the chat that an answer to a question decides; a question about no call
// does.
func (v View) InChat(q event.Question) bool {
	return q.Mention != "" || !slices.ContainsFunc(q.Calls(), func(asked event.AskedCall) bool {
		_, ok := v.CallSpan(asked.CallID)
		return !ok
	})
}

// LastAsked is the last turn of the user that is not empty.
func (v View) LastAsked() (transcript.Turn, bool) {
	for _, turn := range slices.Backward(v.Chat.Turns) {
		if turn.Role == transcript.You && !turn.Empty() {
			return turn, true
		}
	}
	return transcript.Turn{}, false
}

// MentionSpan is where the last request mentions something; its heading where it does not, because a person changed it.
func (v View) MentionSpan(mention string) transcript.Span {
	turn, _ := v.LastAsked()
	for _, m := range v.Mentions(turn) {
		if m.Text == mention {
			return m.Span
		}
	}
	return turn.Heading
}

// Blocks are the blocks of one type in a turn.
func Blocks[B transcript.Block](turn transcript.Turn) iter.Seq[B] {
	return func(yield func(B) bool) {
		for _, block := range turn.Blocks {
			if b, ok := block.(B); ok && !yield(b) {
				return
			}
		}
	}
}

// find returns the last block of one type that is what is looked for.
func find[B transcript.Block](chat *transcript.Chat, is func(B) bool) (B, bool) {
	for _, turn := range slices.Backward(chat.Turns) {
		for _, block := range slices.Backward(turn.Blocks) {
			if b, ok := block.(B); ok && is(b) {
				return b, true
			}
		}
	}
	var none B
	return none, false
}

func Touches(a, b transcript.Span) bool { return a.Start <= b.End && b.Start <= a.End }

// LastRequest is the heading of the last turn of the user that is not empty.
func (v View) LastRequest() transcript.Span {
	turn, _ := v.LastAsked()
	return turn.Heading
}

// FirstLine narrows a block to its first line, where its actions are.
func (v View) FirstLine(span transcript.Span) transcript.Span {
	if i := strings.IndexAny(v.Slice(span.Start, span.End), "\r\n"); i >= 0 {
		span.End = span.Start + i
	}
	return span
}
