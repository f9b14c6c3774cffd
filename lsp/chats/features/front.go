package features

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
)

// explainFront explains the line of the front matter at an offset.
func explainFront(
	ctx context.Context, c *chats.Chat, view parsed.View, offset int,
) (markdown string, span transcript.Span, ok bool) {
	key, value, ok := view.FrontLine(offset)
	if !ok || key != "prompt" {
		return "", transcript.Span{}, false
	}
	markdown = explainPrompt(ctx, c, view.Chat)
	for _, p := range c.Presets() {
		if p.Name == view.Chat.Front.Prompt {
			markdown = fmt.Sprintf("**%s**\n\n%s\n\n---\n\n%s", p.Name, p.Description, markdown)
			break
		}
	}
	return markdown, value, true
}

// presetDiagnostics says that the front matter names a preset that does not exist.
func presetDiagnostics(c *chats.Chat, view parsed.View) []Diagnostic {
	name := view.Chat.Front.Prompt
	if name == "" {
		return nil
	}
	var names []string
	for _, p := range c.Presets() {
		if p.Name == name {
			return nil
		}
		names = append(names, p.Name)
	}
	span := view.FirstLine(view.Chat.Front.Span)
	front := view.Slice(view.Chat.Front.Span.Start, view.Chat.Front.Span.End)
	if at := strings.Index(front, "\nprompt:"); at >= 0 {
		start := view.Chat.Front.Span.Start + at + 1
		span = view.FirstLine(transcript.Span{Start: start, End: view.Chat.Front.Span.End})
	}
	return []Diagnostic{{
		Span: span, Warn: true,
		Message: fmt.Sprintf("There is no preset %q; there are %s.", name, strings.Join(names, ", ")),
	}}
}
