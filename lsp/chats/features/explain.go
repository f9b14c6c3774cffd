package features

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/prompts"
)

// Explain describes the block or the heading at an offset, in Markdown.
func Explain(ctx context.Context, c *chats.Chat, offset int) (markdown string, span transcript.Span, ok bool) {
	view := c.View()
	if markdown, span, ok = explainFront(ctx, c, view, offset); ok {
		return markdown, span, true
	}
	at, ok := view.Chat.TurnAt(offset)
	if !ok {
		return "", transcript.Span{}, false
	}
	turn := view.Chat.Turns[at]
	here := transcript.Span{Start: offset, End: offset}
	if parsed.Touches(turn.Heading, here) {
		return explainPrompt(ctx, c, view.Chat), turn.Heading, true
	}
	if w, ok := view.CommandOf(turn); ok && parsed.Touches(w.Span, here) {
		if command, known := c.Session.Command(ctx, w.Name); known {
			return explainCommand(command), w.Span, true
		}
	}
	for _, m := range view.Mentions(turn) {
		if parsed.Touches(m.Span, here) {
			return explainMention(ctx, c, m), m.Span, true
		}
	}
	for _, q := range chats.Questions(c) {
		if at, byHand := view.Asking[q.CallID]; byHand && parsed.Touches(at, here) {
			return explainAsked(q.AskedCall), at, true
		}
	}
	for _, block := range turn.Blocks {
		if !parsed.Touches(block.Range(), here) {
			continue
		}
		if said := explainBlock(c, view, block); said != "" {
			return said, block.Range(), true
		}
	}
	return "", transcript.Span{}, false
}

// explainBlock describes a block; empty: nothing is said about it.
func explainBlock(c *chats.Chat, view parsed.View, block transcript.Block) string {
	switch b := block.(type) {
	case transcript.Call:
		return explainCall(c, view, b)
	case transcript.Result:
		text := fmt.Sprintf("Result of call `%s`: %s, after %s.", b.ID, b.Status, b.Took)
		if compose.ShortenedIn(view.Chat)[b.ID] {
			text += " It is sent shortened, so that the chat fits the context."
		}
		return text
	case transcript.Context:
		if b.NotSent {
			return "For you. It is not sent to the model."
		}
		tokens := counter(c, view.Chat)(b.Text)
		return "Sent to the model with this turn, once, as it stands here: " + tokens + "."
	case transcript.Image:
		if b.NotSent {
			return "An image for you. It is not sent to the model."
		}
		return "An image. It is sent to models that see."
	case transcript.Malformed:
		return "Told to the model: " + visible.Line(b.Reason)
	case transcript.Thinking:
		return "The model's reasoning. Nothing in it is ever run."
	}
	return ""
}

// explainCall shows the tool's description and the state of the call.
func explainCall(c *chats.Chat, view parsed.View, call transcript.Call) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** `%s`\n", call.Tool, call.ID)
	if call.Problem != "" {
		fmt.Fprintf(&b, "\nThis call cannot be read: %s\n", call.Problem)
	}
	if env, err := c.Chats.Environment(c.Path()); err == nil {
		for _, spec := range env.Tools.Known().Specs() {
			if spec.Name == call.Tool {
				fmt.Fprintf(&b, "\n%s\n", spec.Description)
			}
		}
	}
	for _, q := range chats.Questions(c) {
		for _, asked := range q.Calls() {
			if asked.CallID == call.ID {
				return b.String() + "\n" + explainAsked(asked)
			}
		}
	}
	if shown := c.Output().End(call.ID); shown != "" {
		fence := transcript.FenceAround(shown)
		return b.String() + fmt.Sprintf("\nIt runs. The end of its output so far:\n\n%s\n%s\n%s\n", fence, shown, fence)
	}
	if result, ok := view.Result(call.ID); ok {
		if said := explainBackground(c, view, call.ID); said != "" {
			return b.String() + said
		}
		return b.String() + fmt.Sprintf("\nIt ended %s after %s.\n", result.Status, result.Took)
	}
	for _, open := range openCalls(c, view) {
		if open.ID == call.ID && open.Begun {
			return b.String() + "\nIt was begun, and its end is not known: it may have had effects.\n"
		}
	}
	return b.String() + "\nIt was not run.\n"
}

// explainAsked says what is asked about a call.
func explainAsked(asked event.AskedCall) string {
	if asked.Effect.ByPerson() && asked.Preview == "" {
		return waiting(asked) + "\n\nWrite in the block below, then choose Answer.\n"
	}
	fence := transcript.FenceAround(asked.Preview)
	return fmt.Sprintf(
		"%s\n\n%sdiff\n%s\n%s\n", waiting(asked), fence, strings.TrimRight(asked.Preview, "\n"), fence,
	)
}

// explainPrompt names the layers of the system prompt, used or not.
func explainPrompt(ctx context.Context, c *chats.Chat, chat *transcript.Chat) string {
	env, err := c.Chats.Environment(c.Path())
	if err != nil {
		return err.Error()
	}
	prompt, err := env.PromptNow(ctx, chat)
	var b strings.Builder
	if err != nil {
		b.WriteString(visible.Text(err.Error()) + "\n\n")
	}
	if env.Workspace != nil {
		fmt.Fprintf(&b, "Workspace: `%s`\n\n", env.Workspace.Root())
	}
	if len(env.Flags) > 0 {
		flags := strings.ReplaceAll(strings.Join(env.Flags, "\n"), "`", "'")
		b.WriteString("Flags of this launch:\n\n- `" + strings.ReplaceAll(flags, "\n", "`\n- `") + "`\n\n")
	}
	if said := engine.ModeOf(chat, env.Options).Explain(); said != "" {
		b.WriteString(said + "\n\n")
	}
	if said := c.Chats.Host.Confinement(c.Path()); said != "" {
		b.WriteString(said + "\n\n")
	}
	if used, _, ok := Usage(c); ok {
		b.WriteString("Context: " + used + "\n\n")
	}
	b.WriteString(ExplainPrompt(prompt, engine.Named(chat, env.Options), env.Agent.Tokens))
	return b.String()
}

// ExplainPrompt names a system prompt for a model, how long it is, and its layers, used or not, as Markdown. An empty
// name is that of no model.
func ExplainPrompt(prompt prompts.Prompt, model string, tokens func(model, text string) int) string {
	var b strings.Builder
	fmt.Fprintf(
		&b, "System prompt `%s` for %s, %d characters, ~%d tokens:\n\n",
		prompt.Hash(), visible.Line(cmp.Or(model, "a model that is not named yet")),
		utf8.RuneCountInString(prompt.Text), tokens(model, prompt.Text),
	)
	for _, layer := range prompt.Layers {
		b.WriteString("- " + visible.Line(layer.String()) + "\n")
	}
	return b.String()
}
