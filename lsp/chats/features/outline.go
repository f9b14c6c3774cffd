package features

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/sql"
)

// Item is one entry of the outline.
type Item struct {
	Name, Detail string
	Span, Select transcript.Span
	Parts        []Item
}

const maxSummary = 60 // runes of a turn's first line in the outline

// Outline lists the turns with the calls, results and other blocks in them.
func Outline(c *chats.Chat) []Item {
	view := c.View()
	tokens := counter(c, view.Chat)
	var out []Item
	for _, turn := range view.Chat.Turns {
		item := Item{Name: turnName(view, turn), Span: turn.Span, Select: turn.Heading}
		for _, block := range turn.Blocks {
			if text, ok := block.(transcript.Text); ok {
				if item.Detail == "" {
					item.Detail = summary(text.Markdown)
				}
				continue
			}
			name, detail := label(block, tokens)
			if call, ok := block.(transcript.Call); ok {
				if of := usedBy(call, c.Session.Tools()); of != "" {
					detail += ", " + of
				}
			}
			item.Parts = append(
				item.Parts,
				Item{Name: name, Detail: detail, Span: block.Range(), Select: view.FirstLine(block.Range())},
			)
		}
		out = append(out, item)
	}
	return out
}

func summary(markdown string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(markdown), "\n")
	runes := []rune(visible.Line(line))
	if len(runes) > maxSummary {
		return string(runes[:maxSummary]) + "…"
	}
	return string(runes)
}

// usedBy names the server or the database that a call is about, as far as the tools say that were listed last; empty:
// none.
func usedBy(call transcript.Call, known []tools.Spec) string {
	i := slices.IndexFunc(known, func(s tools.Spec) bool { return s.Name == call.Tool })
	switch {
	case i < 0:
		return ""
	case mcp.ServerOf(known[i].Origin) != "":
		return string(known[i].Origin)
	case known[i].Origin != tools.BuiltIn || known[i].Own() != sql.Select && known[i].Own() != sql.SchemaSearch:
		return ""
	}
	var in struct {
		Source string `json:"source"`
	}
	if json.Unmarshal(call.Arguments, &in) != nil || in.Source == "" {
		return ""
	}
	return "database " + in.Source
}

// label names a block in the outline.
func label(block transcript.Block, tokens func(text string) string) (name, detail string) {
	switch b := block.(type) {
	case transcript.Call:
		return b.Tool, b.ID
	case transcript.Result:
		return fmt.Sprintf("result of %s: %s", b.ID, b.Status), b.Took.String()
	case transcript.Thinking:
		return "thinking", ""
	case transcript.Context:
		return "context: " + b.Name, tokens(b.Text)
	case transcript.Image:
		return "image of " + b.Of, b.Path
	case transcript.Reason:
		return "reason for denying " + b.ID, ""
	case transcript.Answer:
		return "answer to " + b.ID, ""
	case transcript.Malformed:
		if b.Raw == "" {
			return "a call that was only shown", b.ID
		}
		return "a call that cannot be read", b.ID
	}
	return "text", ""
}

// Fold is something that can be folded, and what is shown in its place.
type Fold struct {
	Span transcript.Span
	Name string
}

// Folds lists what can be folded: turns, and every block that is not prose.
func Folds(c *chats.Chat) []Fold {
	var out []Fold
	view := c.View()
	if span, shown := chats.SystemMessage(view); shown {
		out = append(out, Fold{span, "system message"})
	}
	for _, turn := range view.Chat.Turns {
		out = append(out, Fold{turn.Span, turnName(view, turn)})
		for _, block := range turn.Blocks {
			switch block.(type) {
			case transcript.Text, transcript.Image:
			default:
				name, _ := label(block, func(string) string { return "" })
				out = append(out, Fold{block.Range(), name})
			}
		}
	}
	return out
}

// turnName is the heading of a turn with the first words in it.
func turnName(v parsed.View, turn transcript.Turn) string {
	name := strings.TrimLeft(v.Slice(turn.Heading.Start, turn.Heading.End), "# ")
	for text := range parsed.Blocks[transcript.Text](turn) {
		if words := summary(text.Markdown); words != "" {
			return name + ": " + words
		}
	}
	return name
}

// Symbols are those of the open chats that a query finds.
func Symbols(cs *chats.Chats, query string) (list []session.Symbol) {
	for _, c := range cs.All() {
		view := c.View()
		list = append(list, session.Symbols(c.Path(), view.Chat, view.Text.String(), query)...)
	}
	return list
}
