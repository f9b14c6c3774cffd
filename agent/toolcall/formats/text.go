package formats

import (
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

const textName = "text"

// Described is the format of models that have no format of their own, or do not follow it: the tools are in the
// system prompt, calls are JSON in a code fence.
func Described() toolcall.Format {
	return &family{
		name: textName, grammar: printedGrammar(true), define: describedPrompt,
		calls:   each("\n\n", func(c outgoing) string { return fencedCall(c.Call) }),
		between: "\n\n", result: result, apart: true,
	}
}

func describedPrompt(tools []model.Tool) string {
	return "You can call these tools:\n" + signatures(tools) +
		"To call one, write it as JSON in a code fence and stop; the next message brings its result. For example:\n" +
		fencedCall(example(tools)) +
		"\nNever write a result yourself. When you know enough, answer in plain words."
}

func fencedCall(c toolcall.Call) string {
	return fenced("json", object(c, "name", "arguments"))
}
