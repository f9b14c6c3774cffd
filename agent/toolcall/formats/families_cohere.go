package formats

import (
	"regexp"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/envelope"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

func cohereTools(tools []model.Tool) string {
	return "[\n    " + joinAll(tools, ",\n    ", func(t model.Tool) string {
		return values.Spaced(values.WriteObject([]values.Member{
			{Key: "name", Text: t.Name},
			{Key: "description", Text: t.Description},
			{Key: "parameters", Value: values.Compact(t.Parameters)},
			{Key: "responses", Value: []byte("null")},
		}))
	}) + "\n]"
}

func cohereCalls(calls []outgoing) string {
	parts := make([]string, len(calls))
	for i, c := range calls {
		id := c.ID
		if id == "" {
			id = string(rune('0' + i%10))
		}
		parts[i] = "{\"tool_call_id\": " + string(values.Quote(id)) + ", \"tool_name\": " +
			string(values.Quote(c.Name)) + ", \"parameters\": " + values.Spaced(c.Arguments) + "}"
	}
	return "<|START_ACTION|>[\n    " + strings.Join(parts, ",\n    ") + "\n]<|END_ACTION|>"
}

func cohereResult(t toolcall.Turn) string {
	return "<|START_TOOL_RESULT|>[{\"tool_call_id\": " + string(values.Quote(t.CallID)) +
		", \"results\": {\"0\": {\"content\": " + string(values.Quote(t.Text)) +
		"}}, \"is_error\": null}]<|END_TOOL_RESULT|>"
}

var actionFence = regexp.MustCompile("^\\s*```(?:json)?\\s*")

// scanAction ends with the fence that closes the list after "Action:".
func scanAction(*grammar.Reader) grammar.Scanner {
	var json values.Scan
	done, ticks := false, 0
	return grammar.ScanFunc(func(body []byte) (grammar.Verdict, int) {
		b := body[len(body)-1]
		if !json.Started && b != '[' && b != '{' {
			head := strings.TrimLeft(string(body), " \t\r\n")
			if len(body) > 32 || !strings.HasPrefix("```json", strings.TrimRight(head, " \t\r\n")) {
				return grammar.NotCall, 0
			}
			return grammar.More, 0
		}
		done = json.Next(b) || done
		if !done || json.InString() {
			return grammar.More, 0
		}
		if b == '`' {
			if ticks++; ticks == 3 {
				return grammar.Whole, 0
			}
		} else if !scan.IsSpace(b) && b != ']' && b != '}' {
			return grammar.Whole, 1 + ticks
		}
		return grammar.More, 0
	})
}

// readAction reads the list; the pseudo tool directly_answer means that there is no call.
func readAction(r *grammar.Reader, f grammar.Found) ([]toolcall.Event, bool) {
	raw, body := f.Text()
	body = actionFence.ReplaceAllString(body, "")
	body = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(body), "`"))
	drafts, ok := r.Payload(body, f.Final)
	if !ok {
		return envelope.Unreadable(r, raw, "it is not a JSON list of calls"), true
	}
	var events []toolcall.Event
	for _, d := range drafts {
		if grammar.FoldName(d.Name) == "directlyanswer" {
			continue
		}
		d.Raw = raw
		events = append(events, r.Event(d))
	}
	return events, true
}

// citation is the mark of a grounded answer, <co: 0,2> and </co: 0,2>: it is dropped, what it marks stays.
func citation() grammar.Block {
	return grammar.Block{Open: []string{"<co: ", "</co: "}, Scan: func(*grammar.Reader) grammar.Scanner {
		return grammar.ScanFunc(func(body []byte) (grammar.Verdict, int) {
			switch b := body[len(body)-1]; {
			case b == '>' && len(body) > 1:
				return grammar.Whole, 0
			case b >= '0' && b <= '9', b == ',', b == ' ':
				return grammar.More, 0
			}
			return grammar.NotCall, 0
		})
	}}
}
