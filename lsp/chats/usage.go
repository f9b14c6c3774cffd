package chats

import "github.com/assent-ls/assent/agent"

// used keeps what the last reply took of the context.
func (c *Chat) used(u agent.Usage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.usage = u
}

// Usage says what the last reply took of the context, and the offset behind the heading of the last turn of the user, where it is shown. ok
// is false before the first reply of this process.
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
