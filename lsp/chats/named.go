package chats

import (
	"context"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/lsp/documents"
)

// named writes the model that was chosen into the front matter if the user named none, so that the same model answers
// next time. It says which one once in a chat, and again when another is chosen.
func (s *replyWriter) named(e event.Started) {
	if e.Why == "" {
		return
	}
	if s.chat.chose(e.Model) {
		s.chat.say(Info, e.Model+" answers: "+e.Why)
	}
	s.mu.Lock()
	stopped := s.stopped
	if !stopped {
		s.beside.Add(1)
	}
	s.mu.Unlock()
	if stopped {
		return
	}
	if !s.chat.Chats.tasks.Go(func() {
		defer s.beside.Done()
		<-s.ready
		s.nameModel(e.Model)
	}) {
		s.beside.Done()
	}
}

// chose keeps the model that was chosen for the chat, and reports whether it is another one than before.
func (c *Chat) chose(model string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	another := c.chosen != model
	c.chosen = model
	return another
}

func (s *replyWriter) nameModel(name string) {
	c := s.chat
	writer, ok := c.Chats.Writer(c.uri)
	if !ok || s.gaveUp() || s.besideCtx.Err() != nil {
		return
	}
	view := c.View()
	at, line, ok := session.ModelLine(view.Text.String(), view.Chat, name)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(s.besideCtx, busyTime)
	defer cancel()
	if err := writer.ReplaceIn(ctx, view.Snapshot, documents.At(at), "", line); err != nil {
		c.Chats.Log.Info("the chosen model was not written into the chat", "error", err)
	}
}
