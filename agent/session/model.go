package session

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
)

// ModelLine says what to insert where, so that the document names a model. ok is false if the document names one, or
// has front matter that cannot take the line: then it is left to the person.
func ModelLine(text string, chat *transcript.Chat, name string) (at int, line string, ok bool) {
	if chat.Front.Model != "" {
		return 0, "", false
	}
	quoted := transcript.Render(transcript.Chat{Front: transcript.Front{Model: name}})
	if front := chat.Front.Span; front.End > 0 {
		at = front.Start + strings.IndexByte(text[front.Start:], '\n') + 1
		_, line, _ = strings.Cut(strings.TrimSuffix(strings.TrimSpace(quoted), "---"), "\n")
	} else {
		at = len(text) - len(strings.TrimPrefix(text, "\uFEFF"))
		line = strings.TrimSpace(quoted) + "\n\n"
	}
	// Only the head is read again: it decides, and documents may be large.
	head := text[:min(len(text), max(chat.Front.Span.End+1, at))]
	after := transcript.Parse(head[:at] + line + head[at:])
	before := transcript.Parse(head)
	if after.Front.Model != name || len(after.Problems) > len(before.Problems) ||
		!slices.Equal(after.Front.Tools, before.Front.Tools) || after.Front.Mode != before.Front.Mode ||
		after.Front.Prompt != before.Front.Prompt {
		return 0, "", false
	}
	return at, line, true
}
