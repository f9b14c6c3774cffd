package features

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
)

const noFolder = "this chat is in no workspace folder"

// Completion is one thing that can be written at a place of a chat.
type Completion struct {
	Text    string
	Doc     string
	Replace transcript.Span
	Kind    CompletionKind
}

// CompletionKind says what a completion is: editors show a sign for it.
type CompletionKind int

// The kinds of completions.
const (
	ValueCompletion CompletionKind = iota // a model, a tool, a value
	KeyCompletion
	CommandCompletion
	FileCompletion // a file, or something else that is mentioned
	FolderCompletion
)

// Complete lists what can be written at an offset; more says that there is more, or that it changes with what is typed.
func Complete(ctx context.Context, c *chats.Chat, offset int) (list []Completion, more bool) {
	view := c.View()
	if list := completeFront(ctx, c, view, offset); len(list) > 0 {
		return list, false
	}
	words, start, ok := view.WordsBefore(offset)
	if !ok {
		return nil, false
	}
	if list, ok := completeCommand(ctx, c, words, start, offset); ok {
		return list, true
	}
	at, prefix, ok := attach.Typed(words)
	mentioned, hasFiles := c.Session.Mentioned()
	if !ok || !hasFiles {
		return nil, false
	}
	found, _ := mentioned.Complete(ctx, prefix)
	for _, f := range found {
		kind := FileCompletion
		if f.Folder {
			kind = FolderCompletion
		}
		list = append(
			list,
			Completion{
				Text: "@" + f.Text, Doc: f.Doc, Kind: kind, Replace: transcript.Span{Start: start + at, End: offset},
			},
		)
	}
	return list, true
}

// mentionDiagnostics says what of the mentions of the turn that is not sent yet cannot be attached, or not as it is
// written.
func mentionDiagnostics(ctx context.Context, c *chats.Chat, view parsed.View) []Diagnostic {
	turn, _ := view.Unsent()
	mentioned, ok := c.Session.Mentioned()
	var out []Diagnostic
	for _, m := range view.Mentions(turn) {
		if !ok {
			if !m.Plain {
				out = append(out, Diagnostic{Span: m.Span, Warn: true, Message: "Not attached: " + noFolder})
			}
			continue
		}
		if m.Kind == attach.SymbolMention || m.Kind == attach.DiffMention || m.Kind == attach.DiagnosticsMention {
			continue // too slow for every pause: a hover says it, and the block when it is sent
		}
		found, err := mentioned.Preview(ctx, m)
		switch {
		case errors.Is(err, attach.ErrNoMention):
			out = append(
				out,
				Diagnostic{
					Span: m.Span, Message: fmt.Sprintf("Nothing is attached: no file or folder is called %q.", m.Name),
				},
			)
		case err != nil:
			out = append(
				out, Diagnostic{Span: m.Span, Warn: true, Message: "Not attached: " + parsed.OneLine(err.Error())},
			)
		case found.Known:
			out = append(
				out,
				Diagnostic{Span: m.Span, Message: "The model knows this file as it is now: it is not attached again."},
			)
		case found.Note != "":
			out = append(out, Diagnostic{Span: m.Span, Message: parsed.OneLine(found.Note)})
		}
	}
	return out
}

// notAttached says again, on its block, what could not be attached to the last turn that was sent.
func notAttached(v parsed.View) []Diagnostic {
	for i, turn := range slices.Backward(v.Chat.Turns) {
		if turn.Role != transcript.You || i == len(v.Chat.Turns)-1 {
			continue
		}
		var out []Diagnostic
		for b := range parsed.Blocks[transcript.Context](turn) {
			if attach.Failed(b.Name) {
				out = append(out, Diagnostic{Span: v.FirstLine(b.Span), Warn: true, Message: parsed.OneLine(b.Text)})
			}
		}
		return out
	}
	return nil
}

// explainMention says what a mention attaches.
func explainMention(ctx context.Context, c *chats.Chat, m attach.Mention) string {
	mentioned, ok := c.Session.Mentioned()
	if !ok {
		return "Not attached: " + noFolder
	}
	found, err := mentioned.Preview(ctx, m)
	switch {
	case err != nil:
		return "Nothing is attached: " + parsed.OneLine(err.Error())
	case found.Known:
		return "The model knows this file as it is now: it is not attached again."
	}
	if mentioned.IsResource(ctx, m) {
		return fmt.Sprintf(
			"Attached when this turn is sent: what the server %s gives for %s then.", visible.Line(m.Server),
			visible.Line(m.Name),
		)
	}
	if m.Kind == attach.PageMention {
		return "Attached when this turn is sent, if you say yes then: the page " + visible.Line(m.Name) + "."
	}
	said := fmt.Sprintf(
		"Attached when this turn is sent: %s, %s.", visible.Line(found.Block.Name),
		counter(c, c.View().Chat)(found.Block.Text()),
	)
	if found.Note != "" {
		said += " " + parsed.OneLine(found.Note)
	}
	return said
}
