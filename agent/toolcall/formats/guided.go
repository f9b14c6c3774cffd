package formats

import (
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// Guided is the format of models that cannot call otherwise: the backend constrains the reply to one JSON object, either
// {"do": INTENT, "tool": NAME, "arguments": {...}} or {"do": "talk", "answer": TEXT}. The intent comes first because small
// models otherwise answer as if they had done what they were asked (docs/small-models.md). For the same reason each result is
// followed by the request. The answer streams as prose.
// Thinking must be off: a server would think outside the constraint.
func Guided() toolcall.Format {
	return guided{grammar: printedGrammar(false), define: guidedPrompt}
}

type guided struct {
	grammar *grammar.Grammar
	define  func([]model.Tool) string
}

// Name implements Format.
func (guided) Name() string { return "guided" }

// Decoder implements Format. A reply that is not JSON, from a server that ignores the constraint, is decoded as text.
func (f guided) Decoder(tools []model.Tool) toolcall.Decoder {
	return grammar.NewGuidedDecoder(f.grammar, tools, false)
}

// Request implements Format.
func (f guided) Request(system string, turns []toolcall.Turn, tools []model.Tool, hints toolcall.Hints) model.Request {
	req := model.Request{Messages: systemMessage(joinBlocks(system, f.define(withoutFound(tools)))), Format: guidedSchema(tools, hints)}
	asked := ""
	for _, t := range turns {
		m := plainMessage(t, guidedTurn)
		switch {
		case t.Role == model.RoleUser:
			asked = t.Asked
		case t.Role == model.RoleTool && asked != "":
			m.Text += "\n\nThe request: " + shortened(asked)
		}
		req.Messages = append(req.Messages, m)
	}
	return req
}

// shortened keeps the beginning of a request that results are followed by, so that a small model does not lose sight of it.
func shortened(asked string) string {
	const most = 300
	if len(asked) <= most {
		return asked
	}
	cut := strings.LastIndexByte(asked[:most], ' ')
	if cut < most/2 {
		cut = most
	}
	return strings.ToValidUTF8(asked[:cut], "") + " …"
}

func guidedPrompt(tools []model.Tool) string {
	if len(tools) == 0 {
		return ""
	}
	return "Reply with one JSON object. First decide what to do next: \"look\" into files, \"change\" files, \"run\" a command, " +
		"\"compute\", or \"talk\" to the user.\n{\"do\": \"look\", \"tool\": NAME, \"arguments\": {...}}; the next message brings the result. " +
		"{\"do\": \"talk\", \"answer\": TEXT} when all that was asked is done, or for a question that needs no file.\nThe tools:\n" +
		signatures(tools) + "Look with a tool instead of guessing."
}

func guidedTurn(t toolcall.Turn) string {
	var blocks []string
	if t.Text != "" || len(t.Calls) == 0 {
		blocks = append(blocks, `{"do": "talk", "answer": `+string(values.Quote(t.Text))+"}")
	}
	for _, c := range t.Calls {
		blocks = append(blocks, jsonCall(c, "tool"))
	}
	return joinLines(blocks)
}
