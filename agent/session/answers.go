package session

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools"
)

// Questions lists what waits for a person now, in the model's order.
func (s *Session) Questions() []event.Question {
	if r := currentRun(s); r != nil {
		return r.Questions()
	}
	return nil
}

// Answer gives a person's decision on the question with this ID. The first answer counts: after it, and when the call
// has changed or is gone, it is agent.ErrNoQuestion and nothing was done.
func (s *Session) Answer(question string, answer event.Answer) error {
	r := currentRun(s)
	if r == nil {
		return agent.ErrNoQuestion
	}
	return r.Answer(question, answer)
}

// Revise tells the run what a person changed in its pending calls: what the document shows is what is approved.
func (s *Session) Revise(document func() *transcript.Chat) {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	questions := s.Questions()
	if len(questions) == 0 {
		return
	}
	chat := document()
	for _, q := range questions {
		for _, asked := range q.Calls() {
			if !s.revise(chat, asked) {
				return
			}
		}
	}
}

// revise tells the run of one call; false if the run is over.
func (s *Session) revise(chat *transcript.Chat, asked event.AskedCall) bool {
	call, ok := chat.Call(asked.CallID)
	if !s.hasStood(asked.CallID, ok) {
		return true
	}
	if !ok || call.Tool != asked.Tool || call.Problem != "" {
		call.Arguments = nil
	}
	if opencalls.SameArguments(call.Arguments, asked.Arguments) {
		return true
	}
	r := currentRun(s)
	return r != nil && r.Revise(asked.CallID, call.Arguments) == nil
}

// hasStood reports whether a call was ever in the document: before it does it cannot have been changed there.
func (s *Session) hasStood(call string, now bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now {
		s.shown[call] = true
	}
	return s.shown[call]
}

// Recheck makes the run look again at what waits or is about to, after a file was saved or changed.
func (s *Session) Recheck() {
	if r := currentRun(s); r != nil {
		_ = r.Recheck() // a run that has ended has nothing to look at
	}
}

// Undoable lists the calls whose edits can be taken back.
func (s *Session) Undoable() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.edits))
}

// Undo takes the edit of a call back, alone, however much was edited since.
func (s *Session) Undo(ctx context.Context, call string) error {
	s.mu.Lock()
	edit, ok := s.edits[call]
	s.mu.Unlock()
	if !ok {
		return errors.New(
			"this edit was taken back already, or was made before the server started: use the editor's own undo",
		)
	}
	env, err := s.environment()
	if err != nil {
		return err
	}
	if err := tools.UndoEdit(ctx, env.Workspace, s.reads, edit); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.edits, call)
	return nil
}
