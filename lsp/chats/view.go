package chats

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
)

// view is a chat as it stands now, parsed.
type view struct {
	snapshot documents.Snapshot // what the offsets are meant in
	text     documents.Text
	chat     *transcript.Chat
}

// slice is a part of the document's text: nothing needs all of it to follow a keystroke.
func (v view) slice(start, end int) string { return v.text.Slice(start, end) }

// from is the text from an offset on.
func (v view) from(start int) string { return v.text.Slice(start, v.text.Len()) }

// lineAt is the line that holds an offset, without its end.
func (v view) lineAt(offset int) transcript.Span {
	span := transcript.Span{Start: strings.LastIndexAny(v.slice(0, offset), "\r\n") + 1, End: v.text.Len()}
	return v.firstLine(span)
}

// lines counts the line ends before an offset.
func (v view) lines(offset int) int { return strings.Count(v.slice(0, offset), "\n") }

// view parses the document as it is now.
func (c *Chat) view() view {
	snapshot, ok := c.chats.Store.Get(c.uri)
	if !ok {
		return view{chat: &transcript.Chat{}}
	}
	c.parsing.Lock()
	defer c.parsing.Unlock()
	if c.parsed == nil || c.text != snapshot.Text {
		then, now := snapshot.Text.Since(c.text)
		c.parsed = transcript.Update(c.parsed, snapshot.Text, transcript.Change{Start: now.Start, OldEnd: then.End, NewEnd: now.End})
	}
	c.text = snapshot.Text
	return view{snapshot: snapshot, text: snapshot.Text, chat: c.parsed}
}

func (v view) call(id string) (transcript.Call, bool) {
	return v.chat.Call(id)
}

func (v view) result(id string) (transcript.Result, bool) {
	return find(v.chat, func(b transcript.Block) (transcript.Result, bool) {
		result, ok := b.(transcript.Result)
		return result, ok && result.ID == id
	})
}

func (v view) reason(id string) (transcript.Reason, bool) {
	return find(v.chat, func(b transcript.Block) (transcript.Reason, bool) {
		reason, ok := b.(transcript.Reason)
		return reason, ok && reason.ID == id
	})
}

func (v view) answer(id string) (transcript.Answer, bool) {
	return find(v.chat, func(b transcript.Block) (transcript.Answer, bool) {
		answer, ok := b.(transcript.Answer)
		return answer, ok && answer.ID == id
	})
}

// lastAnswer is the index of the last turn of the assistant, or -1.
func (v view) lastAnswer() int {
	for i, turn := range slices.Backward(v.chat.Turns) {
		if turn.Role == transcript.Assistant {
			return i
		}
	}
	return -1
}

// nearAny reports whether a range is on one of the calls that wait, or on what a person writes about it.
func (v view) nearAny(calls []agent.AskedCall, span transcript.Span) bool {
	return slices.ContainsFunc(calls, func(asked agent.AskedCall) bool {
		call, ok := v.call(asked.CallID)
		reason, hasReason := v.reason(asked.CallID)
		answer, hasAnswer := v.answer(asked.InAnswer())
		return ok && (touches(call.Span, span) || hasReason && touches(reason.Span, span) || hasAnswer && touches(answer.Span, span))
	})
}

// stands reports whether all calls stand in the chat that an answer to a question decides; a question about no call
// does.
func (v view) stands(q agent.Question) bool {
	return q.Mention != "" || !slices.ContainsFunc(q.Calls(), func(asked agent.AskedCall) bool {
		_, ok := v.call(asked.CallID)
		return !ok
	})
}

// lastAsked is the last turn of the user that is not empty.
func (v view) lastAsked() (transcript.Turn, bool) {
	for _, turn := range slices.Backward(v.chat.Turns) {
		if turn.Role == transcript.You && !turn.Empty() {
			return turn, true
		}
	}
	return transcript.Turn{}, false
}

// mentionSpan is where the last request mentions something; its heading where it does not, because a person changed it.
func (v view) mentionSpan(mention string) transcript.Span {
	turn, _ := v.lastAsked()
	for _, m := range v.mentions(turn) {
		if m.Text == mention {
			return m.Span
		}
	}
	return turn.Heading
}

// find returns the last block that is what is looked for.
func find[B transcript.Block](chat *transcript.Chat, is func(transcript.Block) (B, bool)) (B, bool) {
	for _, turn := range slices.Backward(chat.Turns) {
		for _, block := range slices.Backward(turn.Blocks) {
			if b, ok := is(block); ok {
				return b, true
			}
		}
	}
	var none B
	return none, false
}
