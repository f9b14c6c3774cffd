package chats

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
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
func (c *Chat) Complete(ctx context.Context, offset int) (list []Completion, more bool) {
	view := c.view()
	if list := c.completeFront(ctx, view, offset); len(list) > 0 {
		return list, false
	}
	words, start, ok := view.wordsBefore(offset)
	if !ok {
		return nil, false
	}
	if list, ok := c.completeCommand(ctx, words, start, offset); ok {
		return list, true
	}
	at, prefix, ok := attach.Typed(words)
	mentioned, hasFiles := c.session.Mentioned()
	if !ok || !hasFiles {
		return nil, false
	}
	found, _ := mentioned.Complete(ctx, prefix)
	for _, f := range found {
		kind := FileCompletion
		if f.Folder {
			kind = FolderCompletion
		}
		list = append(list, Completion{Text: "@" + f.Text, Doc: f.Doc, Kind: kind, Replace: transcript.Span{Start: start + at, End: offset}})
	}
	return list, true
}

// wordsBefore are the user's own words down to an offset in them; start is where they begin.
func (v view) wordsBefore(offset int) (words string, start int, ok bool) {
	at, ok := v.chat.TurnAt(offset)
	if !ok || v.chat.Turns[at].Role != transcript.You {
		return "", 0, false
	}
	for _, block := range v.chat.Turns[at].Blocks {
		if text, isText := block.(transcript.Text); isText && text.Span.Start <= offset && offset <= text.Span.End {
			return v.slice(text.Span.Start, offset), text.Span.Start, true
		}
	}
	return "", 0, false
}

// mentions lists the mentions of a turn, with their places in the document.
func (v view) mentions(turn transcript.Turn) []attach.Mention {
	var all []attach.Mention
	if turn.Role != transcript.You {
		return nil
	}
	for _, block := range turn.Blocks {
		if text, ok := block.(transcript.Text); ok {
			all = append(all, v.mentionsIn(text)...)
		}
	}
	return all
}

func (v view) mentionsIn(text transcript.Text) []attach.Mention {
	all := attach.FindMentions(v.slice(text.Span.Start, text.Span.End))
	for i := range all {
		all[i].Span.Start += text.Span.Start
		all[i].Span.End += text.Span.Start
	}
	return all
}

// mentionDiagnostics says what of the mentions of the turn that is not sent yet cannot be attached, or not as it is
// written.
func (c *Chat) mentionDiagnostics(ctx context.Context, view view) []Diagnostic {
	last := len(view.chat.Turns) - 1
	if last < 0 || view.chat.Turns[last].Role != transcript.You {
		return nil
	}
	mentions := view.mentions(view.chat.Turns[last])
	mentioned, ok := c.session.Mentioned()
	if len(mentions) == 0 {
		return nil
	}
	var out []Diagnostic
	if !ok {
		for _, m := range mentions {
			if !m.Plain {
				out = append(out, Diagnostic{Span: m.Span, Warn: true, Message: "Not attached: " + noFolder})
			}
		}
		return out
	}
	for _, m := range mentions {
		if m.Kind == attach.SymbolMention || m.Kind == attach.DiffMention || m.Kind == attach.DiagnosticsMention {
			continue // too slow for every pause: a hover says it, and the block when it is sent
		}
		found, err := mentioned.Preview(ctx, m)
		switch {
		case errors.Is(err, attach.ErrNoMention):
			out = append(out, Diagnostic{Span: m.Span, Message: fmt.Sprintf("Nothing is attached: no file or folder is called %q.", m.Name)})
		case err != nil:
			out = append(out, Diagnostic{Span: m.Span, Warn: true, Message: "Not attached: " + oneLine(err.Error())})
		case found.Known:
			out = append(out, Diagnostic{Span: m.Span, Message: "The model knows this file as it is now: it is not attached again."})
		case found.Note != "":
			out = append(out, Diagnostic{Span: m.Span, Message: oneLine(found.Note)})
		}
	}
	return out
}

// notAttached says again, on its block, what could not be attached to the last turn that was sent.
func (v view) notAttached() []Diagnostic {
	for i, turn := range slices.Backward(v.chat.Turns) {
		if turn.Role != transcript.You || i == len(v.chat.Turns)-1 {
			continue
		}
		var out []Diagnostic
		for _, block := range turn.Blocks {
			if b, ok := block.(transcript.Context); ok && attach.Failed(b.Name) {
				out = append(out, Diagnostic{Span: v.firstLine(b.Span), Warn: true, Message: oneLine(b.Text)})
			}
		}
		return out
	}
	return nil
}

// explainMention says what a mention attaches.
func (c *Chat) explainMention(ctx context.Context, m attach.Mention) string {
	mentioned, ok := c.session.Mentioned()
	if !ok {
		return "Not attached: " + noFolder
	}
	found, err := mentioned.Preview(ctx, m)
	switch {
	case err != nil:
		return "Nothing is attached: " + oneLine(err.Error())
	case found.Known:
		return "The model knows this file as it is now: it is not attached again."
	}
	if mentioned.IsResource(ctx, m) {
		return fmt.Sprintf("Attached when this turn is sent: what the server %s gives for %s then.", visible.Line(m.Server), visible.Line(m.Name))
	}
	if m.Kind == attach.PageMention {
		return "Attached when this turn is sent, if you say yes then: the page " + visible.Line(m.Name) + "."
	}
	said := fmt.Sprintf("Attached when this turn is sent: %s, %s.", visible.Line(found.Block.Name), c.counter(c.view().chat)(found.Block.Text()))
	if found.Note != "" {
		said += " " + oneLine(found.Note)
	}
	return said
}
