package chats

import (
	"github.com/assent-ls/assent/agent/event"
)

// pulls shows how far the fetching of a model is, by a progress of its own with percentages, and reports whether the
// event says only that. Cancelling it stops the run.
func (s *replyWriter) pulls(e event.Event) bool {
	p, ok := e.(event.Progress)
	if !ok || p.Stage != event.Pulling {
		if s.pulling != nil {
			s.pulling.End("")
			s.pulling = nil
		}
		return false
	}
	if s.pulling == nil {
		s.pulling = s.chat.Chats.Host.Percent("Assent: pull", p.Note, func() { _ = s.chat.halt() })
		s.progress.Report(describe(p))
		s.chat.refresh() // the question about it is answered
		return true
	}
	s.pulling.ReportPercent(p.Note, p.Percent())
	return true
}
