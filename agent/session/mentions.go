package session

import (
	"context"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/gitdiff"
)

// Mentioned finds what the messages of this chat mention; ok is false where there is no workspace.
func (s *Session) Mentioned() (mentioned *attach.Mentioned, ok bool) {
	env, err := s.environment()
	if err != nil || env.Workspace == nil {
		return nil, false
	}
	return env.mentioned(s.document.Path(), s.reads), true
}

// mentioned is the source of the @words of a chat.
func (e Environment) mentioned(chat string, reads *tools.ReadSet) *attach.Mentioned {
	return attach.NewMentioned(attach.MentionOptions{
		Selection: e.Selection, Diagnostics: e.Diagnostics,
		Workspace: e.Workspace, Reads: reads, Link: chatImages{e.Workspace, chat}.link,
		Pages: e.Pages, Servers: e.mentionedServers(),
		Diff: func(ctx context.Context, limit int) (string, error) { return gitdiff.Since(ctx, e.Workspace, limit) },
	})
}
