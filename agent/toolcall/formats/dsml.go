package formats

import (
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/envelope"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// dsml is DeepSeek's later notation; GigaChat uses it with other letters.
func dsml(name, letters, aliases, outer string) entry {
	mark := "｜" + letters + "｜"
	var open, closers, ends, argEnds []string
	for _, bar := range []string{"｜", "|"} {
		m := bar + letters + bar
		for _, section := range []string{"tool_calls", "function_calls"} {
			open, closers = append(open, "<"+m+section+">"), append(closers, "</"+m+section+">")
		}
		ends, argEnds = append(ends, "</"+m+"invoke>"), append(argEnds, "</"+m+"parameter>")
	}
	bars := `[｜|]` + letters + `[｜|]`
	k := envelope.Tagged{
		Open: open, Closers: closers, Call: envelope.Pattern(`<` + bars + `invoke\s+name\s*=\s*["']?NAME["']?\s*>`),
		CallEnd: ends,
		Arg:     envelope.ParameterName(bars + "parameter"),
		ArgEnd:  argEnds, Trim: envelope.TrimNone, First: "<{[", JSON: true,
	}
	call := each("\n", func(c outgoing) string {
		if c.inJSON {
			return "<" + mark + "invoke name=\"" + c.Name + "\">\n" + c.object() + "\n</" + mark + "invoke>"
		}
		var out strings.Builder
		for _, m := range arguments(c) {
			_, text := values.StringValue(m.Value)
			fmt.Fprintf(
				&out, "<%sparameter name=\"%s\" string=\"%t\">%s</%sparameter>\n", mark, m.Key, text, rawValue(m.Value),
				mark,
			)
		}
		return "<" + mark + "invoke name=\"" + c.Name + "\">\n" + out.String() + "</" + mark + "invoke>"
	})
	shape := "<" + mark + outer + ">\n<" + mark + "invoke name=\"NAME\">\n<" + mark +
		"parameter name=\"KEY\" string=\"true|false\">VALUE</" + mark + "parameter>\n</" + mark + "invoke>\n</" +
		mark + outer + ">"
	res := inTags("<tool_result>", "</tool_result>")
	if outer == "function_calls" {
		res = inTags("<function_results><result>", "</result></function_results>")
	}
	return familyEntry(name, "invoke and parameter tags marked "+letters, aliases, family{
		grammar: grammar.OneBlock(k.Block(), grammar.CallsEndThoughts, grammar.Dropping("<｜end▁of▁sentence｜>")),
		define: defineWith(
			"## Tools\n<functions>\n", bareLines,
			"\n</functions>\nCall tools like this, string=\"true\" for text as it is and \"false\" for JSON:\n"+
				shape,
		),
		calls: wrapped("<"+mark+outer+">\n", "\n</"+mark+outer+">", call), between: "\n\n", result: res,
	})
}
