package formats

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// Guided is the format of models that cannot call otherwise: the backend constrains the reply to one JSON object,
// either {"do": INTENT, "tool": NAME, "arguments": {...}} or {"do": "talk", "answer": TEXT}. The intent comes first
// because small models otherwise answer as if they had done what they were asked (cmd/eval/findings.md). For the same
// reason each result is followed by the request. The answer streams as prose. Thinking must be off: a server would
// think outside the constraint.
func Guided() toolcall.Format {
	return &family{
		name: "guided", grammar: printedGrammar(false), answers: true, define: guidedPrompt,
		calls: guidedShape, result: result, request: (*family).guidedRequest,
	}
}

// guidedShape is what WithWords shows: earlier calls are written by guidedTurn.
func guidedShape([]outgoing) string {
	return "{\"do\": \"look\", \"tool\": NAME, \"arguments\": {...}} (\"do\" may also be \"change\", " +
		"\"run\" or \"compute\")\nAn answer:\n{\"do\": \"talk\", \"answer\": TEXT}"
}

func (f *family) guidedRequest(
	system string, turns []toolcall.Turn, tools []model.Tool, hints toolcall.Hints,
) model.Request {
	req := model.Request{
		Messages: systemMessage(joinBlocks(system, f.define(withoutFound(tools)))), Format: guidedSchema(tools, hints),
	}
	asked := ""
	touched := map[string]bool{}
	for _, t := range turns {
		m := f.message(t, tools)
		if t.Role == model.RoleAssistant && t.Raw == "" {
			m.Text = guidedTurn(t)
		}
		for _, call := range t.Calls {
			touch(touched, call)
		}
		switch {
		case t.Role == model.RoleUser:
			asked = t.Asked
			clear(touched)
			if !t.IsBare() { // a bare one is plain talk, which needs no look at files
				m.Text = joinBlocks(m.Text, t.Advice)
			}
		case t.Role == model.RoleTool && asked != "":
			m.Text += "\n\nThe request: " + shortened(asked)
			if left := untouched(asked, touched); left != "" {
				m.Text += "\nNothing was done yet with " + left + "."
			}
		}
		req.Messages = append(req.Messages, m)
	}
	return req
}

// touch keeps which files a call names.
func touch(touched map[string]bool, call toolcall.Call) {
	var arguments map[string]json.RawMessage
	if json.Unmarshal(call.Arguments, &arguments) != nil {
		return
	}
	for _, value := range arguments {
		var text string
		if json.Unmarshal(value, &text) == nil && len(text) < 200 {
			touched[path.Base(text)] = true
		}
	}
}

// untouched lists the files that a request names and no call since did, where there are several: small models change
// one and say that they changed them all.
func untouched(asked string, touched map[string]bool) string {
	var left []string
	names := 0
	for word := range strings.FieldsSeq(asked) {
		word = strings.Trim(word, "\"'`.,;:!?()")
		if ext := path.Ext(word); len(ext) < 2 || len(ext) > 6 || strings.ContainsAny(ext, "0123456789()/") ||
			len(word) == len(ext) || strings.Contains(word, "://") {
			continue
		}
		names++
		if !touched[path.Base(word)] && !slices.Contains(left, word) {
			left = append(left, word)
		}
	}
	if names < 2 || names > 5 {
		return ""
	}
	return strings.Join(left, " and ")
}

// shortened keeps the beginning of a request that results are followed by, so that a small model does not lose sight of
// it.
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
	return "Reply with one JSON object. First decide what to do next: \"look\" into files, \"change\" files, " +
		"\"run\" a command, " +
		"\"compute\", or \"talk\" to the user.\n{\"do\": \"look\", \"tool\": NAME, \"arguments\": {...}}; " +
		"the next message brings the result. " +
		"{\"do\": \"talk\", \"answer\": TEXT} when all that was asked is done, " +
		"or for a question that needs no file.\nThe tools:\n" +
		signatures(tools) + "Look with a tool instead of guessing."
}

func guidedTurn(t toolcall.Turn) string {
	var blocks []string
	if t.Text != "" || len(t.Calls) == 0 {
		blocks = append(blocks, `{"do": "talk", "answer": `+string(values.Quote(t.Text))+"}")
	}
	for _, c := range t.Calls {
		blocks = append(blocks, object(c, "tool", "arguments"))
	}
	return strings.Join(blocks, "\n")
}
