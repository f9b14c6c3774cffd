package agent

import (
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/transcript"
)

// marksBlock is the name of the context block that says that the model reads control marks with a dot. It is not sent.
const marksBlock = "control marks"

// sayMarks writes into the document, and not to the model, that it reads some of what is there with dots: once a
// chat.
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
			"Marks such as %s steer %s.\nWhere one is in this chat, the model reads it with a dot, %s, "+
				"so that it is only text.",
			found, c.Model.Name, c.Marks.Escape(found)))
		return
	}
}

// overrideBlock is the name of the context block that says what takes the place of the chat's own prompt. It is not
// sent.
const overrideBlock = "override"

// sayOverride writes into the document, and not to the model, what takes the place of the chat's own prompt: again
// where something else does.
func (c *loop) sayOverride() {
	said := c.job.Override
	if c.job.Options.ToolPrompt != "" && c.Format.Name() == "native" {
		said += "\nThe model server itself tells this model how tools are called, " +
			"so your words about that have no effect."
	}
	c.noteAgain(overrideBlock, strings.TrimSpace(said))
}

// thinkBlock is the name of the context block that says why a model does not think as it is told to. It is not sent.
const thinkBlock = "think"

// sayThink writes into the document, and not to the model, why it does not think as much as it is told to.
func (c *loop) sayThink() {
	wanted := c.Sampling.Over(c.Profile.Sampling).Think
	switch {
	case wanted == "", wanted == model.ThinkOff && !c.Model.Can("thinking"):
	case !c.Model.Can("thinking"):
		c.noteAgain(
			thinkBlock, fmt.Sprintf("%s cannot think before it answers, so `think` has no effect.", c.Model.Name),
		)
	case wanted != model.ThinkOff && c.Format.Name() == "guided":
		c.noteAgain(
			thinkBlock,
			fmt.Sprintf(
				"The replies of %s are guided, and such are written without thinking, so `think` has no effect.",
				c.Model.Name,
			),
		)
	}
}

// noteAgain is note unless the last block of this name in the document says the same; an empty text says nothing.
func (c *loop) noteAgain(name, text string) {
	said := ""
	for b := range transcript.Contexts(c.job.Document.Turns...) {
		if b.Name == name && b.NotSent {
			said = strings.TrimSpace(b.Text)
		}
	}
	if text != "" && text != said {
		c.note(name, text)
	}
}

// isDotted reports whether a document says so already.
func isDotted(chat *transcript.Chat) bool {
	for b := range transcript.Contexts(chat.Turns...) {
		if b.NotSent && b.Name == marksBlock {
			return true
		}
	}
	return false
}
