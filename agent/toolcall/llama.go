package toolcall

import (
	"strings"

	"github.com/assent-ls/assent/agent/model"
)

// pythonTag is Llama's marker: JSON, a built-in call, or Python code follows it.
func pythonTag() block {
	ends := []string{"<|eom_id|>", "<|eot_id|>"}
	m := newMatcher(ends)
	return block{open: []string{"<|python_tag|>"}, closers: ends, scan: func(r *reader) scanner {
		json := scanJSONs("{[")(r)
		var state int16
		var hit int
		var first byte
		return scanFunc(func(body []byte) (verdict, int) {
			b := body[len(body)-1]
			if first == 0 && !isSpace(b) {
				first = b
			}
			if first == '{' || first == '[' {
				return json.next(body)
			}
			if state, hit = m.step(state, b); hit >= 0 {
				return whole, 0
			}
			return more, 0
		})
	}, read: func(r *reader, f found) ([]Event, bool) {
		raw, body := f.text()
		body = strings.TrimSpace(cutAny(body, ends))
		if body != "" && (body[0] == '{' || body[0] == '[') {
			return r.jsonCalls(raw, body, f.final), true
		}
		call := strings.Replace(body, ".call(", "(", 1)
		if drafts, ok := r.pythonCalls(call); ok && r.catalog.resolve(drafts[0].name) != nil {
			drafts[0].raw = raw
			return []Event{r.event(drafts[0])}, true
		}
		if r.catalog.exact("python") == nil {
			return nil, false // the marker stood before prose
		}
		return []Event{r.code(raw, body)}, true
	}}
}

// codeBlock is an envelope that holds code for a tool named python or like it.
func codeBlock(open string, closers ...string) block {
	return block{open: []string{open}, closers: closers, scan: scanTagged(closers, nil, ""), read: func(r *reader, f found) ([]Event, bool) {
		raw, body := f.text()
		return []Event{r.code(raw, cutAny(body, closers))}, true
	}}
}

// code is a call of the offered tool that runs Python.
func (r *reader) code(raw, code string) Event {
	for _, name := range []string{"python", "code_interpreter", "run_python", "execute_python"} {
		if t := r.catalog.exact(name); t != nil {
			return r.event(draft{name: name, arguments: r.codeArgument(name, strings.TrimSpace(code)), raw: raw})
		}
	}
	return r.event(draft{name: "python", raw: raw})
}

// indentedTools writes one tool after the other over several lines, as Llama was trained on.
func indentedTools(tools []model.Tool) string {
	parts := make([]string, len(tools))
	for i, t := range tools {
		whole := toolArray([]model.Tool{t}, true, "    ")
		parts[i] = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(whole, "["), "]"))
	}
	return strings.Join(parts, "\n\n")
}
