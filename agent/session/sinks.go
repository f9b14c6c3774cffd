package session

import (
	"slices"

	"github.com/assent-ls/assent/agent"
)

// Asker is what a sink implements, or a Reply, that can get answers to questions. Where none can, a run ends as
// Unanswered.
type Asker interface{ CanAsk(agent.Question) bool }

// Subscribe gives a sink the events of all runs from now on, until it is given up. It gets them in order, from the
// run's goroutine: it must not block for long, and must answer from another one. Several sinks may answer; the first
// answer counts.
func (s *Session) Subscribe(sink agent.Sink) (unsubscribe func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := &sink // a sink need not be comparable
	s.sinks = append(slices.Clone(s.sinks), own)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sinks = slices.DeleteFunc(slices.Clone(s.sinks), func(other *agent.Sink) bool { return other == own })
	}
}

// emitter is the sink of one run: its trace first, which takes no time, then the document, then everybody else.
type emitter struct {
	session *Session
	run     *run
}

// Emit implements agent.Sink.
func (e emitter) Emit(event agent.Event) {
	e.run.trace.Emit(event)
	s := e.session
	s.mu.Lock()
	switch event := event.(type) {
	case agent.CallAdded: // an earlier call with this ID was taken out of the chat
		delete(s.edits, event.Call.ID)
	case agent.CallEnded:
		if event.Result.Undo != nil {
			s.edits[event.ID] = *event.Result.Undo
		}
	}
	sinks := s.sinks
	s.mu.Unlock()
	switch event := event.(type) {
	case agent.CallEnded:
		e.run.env.record(e.run.turn, event.ID, event.Name, event.Result.Changes, "reviewed or undone with its turn")
	case agent.ContextAdded:
		e.run.told(event)
	}
	if err := e.run.reply.Write(event); err != nil && e.run.err == nil {
		e.run.err = err
		e.run.cancel()
	}
	for _, sink := range sinks {
		(*sink).Emit(event)
	}
}

// canAsk reports whether anybody can answer a question.
func (s *Session) canAsk(r *run, q agent.Question) bool {
	s.mu.Lock()
	sinks := s.sinks
	s.mu.Unlock()
	if asker, ok := r.reply.(Asker); ok && asker.CanAsk(q) {
		return true
	}
	return slices.ContainsFunc(sinks, func(sink *agent.Sink) bool {
		asker, ok := (*sink).(Asker)
		return ok && asker.CanAsk(q)
	})
}
