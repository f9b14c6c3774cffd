package guidance

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/prompts"
)

// A small model answers worse inside JSON, and below a list of files and tools, than in plain text below what it needs
// (cmd/eval/findings.md). So a guided reply to a question or to plain talk only says that it is time to answer, and the
// answer is asked for separately.

// answersSeparately reports whether a guided reply only says that it is time to answer.
func (g *Guide) answersSeparately() bool {
	return !g.source.without(ruleAnswers) && g.asksSeparately() && (!g.changed || g.wants.external) && g.seemsToAsk()
}

// answer asks for the answer that a reply announced.
func (g *Guide) answer(ctx context.Context, r *Reply, by Asker) error {
	if !g.answersSeparately() || !r.Empty {
		return nil
	}
	answer, err := by.Ask(ctx, g.askAnswer(), true)
	r.Altered, r.Answer = true, &answer
	return err
}

// askAnswer asks for plain text: what was said before, what was found out since the last message, and that message.
func (g *Guide) askAnswer() Request {
	last := g.lastMessage() // a question has one
	var messages []model.Message
	add := func(role model.Role, text string, images [][]byte) {
		if text != "" || len(images) > 0 {
			messages = append(messages, model.Message{Role: role, Text: g.Marks.Escape(text), Images: images})
		}
	}
	add(model.RoleSystem, g.System, nil)
	for _, turn := range g.Turns[:last] {
		if turn.Role != model.RoleTool {
			add(turn.Role, turn.Text, turn.Images)
		}
	}
	found, images := g.foundOut(last)
	add(model.RoleUser, found+g.Turns[last].Asked, images)
	return Request{
		"the answer in plain text, once a reply says that it is time for it",
		compose.Separate(g.Conversation, messages, 0),
	}
}

// foundOut is what the model has to answer a message from: what was attached, and the results since.
func (g *Guide) foundOut(message int) (text string, images [][]byte) {
	asked := g.Turns[message]
	beside := asked.Beside
	if beside == "" && message == len(g.Turns)-1 { // the outline may be what it answers from
		beside = strings.TrimSpace(strings.TrimPrefix(asked.Text, asked.Asked))
	}
	var results []string
	images = append(images, asked.Images...)
	shown := map[string]bool{}
	for _, r := range g.results() {
		images = append(images, r.Images...)
		result, whole := r.Text, ""
		if !g.showsFile(r.Name) {
			result = withoutLines(result, shown)
		} else if !r.Failed && !r.Facts.Part && !prompts.IsShortened(result) {
			if read, all := g.reading(r); all {
				whole = read
			}
		}
		if result == "" {
			continue
		}
		read := compose.Fenced(r.Name+" "+string(r.call.Arguments), result)
		if whole != "" {
			read = Aside{}.Block("file "+whole, strings.TrimRight(result, "\n"))
		}
		if slices.Contains(results, read) || strings.Contains(beside, read) ||
			strings.Contains(beside, strings.TrimSpace(result)) {
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

// withoutLines is a text without the lines that were shown before: a model that searches in one folder after the other
// finds the same.
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
