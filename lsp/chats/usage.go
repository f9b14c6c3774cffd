package chats

import (
	"fmt"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/transcript"
)

// counter says of texts about how many tokens the model of the chat takes for them, in words.
func (c *Chat) counter(chat *transcript.Chat) func(text string) string {
	env, err := c.chats.Environment(c.path)
	if err != nil || env.Agent == nil {
		return func(string) string { return "" }
	}
	name := agent.Named(chat, env.Options)
	return func(text string) string { return fmt.Sprintf("~%d tokens", env.Agent.Tokens(name, text)) }
}

// used keeps what the last reply took of the context.
func (c *Chat) used(u agent.Usage) {
	c.mu.Lock()
	c.usage = u
	c.mu.Unlock()
	c.chats.Host.StateChanged()
}

// Usage says what the last reply took of the context, and the offset behind the heading of the last turn of the user,
// where it is shown. ok is false before the first reply of this process.
func (c *Chat) Usage() (text string, at int, ok bool) {
	c.mu.Lock()
	text = c.usage.String()
	c.mu.Unlock()
	view := c.view()
	last := view.chat.LastYou()
	if text == "" || last < 0 {
		return "", 0, false
	}
	return text, view.firstLine(view.chat.Turns[last].Heading).End, true
}

// Hint is Usage for an editor that shows it beside the text, as Emacs does at the old place of a text that changed
// meanwhile: ok is false, too, while a reply is written.
func (c *Chat) Hint() (text string, at int, ok bool) {
	if !c.idle() {
		return "", 0, false
	}
	return c.Usage()
}
