package chats

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
)

// named writes the model that was chosen into the front matter when the user named none, so that the same one answers
// next time.
func (s *replyWriter) named(e agent.Started) {
	if e.Why == "" {
		return
	}
	s.chat.chats.Host.Tell(Info, "No model is named, so "+e.Model+" answers: "+e.Why)
	s.mu.Lock()
	stopped := s.stopped
	if !stopped {
		s.beside.Add(1)
	}
	s.mu.Unlock()
	if stopped {
		return
	}
	if !s.chat.chats.background(func() {
		defer s.beside.Done()
		<-s.ready
		s.nameModel(e.Model)
	}) {
		s.beside.Done()
	}
}

func (s *replyWriter) nameModel(name string) {
	c := s.chat
	writer, ok := c.chats.Writer(c.uri)
	if !ok || s.isLost() || s.asides.Err() != nil {
		return
	}
	view := c.view()
	at, line, ok := ModelLine(view.text.String(), view.chat, name)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(s.asides, flushTime)
	defer cancel()
	if err := writer.ReplaceIn(ctx, view.snapshot, documents.Span{Start: at, End: at}, "", line); err != nil {
		c.chats.Log.Info("the chosen model was not written into the chat", "error", err)
	}
}

// ModelLine says what to insert where, so that the document names a model. ok is false if the document names one, or has
// front matter that cannot take the line: then it is left to the person.
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
	if after.Front.Model != name || len(after.Problems) > len(before.Problems) || !slices.Equal(after.Front.Tools, before.Front.Tools) {
		return 0, "", false
	}
	return at, line, true
}
