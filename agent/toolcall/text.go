package toolcall

import (
	"strings"

	"github.com/assent-ls/assent/agent/model"
)

// Described is the format of models that have no way of their own, or do not follow it: the tools stand in the system
// prompt, calls are JSON in a code fence.
func Described() Format {
	return described{grammar: fallbackGrammar([]Fallback{Bare, Fenced, Tagged}, true)}
}

type described struct {
	grammar  *grammar
	prompted bool // the prompt opens a thought
}

// Name implements Format.
func (described) Name() string { return "text" }

// Decoder implements Format.
func (f described) Decoder(tools []model.Tool) Decoder {
	return newStream(f.grammar, tools, f.prompted)
}

// Request implements Format.
func (described) Request(system string, turns []Turn, tools []model.Tool, hints Hints) model.Request {
	req := model.Request{Messages: systemMessage(joinBlocks(system, describedPrompt(tools))), Format: callSchema(tools, hints, "name")}
	for _, t := range turns {
		req.Messages = append(req.Messages, plainMessage(t, fencedTurn))
	}
	return req
}

func describedPrompt(tools []model.Tool) string {
	if len(tools) == 0 {
		return ""
	}
	return "You can call these tools:\n" + signatures(tools) +
		"To call one, write it as JSON in a code fence and stop; the next message brings its result. For example:\n" +
		fencedCall(example(tools)) +
		"\nNever write a result yourself. When you know enough, answer in plain words."
}

// plainMessage renders a turn for models that only know users and assistants.
func plainMessage(t Turn, write func(Turn) string) model.Message {
	switch t.Role {
	case model.RoleAssistant:
		if t.Raw != "" {
			return model.Message{Role: t.Role, Text: t.Raw}
		}
		return model.Message{Role: t.Role, Text: write(t)}
	case model.RoleTool:
		return model.Message{Role: model.RoleUser, Text: result(t)}
	case model.RoleUser, model.RoleSystem:
	}
	return model.Message{Role: t.Role, Text: t.Text, Images: t.Images}
}

func fencedTurn(t Turn) string {
	blocks := []string{t.Text}
	for _, c := range t.Calls {
		blocks = append(blocks, fencedCall(c))
	}
	return joinBlocks(blocks...)
}

func fencedCall(c Call) string { return "```json\n" + jsonCall(c, "name") + "\n```" }

// jsonCall writes a call as one JSON object in the spacing that models were trained on.
func jsonCall(c Call, nameKey string) string {
	return "{" + string(quote(nameKey)) + ": " + string(quote(c.Name)) + `, "arguments": ` + spaced(c.Arguments) + "}"
}

// spaced writes JSON with a blank after each comma and colon.
func spaced(raw []byte) string {
	var out strings.Builder
	var s jsonScan
	for _, b := range compact(raw) {
		s.next(b)
		out.WriteByte(b)
		if !s.inText && (b == ',' || b == ':') {
			out.WriteByte(' ')
		}
	}
	if out.Len() == 0 {
		return "{}"
	}
	return out.String()
}

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
