package envelope

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// codeBody is what is after the head.
func codeBody(head *regexp.Regexp, body string) string {
	at := head.FindStringIndex(body)
	if at == nil {
		return body
	}
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(body[at[1]:]), "`"))
}

// codeArgument makes arguments of a body that is code, for a tool with exactly one required string.
func codeArgument(r *grammar.Reader, name, code string) json.RawMessage {
	t := r.Catalog.Resolve(name)
	if t == nil || len(t.Schema().Required) != 1 || strings.TrimSpace(code) == "" ||
		strings.HasPrefix(strings.TrimSpace(code), "<") {
		return nil // what begins with a tag is written in another envelope
	}
	key := t.Schema().Required[0]
	if p, _ := t.Schema().Property(key); !p.Only("string") {
		return nil
	}
	return values.WriteObject([]values.Member{{Key: key, Text: code}})
}

// CodeBlock is an envelope that holds code for a tool named python or like it.
func CodeBlock(open string, closers ...string) grammar.Block {
	return grammar.Block{Open: []string{open}, Closers: closers, Scan: ScanTagged(closers, nil, ""), Read: func(
		r *grammar.Reader, f grammar.Found,
	) ([]toolcall.Event, bool) {
		raw, body := f.Text(closers...)
		return one(codeCall(r, raw, body))
	}}
}

// codeCall is a call of the offered tool that runs Python.
func codeCall(r *grammar.Reader, raw, code string) toolcall.Event {
	for _, name := range []string{"python", "code_interpreter", "run_python", "execute_python"} {
		if t := r.Catalog.Exact(name); t != nil {
			return r.Event(
				grammar.Draft{Name: name, Arguments: codeArgument(r, name, strings.TrimSpace(code)), Raw: raw},
			)
		}
	}
	return r.Event(grammar.Draft{Name: "python", Raw: raw})
}

// repairLast escapes quotes in the last string argument of a known tool.
func repairLast(r *grammar.Reader, d *grammar.Draft, text string) bool {
	t := r.Catalog.Resolve(d.Name)
	if t == nil {
		return false
	}
	for _, key := range slices.Backward(t.Schema().Order) {
		if !t.Schema().Properties[key].Only("string") {
			continue
		}
		if fixed, changed := values.EscapeInnerQuotes(text, key); changed {
			if value, ok := values.Repair(fixed, true); ok {
				d.Arguments = value
				return true
			}
		}
	}
	return false
}

// PythonTag is Llama's marker: JSON, a built-in call, or Python code follows it.
func PythonTag() grammar.Block {
	ends := []string{"<|eom_id|>", "<|eot_id|>"}
	m := scan.NewMatcher(ends)
	return grammar.Block{
		Open: []string{"<|python_tag|>"}, Closers: ends, Scan: func(r *grammar.Reader) grammar.Scanner {
			json := ScanJSONs("{[")(r)
			var state int16
			var hit int
			var first byte
			return grammar.ScanFunc(func(body []byte) (grammar.Verdict, int) {
				b := body[len(body)-1]
				if first == 0 && !scan.IsSpace(b) {
					first = b
				}
				if first == '{' || first == '[' {
					return json.Next(body)
				}
				state, hit = m.Step(state, b)
				return grammar.WholeIf(hit >= 0)
			})
		},
		Read: func(r *grammar.Reader, f grammar.Found) ([]toolcall.Event, bool) {
			raw, body := f.Text(ends...)
			body = strings.TrimSpace(body)
			if body != "" && (body[0] == '{' || body[0] == '[') {
				return JSONCalls(r, raw, body, f.Final), true
			}
			call := strings.Replace(body, ".call(", "(", 1)
			if drafts, ok := pythonCalls(r, call); ok && r.Catalog.Resolve(drafts[0].Name) != nil {
				drafts[0].Raw = raw
				return one(r.Event(drafts[0]))
			}
			if r.Catalog.Exact("python") == nil {
				return nil, false // prose followed the marker
			}
			return one(codeCall(r, raw, body))
		},
	}
}
