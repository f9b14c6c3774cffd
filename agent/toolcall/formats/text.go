package formats

import (
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// Described is the format of models that have no format of their own, or do not follow it: the tools are in the
// system prompt, calls are JSON in a code fence.
func Described() toolcall.Format {
	return described{grammar: printedGrammar(true), define: describedPrompt}
}

type described struct {
	grammar  *grammar.Grammar
	others   *grammar.Grammar // see othersOf
	prompted bool             // the prompt opens a thought
	define   func([]model.Tool) string
}

// Name implements Format.
func (described) Name() string { return textName }

const textName = "text"

// Decoder implements Format.
func (f described) Decoder(tools []model.Tool) toolcall.Decoder {
	return grammar.NewDecoder(f.grammar, othersOf(f.others), tools, f.prompted)
}

// Request implements Format.
func (f described) Request(
	system string, turns []toolcall.Turn, tools []model.Tool, hints toolcall.Hints,
) model.Request {
	req := model.Request{
		Messages: systemMessage(joinBlocks(system, f.define(withoutFound(tools)))),
		Format:   callSchema(tools, hints, "name"),
	}
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
func plainMessage(t toolcall.Turn, write func(toolcall.Turn) string) model.Message {
	switch t.Role {
	case model.RoleAssistant:
		if t.Raw != "" {
			return model.Message{Role: t.Role, Text: t.Raw}
		}
		return model.Message{Role: t.Role, Text: write(t)}
	case model.RoleTool:
		if t.AnswersNothing() {
			return model.Message{Role: model.RoleUser, Text: t.Text}
		}
		return model.Message{Role: model.RoleUser, Text: result(t), Images: t.Images}
	case model.RoleUser, model.RoleSystem:
	}
	return model.Message{Role: t.Role, Text: t.Text, Images: t.Images}
}

func fencedTurn(t toolcall.Turn) string {
	blocks := []string{t.Text}
	for _, c := range t.Calls {
		blocks = append(blocks, fencedCall(c))
	}
	return joinBlocks(blocks...)
}

func fencedCall(c toolcall.Call) string { return "```json\n" + jsonCall(c, "name") + "\n```" }

// jsonCall writes a call as one JSON object in the spacing that models were trained on.
func jsonCall(c toolcall.Call, nameKey string) string {
	return "{" + string(values.Quote(nameKey)) + ": " + string(values.Quote(c.Name)) + `, "arguments": ` +
		values.Spaced(c.Arguments) + "}"
}
