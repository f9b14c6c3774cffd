package agent

import (
	"context"
	"strings"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/intent"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// A small model answers worse inside JSON, and below a list of files and tools, than in plain text below what it needs (docs/small-models.md).
// So a guided reply to a question only says that it is time to answer, and the answer is asked for apart. Plain talk is answered no better so.

// answersApart reports whether a guided reply only says that it is time to answer.
func (c *loop) answersApart() bool {
	return c.asksApart() && (!c.changed || c.wants.others) && c.wants.intent == intent.Question && !c.wants.talk
}

// answerApart asks for the answer that a guided reply announced.
func (c *loop) answerApart(ctx context.Context, out *reply) error {
	if !c.answersApart() || len(out.calls)+len(out.malformed)+out.text.Len() > 0 {
		return nil
	}
	req := c.plainRequest()
	var circle endless
	var done model.Done
	err := c.chat(ctx, req, func(chunk model.Chunk) error {
		if chunk.Done != nil {
			done = *chunk.Done
		}
		if chunk.Text != "" {
			c.take(out, []toolcall.Event{toolcall.Text{Text: chunk.Text}}) // nothing in it is a call
		}
		if circle.next(chunk.Text) {
			return errEndless
		}
		return nil
	})
	out.raw.Reset() // it is not what the conversation has
	out.done.Reason, out.done.OutputTokens = done.Reason, out.done.OutputTokens+done.OutputTokens
	if err == nil {
		err = c.checkRead(ctx, req, done.PromptTokens)
	}
	return err
}

// plainRequest asks for plain text: what was said before, what was found out since the last message, and that message.
func (c *loop) plainRequest() model.Request {
	last := c.lastMessage() // a question has one
	var messages []model.Message
	add := func(role model.Role, text string, images [][]byte) {
		if text != "" || len(images) > 0 {
			messages = append(messages, model.Message{Role: role, Text: c.Marks.Escape(text), Images: images})
		}
	}
	add(model.RoleSystem, c.System, nil)
	for _, turn := range c.Turns[:last] {
		if turn.Role != model.RoleTool {
			add(turn.Role, turn.Text, turn.Images)
		}
	}
	found, images := c.foundOut(last)
	add(model.RoleUser, found+c.Turns[last].Asked, images)
	return compose.Apart(c.Conversation, messages, 0)
}

// foundOut is what the model has to answer a message from: what was attached, and the results since.
func (c *loop) foundOut(message int) (text string, images [][]byte) {
	asked := c.Turns[message]
	beside := asked.Beside
	if beside == "" && message == len(c.Turns)-1 { // the outline may be what it answers from
		beside = strings.TrimSpace(strings.TrimPrefix(asked.Text, asked.Asked))
	}
	var all strings.Builder
	if beside != "" {
		all.WriteString(beside + "\n\n")
	}
	images = append(images, asked.Images...)
	arguments, shown := map[string]string{}, map[string]bool{}
	for _, turn := range c.Turns[message+1:] {
		for _, call := range turn.Calls {
			arguments[call.ID] = string(call.Arguments)
		}
		if turn.Role != model.RoleTool || strings.Contains(asked.Beside, strings.TrimSpace(turn.Text)) {
			continue // it read again what it has
		}
		result := turn.Text
		if spec, _ := c.spec(turn.Name); spec.ShowsFile == "" {
			result = withoutLines(result, shown)
		}
		if result != "" {
			all.WriteString(compose.Fenced(turn.Name+" "+arguments[turn.CallID], result) + "\n\n")
		}
		images = append(images, turn.Images...)
	}
	return all.String(), images
}

// withoutLines is a text without the lines that were shown before: a model that searches in one folder after the other finds the same.
func withoutLines(text string, shown map[string]bool) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if key := strings.TrimSpace(line); !shown[key] {
			shown[key] = true
			kept.WriteString(line)
		}
	}
	return kept.String()
}
