package features

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
)

// maxNewTitle is how long a title may be that a person gives, in runes.
const maxNewTitle = 200

// TitleAt is the title of the chat, or a word to begin with, and the place where an editor shows it to be changed,
// which holds the offset: in the front matter, or on the heading of a turn. ok is false elsewhere.
func TitleAt(c *chats.Chat, offset int) (title string, at transcript.Span, ok bool) {
	view := c.View()
	if title = view.Chat.Title(); title == "" {
		title = "title" // editors take no empty one
	}
	here := transcript.Span{Start: offset, End: offset}
	if key, value, inFront := view.FrontLine(offset); inFront && key == "title" && value.Start < value.End &&
		parsed.Touches(value, here) {
		return title, value, true
	}
	front := view.Chat.Front.Span
	i, inTurn := view.Chat.TurnAt(offset)
	if front.Start < front.End && parsed.Touches(front, here) ||
		inTurn && parsed.Touches(view.Chat.Turns[i].Heading, here) {
		return title, view.LineAt(offset), true
	}
	return "", transcript.Span{}, false
}

// Retitle is the edit that gives the chat a title: what is at a place becomes the text.
func Retitle(c *chats.Chat, title string) (at transcript.Span, text string, err error) {
	title = strings.Join(strings.Fields(title), " ")
	switch n := len([]rune(title)); {
	case n == 0:
		return at, "", errors.New(
			"write a title: without the line `title:` in its front matter, a chat is called by its first question",
		)
	case n > maxNewTitle:
		return at, "", fmt.Errorf("a title has at most %d characters, not %d", maxNewTitle, n)
	}
	view := c.View()
	front := view.Chat.Front.Span
	before := view.Slice(front.Start, front.End)
	at, text = view.Chat.SetFront(before, "title", title)
	after := transcript.Parse(before[:max(0, at.Start-front.Start)] + text + before[max(0, at.End-front.Start):] + "\n")
	if after.Front.Title != title || after.Front.Model != view.Chat.Front.Model ||
		len(after.Problems) > len(view.Chat.Problems) {
		return at, "", errors.New(
			"the front matter of this chat cannot take a title: write the line `title:` there yourself",
		)
	}
	return at, text, nil
}
