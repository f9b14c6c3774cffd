package chats

import (
	"context"
	"errors"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
)

// finished tells how the run ended. The progress is over when the last words stand in the document; after Stop soon.
func (s *replyWriter) finished(e agent.Finished) {
	cs := s.chat.chats
	if e.Outcome != agent.Completed && e.Outcome != agent.Stopped {
		cs.Host.Tell(level(e.Outcome), e.Sentence)
	}
	if e.Err != nil && e.Outcome == agent.Broken {
		cs.Log.Warn("a run broke", "error", e.Err)
	}
	word := "done"
	if e.Outcome != agent.Completed {
		word = e.Sentence
	}
	s.mu.Lock()
	s.last = word
	if e.Outcome == agent.Stopped {
		s.endSoon(word)
	}
	s.mu.Unlock()
}

// stoppedWord ends the progress of a run that was stopped.
const stoppedWord = "Stopped."

// endSoon ends the progress of a run that is being stopped, whatever a command that it runs takes to die; mu is held.
func (s *replyWriter) endSoon(word string) {
	if s.soon == nil {
		s.soon = time.AfterFunc(endTime, func() { s.progress.End(word) })
	}
}

func level(o agent.Outcome) Level {
	if o == agent.Broken {
		return Error
	}
	return Warning
}

// Close implements session.Reply: it waits until the reply is in the document, and puts an empty turn of the user below it if
// there is none.
func (s *replyWriter) Close() error {
	defer s.cancel()
	<-s.ready
	s.settle()
	s.beside.Wait()
	s.mu.Lock()
	if s.soon != nil {
		s.soon.Stop()
	}
	word := s.last
	s.mu.Unlock()
	s.progress.End(word)
	s.chat.refresh()
	return nil
}

func (s *replyWriter) settle() {
	s.mu.Lock()
	stream, stopped, leaving := s.stream, s.stopped, s.leaving
	s.mu.Unlock()
	if stream == nil {
		return
	}
	defer stream.Close()
	if leaving {
		if stopped {
			s.mark(stream) // kept until the document comes back
		}
		return // an edit now would come into a buffer that the editor gives up
	}
	if err := stream.Drain(s.ctx, flushTime); err != nil {
		s.lose(err)
		return
	}
	if errors.Is(stream.Err(), documents.ErrRemoved) {
		return // nothing is put back by itself
	}
	if stopped {
		stream.Append(s.mark(stream))
		if err := stream.Drain(s.ctx, flushTime); err != nil {
			s.lose(err)
			return
		}
	}
	view := s.chat.view()
	if point := stream.Point(); point <= view.text.Len() && !hasYou(view.from(point)) {
		stream.Append("\n\n" + transcript.YouHeading)
		if err := stream.Drain(s.ctx, flushTime); err != nil {
			s.chat.chats.Log.Info("no turn of the user was put below the reply", "error", err)
		}
	}
}

// lose stops writing: what did not reach the document is in the journal, and the user is told.
func (s *replyWriter) lose(err error) {
	sentence := "The reply cannot be written into the document (" + reason(err) + "). It is kept: use Restore reply."
	if errors.Is(err, documents.ErrRemoved) {
		sentence = "The reply was taken out of the document while it was written, so no more is written. It is kept: use Restore reply."
	}
	s.mu.Lock()
	first := !s.failed
	s.failed = true
	s.mu.Unlock()
	if !first {
		return
	}
	s.chat.mu.Lock()
	s.chat.unconfirmed = true
	s.chat.mu.Unlock()
	if len(s.chat.session.Questions()) > 0 || errors.Is(err, documents.ErrRemoved) {
		_ = s.chat.session.Stop() // what waits cannot be shown, so it cannot be answered
	}
	if s.chat.chats.ctx.Err() != nil {
		return // the editor is leaving: what is missing shows when it comes back
	}
	s.chat.chats.Log.Warn("the reply does not reach the document", "error", err)
	s.chat.chats.Host.Tell(Warning, sentence)
	s.chat.refresh()
}

// reason is why a stream does not write, without the count of what is missing.
func reason(err error) string {
	if unwritten, ok := errors.AsType[*documents.UnwrittenError](err); ok {
		err = unwritten.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "the editor does not show it"
	}
	return err.Error()
}

// CanAsk implements session.Asker: a question that cannot be shown cannot be answered.
func (s *replyWriter) CanAsk(agent.Question) bool { return !s.isLost() }

// isLost reports whether the document cannot be written.
func (s *replyWriter) isLost() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// refresh shows anew what may have changed: diagnostics, and previews of questions that are over.
func (c *Chat) refresh() {
	c.settlePreviews()
	c.chats.Host.Refresh(c.uri)
}
