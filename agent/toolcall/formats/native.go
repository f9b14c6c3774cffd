package formats

import (
	"slices"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/envelope"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
)

// Native is the format of models whose server decodes calls itself. Native calls are always accepted; JSON that is
// alone, in a code fence or in tags is for models that print what they should have called.
func Native() toolcall.Format {
	return &family{name: nativeName, grammar: printedGrammar(false), request: (*family).nativeRequest}
}

const nativeName = "native"

func (f *family) nativeRequest(
	system string, turns []toolcall.Turn, tools []model.Tool, hints toolcall.Hints,
) model.Request {
	req := model.Request{Messages: systemMessage(system), Tools: tools, Format: callSchema(tools, hints, "name")}
	for _, t := range turns {
		req.Messages = append(req.Messages, f.nativeMessage(t, tools))
	}
	return req
}

func (f *family) nativeMessage(t toolcall.Turn, tools []model.Tool) model.Message {
	m := model.Message{Role: t.Role, Text: t.Text, Images: t.Images, CallID: t.CallID, ToolName: t.Name}
	if t.Raw != "" {
		m.Text = t.Raw
		if printed(f, t.Raw, calledIn(t, tools)) >= len(t.Calls) {
			return m // the text already holds the calls
		}
	}
	for _, c := range t.Calls {
		m.Calls = append(m.Calls, model.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	return m
}

// calledIn lists the tools that a turn calls: what the others are called must not change how it is written, since more
// are found later.
func calledIn(t toolcall.Turn, tools []model.Tool) []model.Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(tool model.Tool) bool {
		return !slices.ContainsFunc(t.Calls, func(c toolcall.Call) bool { return c.Name == tool.Name })
	})
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

// printedGrammar decodes JSON that stands alone, in a code fence or in tags; own says that JSON alone is the format's
// own form.
func printedGrammar(own bool) func() *grammar.Grammar {
	return grammar.OneBlock(
		envelope.JSONTags("<tool_call>", "</tool_call>"),
		grammar.Accepting(grammar.BareJSON(own), grammar.FencedJSON()),
	)
}
