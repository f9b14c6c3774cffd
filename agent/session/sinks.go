package session

import (
	"slices"
	"time"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/tools/usagelog"
)

// Asker is what a sink implements, or a Reply, that can get answers to questions. Where none can, a run ends as
// Unanswered.
type Asker interface{ CanAsk(event.Question) bool }

// Subscribe gives a sink the events of all runs from now on, until it is given up. It gets them in order, from the
// run's goroutine: it must not block for long, and must answer from another one. Several sinks may answer; the first
// answer counts.
func (s *Session) Subscribe(sink event.Sink) (unsubscribe func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := &sink // a sink need not be comparable
	s.sinks = append(slices.Clone(s.sinks), own)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sinks = slices.DeleteFunc(slices.Clone(s.sinks), func(other *event.Sink) bool { return other == own })
	}
}

// emitter is the sink of one run: its trace first, which takes no time, then the document, then everybody else.
type emitter struct {
	session *Session
	run     *run
}

// Emit implements agent.Sink.
func (e emitter) Emit(emitted event.Event) {
	e.run.trace.Emit(emitted)
	s := e.session
	s.mu.Lock()
	switch emitted := emitted.(type) {
	case event.CallAdded: // an earlier call with this ID was taken out of the chat
		delete(s.edits, emitted.Call.ID)
	case event.CallEnded:
		if emitted.Result.Undo != nil {
			s.edits[emitted.ID] = *emitted.Result.Undo
		}
	}
	sinks := s.sinks
	s.mu.Unlock()
	switch emitted := emitted.(type) {
	case event.CallEnded:
		e.run.env.record(
			e.run.turn, emitted.ID, emitted.Name, emitted.Result.Changes, "reviewed or undone with its turn",
		)
	case event.ContextAdded:
		e.run.told(emitted)
	case event.RequestSent:
		e.run.asked = emitted.Request.Model
	case event.RequestEnded:
		e.run.logTokens(s.document.Path(), emitted.Done)
	}
	if err := e.run.reply.Write(emitted); err != nil && e.run.err == nil {
		e.run.err = err
		e.run.cancel()
	}
	for _, sink := range sinks {
		(*sink).Emit(emitted)
	}
}

// logTokens keeps what a request took.
func (r *run) logTokens(chat string, done model.Done) {
	if done.PromptTokens <= 0 {
		return
	}
	reply := usagelog.Reply{
		Time: time.Now(), Chat: chat, Model: r.asked, Prompt: done.PromptTokens, Output: done.OutputTokens,
	}
	if r.env.Workspace != nil {
		reply.Workspace = r.env.Workspace.Root()
	}
	if done.CacheKnown {
		reply.Cached = &done.CachedTokens
	}
	usagelog.New(r.env.State).AddReply(reply)
}

// canAsk reports whether anybody can answer a question.
func (s *Session) canAsk(r *run, q event.Question) bool {
	s.mu.Lock()
	sinks := s.sinks
	s.mu.Unlock()
	if asker, ok := r.reply.(Asker); ok && asker.CanAsk(q) {
		return true
	}
	return slices.ContainsFunc(sinks, func(sink *event.Sink) bool {
		asker, ok := (*sink).(Asker)
		return ok && asker.CanAsk(q)
	})
}
