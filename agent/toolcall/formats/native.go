package formats

import (
	"slices"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/envelope"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
)

// Fallback is a form of call that is accepted in the text of a reply besides native calls. candidate.go says when it is a
// call and when an example.
type Fallback int

// The fallbacks.
const (
	Bare   Fallback = iota + 1 // a JSON object or list that stands alone
	Fenced                     // JSON in a code fence
	Tagged                     // JSON in <tool_call> tags
)

// Native is the format of models whose server decodes calls itself. Native calls are always accepted; the fallbacks are
// for models that print what they should have called.
func Native(fallbacks ...Fallback) toolcall.Format {
	return native{grammar: fallbackGrammar(fallbacks, false)}
}

type native struct{ grammar *grammar.Grammar }

// Name implements Format.
func (native) Name() string { return "native" }

// Decoder implements Format.
func (f native) Decoder(tools []model.Tool) toolcall.Decoder {
	return grammar.NewDecoder(f.grammar, tools, false)
}

// Request implements Format.
func (f native) Request(system string, turns []toolcall.Turn, tools []model.Tool, hints toolcall.Hints) model.Request {
	req := model.Request{Messages: systemMessage(system), Tools: tools, Format: callSchema(tools, hints, "name")}
	for _, t := range turns {
		req.Messages = append(req.Messages, f.message(t, tools))
	}
	return req
}

func (f native) message(t toolcall.Turn, tools []model.Tool) model.Message {
	switch t.Role {
	case model.RoleAssistant:
		m := model.Message{Role: t.Role, Text: t.Text}
		if t.Raw != "" {
			m.Text = t.Raw
			if printed(f, t.Raw, tools) >= len(t.Calls) {
				return m // the text already holds the calls
			}
		}
		for _, c := range t.Calls {
			m.Calls = append(m.Calls, model.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		}
		return m
	case model.RoleTool:
		return model.Message{Role: t.Role, Text: t.Text, Images: t.Images, CallID: t.CallID, ToolName: t.Name}
	case model.RoleUser, model.RoleSystem:
	}
	return model.Message{Role: t.Role, Text: t.Text, Images: t.Images}
}

// printed counts the calls that the text of a reply holds.
func printed(f toolcall.Format, text string, tools []model.Tool) int {
	d := f.Decoder(tools)
	count := 0
	for _, e := range append(d.Push(model.Chunk{Text: text}), d.End(true)...) {
		if _, ok := e.(toolcall.Called); ok {
			count++
		}
	}
	return count
}

// fallbackGrammar decodes the chosen fallbacks; own says that bare JSON is the format's own form.
func fallbackGrammar(fallbacks []Fallback, own bool) *grammar.Grammar {
	g := &grammar.Grammar{Thoughts: []grammar.Thought{grammar.Think(), {Open: []string{"<thinking>"}, Close: []string{"</thinking>"}}}, Noise: grammar.EndMarkers()}
	if slices.Contains(fallbacks, Tagged) {
		g.Blocks = append(g.Blocks, envelope.JSONTags("<tool_call>", "</tool_call>"))
		g.Noise = append(g.Noise, "</tool_call>")
	}
	if slices.Contains(fallbacks, Bare) {
		g.Candidates = append(g.Candidates, grammar.BareJSON(own))
	}
	if slices.Contains(fallbacks, Fenced) {
		g.Candidates = append(g.Candidates, grammar.FencedJSON())
	}
	return g.Build()
}
