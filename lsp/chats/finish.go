package chats

import (
	"context"
	"errors"
	"time"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
)

// finished shows how the run ended. The progress ends when the document holds the whole reply, after Stop within
// endTime.
func (s *replyWriter) finished(e event.Finished) {
	cs := s.chat.Chats
	if e.Outcome != event.Completed && e.Outcome != event.Stopped {
		cs.Host.ShowMessage(level(e.Outcome), e.Sentence)
		s.chat.notWell(e.Sentence)
	}
	if e.Err != nil && e.Outcome == event.Broken {
		cs.Log.Warn("a run broke", "error", e.Err)
	}
	word := "done"
	if e.Outcome != event.Completed {
		word = e.Sentence
	}
	s.mu.Lock()
	s.lastWord = word
	if e.Outcome == event.Stopped {
		s.endSoon(word)
	}
	s.mu.Unlock()
}

// stoppedWord is the last text of the progress of a run that was stopped.
const stoppedWord = "Stopped."

// endSoon ends the progress of a stopped run, however long its command takes to exit; mu is held.
func (s *replyWriter) endSoon(word string) {
	if s.endTimer == nil {
		s.endTimer = time.AfterFunc(endTime, func() { s.progress.End(word) })
	}
}

func level(o event.Outcome) Level {
	if o == event.Broken {
		return Error
	}
	return Warning
}

// Close implements session.Reply: it waits until the reply is in the document, and puts an empty turn of the user below
// it if there is none.
func (s *replyWriter) Close() error {
	defer s.cancel()
	<-s.ready
	s.completeDocument()
	s.beside.Wait()
	s.mu.Lock()
	if s.endTimer != nil {
		s.endTimer.Stop()
	}
	word := s.lastWord
	s.mu.Unlock()
	s.progress.End(word)
	s.chat.refresh()
	return nil
}

func (s *replyWriter) completeDocument() {
	s.mu.Lock()
	stream, stopped, leaving := s.stream, s.stopped, s.leaving
	s.mu.Unlock()
	if stream == nil {
		return
	}
	defer stream.Close()
	if leaving {
		if stopped {
			s.closing(stream) // for the journal alone, until the document is opened again
		}
		return // the editor discards this buffer
	}
	if err := stream.Drain(s.ctx, flushTime, busyTime); err != nil {
		s.giveUp(err)
		return
	}
	if errors.Is(stream.Err(), documents.ErrRemoved) {
		return // what a person removed is not written again
	}
	if stopped {
		stream.Append(s.closing(stream))
		if err := stream.Drain(s.ctx, flushTime, busyTime); err != nil {
			s.giveUp(err)
			return
		}
	}
	view := s.chat.View()
	if point := stream.Point(); point <= view.Text.Len() && !hasYou(view.From(point)) {
		stream.Append("\n\n" + transcript.YouHeading)
		if err := stream.Drain(s.ctx, flushTime, busyTime); err != nil {
			s.chat.Chats.Log.Info("no turn of the user was put below the reply", "error", err)
		}
	}
}

// giveUp stops writing and says so to the user: the journal holds what did not reach the document.
func (s *replyWriter) giveUp(err error) {
	sentence := "The reply cannot be written into the document (" + reason(err) + "). It is kept: use Restore reply."
	if errors.Is(err, documents.ErrRemoved) {
		sentence = "The reply was taken out of the document while it was written, so no more is written. " +
			"It is kept: use Restore reply."
	}
	s.mu.Lock()
	first := !s.failed
	s.failed = true
	s.mu.Unlock()
	if !first {
		return
	}
	s.chat.recovery.doubt()
	if len(Questions(s.chat)) > 0 || errors.Is(err, documents.ErrRemoved) {
		_ = s.chat.Session.Stop() // a question that is not shown cannot be answered
	}
	if s.chat.Chats.ctx.Err() != nil {
		return // the editor is exiting: what is missing is shown when the chat is opened again
	}
	s.chat.Chats.Log.Warn("the reply does not reach the document", "error", err)
	s.chat.say(Warning, sentence)
	s.chat.refresh()
}

// reason says why a stream does not write, without the count of what is missing.
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
func (s *replyWriter) CanAsk(event.Question) bool { return !s.gaveUp() }

// gaveUp reports whether writing was given up.
func (s *replyWriter) gaveUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// refresh updates what the editor shows of the chat: diagnostics, and previews of questions that are over.
func (c *Chat) refresh() {
	c.shown.markClosed()
	c.Chats.Host.Refresh(c.uri)
}
