package formats

import (
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// family is a format of calls in text, put together from parts: how tools are described, how calls and results are
// written, and the grammar that decodes them.
type family struct {
	name     string
	prompted bool // the prompt opens a thought
	answers  bool // an answer may be written as JSON, {"response": TEXT}
	grammar  func() *grammar.Grammar

	define  func([]model.Tool) string  // the tools, with a word on how to call them; empty string: nothing
	inUser  bool                       // definitions go into the first user message: the template ignores the system turn
	before  bool                       // definitions go before the system text
	calls   func([]outgoing) string    // the calls of an earlier turn
	result  func(toolcall.Turn) string // one result
	role    model.Role                 // of results; empty: RoleUser
	between string                     // between the text of a turn and its calls
}

// Name implements Format.
func (f *family) Name() string { return f.name }

// Decoder implements Format.
func (f *family) Decoder(tools []model.Tool) toolcall.Decoder {
	if f.answers {
		return grammar.NewGuidedDecoder(f.grammar(), tools, f.prompted)
	}
	return grammar.NewDecoder(f.grammar(), tools, f.prompted)
}

// Request implements Format.
func (f *family) Request(system string, turns []toolcall.Turn, tools []model.Tool, hints toolcall.Hints) model.Request {
	definitions := ""
	if len(tools) > 0 {
		definitions = f.define(tools)
	}
	req := model.Request{Format: callSchema(tools, hints, "name")}
	switch {
	case f.inUser:
		definitions = joinBlocks(system, definitions)
	case f.before:
		req.Messages = systemMessage(joinBlocks(definitions, system))
	default:
		req.Messages = systemMessage(joinBlocks(system, definitions))
	}
	given := !f.inUser
	for i, t := range turns {
		m := f.message(t, tools)
		if !given && t.Role == model.RoleUser {
			m.Text, given = joinBlocks(definitions, m.Text), true
		}
		if n := len(req.Messages); m.Role == model.RoleUser && t.Role == model.RoleTool && i > 0 && turns[i-1].Role == model.RoleTool {
			req.Messages[n-1].Text += "\n" + m.Text // results in a row share one message
			continue
		}
		req.Messages = append(req.Messages, m)
	}
	return req
}

func (f *family) message(t toolcall.Turn, tools []model.Tool) model.Message {
	switch t.Role {
	case model.RoleAssistant:
		if t.Raw != "" {
			return model.Message{Role: t.Role, Text: t.Raw}
		}
		if len(t.Calls) == 0 {
			return model.Message{Role: t.Role, Text: t.Text}
		}
		between := f.between
		if t.Text == "" {
			between = ""
		}
		return model.Message{Role: t.Role, Text: t.Text + between + f.calls(f.outgoing(t.Calls, tools))}
	case model.RoleTool:
		role := f.role
		if role == "" {
			role = model.RoleUser
		}
		m := model.Message{Role: role, Text: f.result(t)}
		if role == model.RoleTool {
			m.CallID, m.ToolName = t.CallID, t.Name
		}
		return m
	case model.RoleUser, model.RoleSystem:
	}
	return model.Message{Role: t.Role, Text: t.Text, Images: t.Images}
}

// each writes every call with the same function and joins them.
func each(separator string, write func(outgoing) string) func([]outgoing) string {
	return func(calls []outgoing) string {
		parts := make([]string, len(calls))
		for i, c := range calls {
			parts[i] = write(c)
		}
		return strings.Join(parts, separator)
	}
}

// wrapped writes all calls between two markers.
func wrapped(open, closer string, calls func([]outgoing) string) func([]outgoing) string {
	return func(list []outgoing) string { return open + calls(list) + closer }
}

// objects writes calls as JSON objects with the given keys.
func objects(separator, nameKey, argumentKey string) func([]outgoing) string {
	return each(separator, func(c outgoing) string { return object(c, nameKey, argumentKey) })
}

func object(c outgoing, nameKey, argumentKey string) string {
	return "{" + string(values.Quote(nameKey)) + ": " + string(values.Quote(c.Name)) + ", " + string(values.Quote(argumentKey)) + ": " + values.Spaced(c.Arguments) + "}"
}

// list writes calls as a JSON list.
func list(nameKey, argumentKey string) func([]outgoing) string {
	return wrapped("[", "]", objects(", ", nameKey, argumentKey))
}

// arguments gives the arguments of a call in their order.
func arguments(c outgoing) []values.Member {
	members, err := values.ReadObject(c.Arguments)
	if err != nil {
		return nil
	}
	return members
}

// rawValue is an argument as tagged formats write it: a string as it is, anything else as JSON.
func rawValue(value []byte) string {
	if text, ok := values.StringValue(value); ok {
		return text
	}
	return values.Spaced(value)
}

// inTags writes a result between two markers.
func inTags(open, closer string) func(toolcall.Turn) string {
	return func(t toolcall.Turn) string { return open + t.Text + closer }
}

// plain writes a result as it is.
func plain(t toolcall.Turn) string { return t.Text }

// result labels what a tool answered, for families that have no turn of their own for it.
func result(t toolcall.Turn) string {
	if t.Failed {
		return "Error from " + t.Name + ":\n" + t.Text
	}
	return "Result of " + t.Name + ":\n" + t.Text
}

func joinLines(lines []string) string { return strings.Join(lines, "\n") }

// joinBlocks joins what is not empty by blank lines.
func joinBlocks(blocks ...string) string {
	var kept []string
	for _, b := range blocks {
		if b != "" {
			kept = append(kept, b)
		}
	}
	return strings.Join(kept, "\n\n")
}
