package chats

import (
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/ext"
)

// ForPrompt is what the system prompt of the chat depends on, as it stands now.
func (c *Chat) ForPrompt() (session.Environment, *transcript.Chat, error) {
	env, err := c.environment()
	return env, c.view().chat, err
}

// promptActions are those of the top of a chat, above its first words.
func promptActions(view view, span transcript.Span) []Action {
	if len(view.chat.Turns) > 0 && span.Start > view.chat.Turns[0].Heading.End {
		return nil
	}
	return []Action{
		{Title: "Edit system prompt for this workspace", Command: ext.EditWorkspacePrompt},
		{Title: "Edit system prompt for this model", Command: ext.EditModelPrompt},
		{Title: "Edit system prompt for me", Command: ext.EditPrompt},
		{Title: "Reset system prompt to built-in", Command: ext.ResetPrompt},
	}
}
