package features

import (
	"fmt"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
)

// counter says in words about how many tokens of the chat's model texts take.
func counter(c *chats.Chat, chat *transcript.Chat) func(text string) string {
	env, err := c.Chats.Environment(c.Path())
	if err != nil || env.Agent == nil {
		return func(string) string { return "" }
	}
	name := engine.Named(chat, env.Options)
	return func(text string) string { return fmt.Sprintf("~%d tokens", env.Agent.Tokens(name, text)) }
}

// Usage says what the last reply took of the context, and the offset behind the heading of the last turn of the user,
// where it is shown. ok is false before the first reply of this process.
func Usage(c *chats.Chat) (text string, at int, ok bool) {
	text = c.Progress().Usage.String()
	view := c.View()
	last := view.Chat.LastYou()
	if text == "" || last < 0 {
		return "", 0, false
	}
	return text, view.FirstLine(view.Chat.Turns[last].Heading).End, true
}

// Hint is Usage for an editor that shows it beside the text, as Emacs does at the old place of a text that changed
// meanwhile: ok is false, too, while a reply is written.
func Hint(c *chats.Chat) (text string, at int, ok bool) {
	if !c.Idle() {
		return "", 0, false
	}
	return Usage(c)
}
