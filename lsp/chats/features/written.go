package features

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/tools"
)

// handActions are those of the written calls at a place: to choose a tool, or to run the call. Policy has been asked,
// and what it asks a person is in the title.
func handActions(ctx context.Context, c *chats.Chat, view parsed.View, span transcript.Span) []Action {
	var out []Action
	for _, w := range view.WrittenCalls() {
		switch {
		case !parsed.Touches(w.Span, span):
		case w.Tool == "":
			for _, s := range c.Session.Tools() {
				gap := " "
				if strings.HasSuffix(view.Slice(w.Span.Start, w.NameAt), " ") {
					gap = ""
				}
				out = append(
					out,
					Action{Title: "Use " + s.Name, Insert: &Insert{At: w.NameAt, Text: gap + s.Name + template(s)}},
				)
			}
		default:
			out = append(out, runActions(ctx, c, w)...)
		}
	}
	return out
}

// runActions are those of one written call. Its first is harmless where a person is asked.
func runActions(ctx context.Context, c *chats.Chat, w parsed.Written) []Action {
	arguments, err := transcript.ParseArguments(w.Body)
	if err != nil {
		return []Action{{Title: "This call cannot be read: " + parsed.Shorten(parsed.OneLine(err.Error()))}}
	}
	call, err := c.Session.PrepareByHand(ctx, w.Tool, arguments)
	if err != nil {
		return nil
	}
	id, title := rand.Text(), "Run this call: "+w.Tool
	q, asks := call.Question()
	if asks {
		id = q.ID
	} else if target := call.Prepared().Target; target != "" {
		title += " " + parsed.Shorten(parsed.OneLine(target))
	}
	c.OfferWritten(id, w, call)
	if !asks {
		return []Action{{Title: title, Command: ext.RunTool, ID: id}}
	}
	if q.Effect.ByPerson() {
		return nil // nobody asks themselves
	}
	out := questionActions(q)
	return out[:len(out)-2] // whoever wrote the call need not deny it
}

// template has a label for each argument that a tool must have.
func template(s tools.Spec) string {
	var schema struct {
		Required []string `json:"required"`
	}
	if json.Unmarshal(s.Parameters, &schema) != nil || len(schema.Required) == 0 {
		return ""
	}
	return "\n" + strings.Join(schema.Required, ": \n") + ": "
}
