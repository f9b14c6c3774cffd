package agent

import (
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/content"
)

// marksBlock is the name of the context block that says that the model reads control marks with a dot. It is not sent.
const marksBlock = "control marks"

// sayMarks writes into the document, and not to the model, that it reads some of what stands there with dots: once a chat.
func (c *loop) sayMarks() {
	if c.dotted {
		return
	}
	for _, t := range c.Turns {
		found := c.Marks.First(t.Text)
		for _, call := range t.Calls {
			if found == "" {
				found = c.Marks.First(string(call.Arguments))
			}
		}
		if found == "" {
			continue
		}
		c.dotted = true
		c.note(marksBlock, fmt.Sprintf(
			"Marks such as %s steer %s.\nWhere one stands in this chat the model reads it with a dot, %s, so that it is only text.",
			found, c.Model.Name, c.Marks.Escape(found)))
		return
	}
}

// overrideBlock is the name of the context block that says what takes the place of the chat's own prompt. It is not sent.
const overrideBlock = "override"

// sayOverride writes into the document, and not to the model, what takes the place of the chat's own prompt: again where something else does.
func (c *loop) sayOverride() {
	said := ""
	hasBlock(c.job.Document, func(b transcript.Context) bool {
		if b.Name == overrideBlock && b.NotSent {
			said = strings.TrimSpace(b.Text)
		}
		return false
	})
	if c.job.Override != "" && c.job.Override != said {
		c.note(overrideBlock, c.job.Override)
	}
}

// note writes a block into the document that is for people alone.
func (c *loop) note(name, text string) {
	c.emit(ContextAdded{Block: attach.Block{Name: name, Parts: content.Texts(text)}, NotSent: true})
}

// isDotted reports whether a document says so already.
func isDotted(chat *transcript.Chat) bool {
	return hasBlock(chat, func(b transcript.Context) bool { return b.NotSent && b.Name == marksBlock })
}

func hasBlock(chat *transcript.Chat, is func(transcript.Context) bool) bool {
	for _, turn := range chat.Turns {
		for _, block := range turn.Blocks {
			if b, ok := block.(transcript.Context); ok && is(b) {
				return true
			}
		}
	}
	return false
}
