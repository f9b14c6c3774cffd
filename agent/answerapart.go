package agent

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools"
)

// A small model answers worse inside JSON, and below a list of files and tools, than in plain text below what it needs (docs/small-models.md).
// So a guided reply to a question or to plain talk only says that it is time to answer, and the answer is asked for apart.

// answersApart reports whether a guided reply only says that it is time to answer.
func (c *help) answersApart() bool {
	return c.asksApart() && (!c.changed || c.wants.others) && c.seemsToAsk()
}

// answerApart asks for the answer that a guided reply announced.
func (c *help) answerApart(ctx context.Context, out *reply) error {
	if !c.answersApart() || len(out.calls)+len(out.malformed)+out.text.Len() > 0 {
		return nil
	}
	asked := c.askAnswer()
	req := asked.Request
	var done model.Done
	err := c.chat(ctx, asked, func(chunk model.Chunk) string {
		if chunk.Done != nil {
			done = *chunk.Done
		}
		if chunk.Text != "" {
			c.take(out, []toolcall.Event{toolcall.Text{Text: chunk.Text}}) // nothing in it is a call
		}
		return chunk.Text
	})
	out.raw.Reset() // it is not what the conversation has
	out.done.Reason, out.done.OutputTokens = done.Reason, out.done.OutputTokens+done.OutputTokens
	if err == nil {
		err = c.checkRead(ctx, req, done.PromptTokens)
	}
	return err
}

// askAnswer asks for plain text: what was said before, what was found out since the last message, and that message.
func (c *help) askAnswer() Asked {
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
	return Asked{"the answer in plain text, once a reply says that it is time for it", Apart, compose.Apart(c.Conversation, messages, 0)}
}

// foundOut is what the model has to answer a message from: what was attached, and the results since.
func (c *help) foundOut(message int) (text string, images [][]byte) {
	asked := c.Turns[message]
	beside := asked.Beside
	if beside == "" && message == len(c.Turns)-1 { // the outline may be what it answers from
		beside = strings.TrimSpace(strings.TrimPrefix(asked.Text, asked.Asked))
	}
	var results []string
	images = append(images, asked.Images...)
	shown := map[string]bool{}
	for _, r := range c.results() {
		images = append(images, r.Images...)
		result, whole := r.Text, ""
		if !c.showsFile(r.Name) {
			result = withoutLines(result, shown)
		} else if !r.Failed && !tools.IsPart(result) && !prompts.IsShortened(result) {
			whole = c.showsWhole(r)
		}
		if result == "" {
			continue
		}
		read := compose.Fenced(r.Name+" "+string(r.call.Arguments), result)
		if whole != "" {
			read = compose.BesideText("file "+whole, strings.TrimRight(result, "\n"))
		}
		if slices.Contains(results, read) || strings.Contains(beside, read) || strings.Contains(beside, strings.TrimSpace(result)) {
			continue // it read again what it has
		}
		results = append(results, read)
	}
	if beside != "" {
		results = slices.Insert(results, 0, beside)
	}
	for _, part := range results {
		text += part + "\n\n"
	}
	return text, images
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
