package chats

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/prompts"
)

// frontLine is the key of the line of the front matter at an offset, and where its value stands; ok is false if there
// is none.
func (v view) frontLine(offset int) (key string, value transcript.Span, ok bool) {
	front := v.chat.Front.Span
	if offset <= front.Start || offset > front.End {
		return "", transcript.Span{}, false
	}
	text := v.slice(front.Start, front.End)
	at := offset - front.Start
	start := strings.LastIndexAny(text[:at], "\r\n") + 1
	end := len(text)
	if n := strings.IndexAny(text[at:], "\r\n"); n >= 0 {
		end = at + n
	}
	key, rest, ok := strings.Cut(text[start:end], ":")
	if !ok {
		return "", transcript.Span{}, false
	}
	written := strings.TrimSpace(rest)
	begin := end - len(strings.TrimLeft(rest, " \t"))
	return strings.TrimSpace(key), transcript.Span{Start: front.Start + begin, End: front.Start + begin + len(written)}, true
}

// presets lists what the line `prompt` of the front matter may name.
func (c *Chat) presets() []prompts.Preset {
	env, err := c.environment()
	if err != nil {
		return nil
	}
	return prompts.Presets(env.Config)
}

// explainFront explains the line of the front matter at an offset.
func (c *Chat) explainFront(ctx context.Context, view view, offset int) (markdown string, span transcript.Span, ok bool) {
	key, value, ok := view.frontLine(offset)
	if !ok || key != "prompt" {
		return "", transcript.Span{}, false
	}
	name := view.chat.Front.Prompt
	i := slices.IndexFunc(c.presets(), func(p prompts.Preset) bool { return p.Name == name })
	if i < 0 {
		return c.explainPrompt(ctx, view.chat), value, true
	}
	return fmt.Sprintf("**%s**\n\n%s\n\n---\n\n%s", name, c.presets()[i].Description, c.explainPrompt(ctx, view.chat)), value, true
}

// presetDiagnostics says that the front matter names a preset that does not exist.
func (c *Chat) presetDiagnostics(view view) []Diagnostic {
	name := view.chat.Front.Prompt
	if name == "" {
		return nil
	}
	var names []string
	for _, p := range c.presets() {
		if p.Name == name {
			return nil
		}
		names = append(names, p.Name)
	}
	span := view.firstLine(view.chat.Front.Span)
	front := view.slice(view.chat.Front.Span.Start, view.chat.Front.Span.End)
	if at := strings.Index(front, "\nprompt:"); at >= 0 {
		start := view.chat.Front.Span.Start + at + 1
		span = view.firstLine(transcript.Span{Start: start, End: view.chat.Front.Span.End})
	}
	return []Diagnostic{{Span: span, Warn: true, Message: fmt.Sprintf("There is no preset %q; there are %s.", name, strings.Join(names, ", "))}}
}
