package session

import "github.com/assent-ls/assent/agent/attach"

// Mentioned finds what the messages of this chat mention; ok is false where there is no workspace.
func (s *Session) Mentioned() (mentioned *attach.Mentioned, ok bool) {
	env, err := s.environment()
	if err != nil || env.Workspace == nil {
		return nil, false
	}
	return env.mentioned(s.document.Path(), s.reads), true
}
