package chats

import (
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
)

// ForPrompt is what the system prompt of the chat depends on, as it is now.
func (c *Chat) ForPrompt() (session.Environment, *transcript.Chat, error) {
	env, err := c.environment()
	return env, c.View().Chat, err
}
