package toolcall

import (
	"regexp"
	"strings"

	"github.com/assent-ls/assent/agent/model"
)

func cohereTools(tools []model.Tool) string {
	parts := make([]string, len(tools))
	for i, t := range tools {
		parts[i] = spaced(writeObject([]member{{key: "name", text: t.Name}, {key: "description", text: t.Description}, {key: "parameters", value: compact(t.Parameters)}, {key: "responses", value: []byte("null")}}))
	}
	return "[\n    " + strings.Join(parts, ",\n    ") + "\n]"
}

func cohereCalls(calls []outgoing) string {
	parts := make([]string, len(calls))
	for i, c := range calls {
		id := c.ID
		if id == "" {
			id = string(rune('0' + i%10))
		}
		parts[i] = "{\"tool_call_id\": " + string(quote(id)) + ", \"tool_name\": " + string(quote(c.Name)) + ", \"parameters\": " + spaced(c.Arguments) + "}"
	}
	return "<|START_ACTION|>[\n    " + strings.Join(parts, ",\n    ") + "\n]<|END_ACTION|>"
}

func cohereResult(t Turn) string {
	return "<|START_TOOL_RESULT|>[{\"tool_call_id\": " + string(quote(t.CallID)) + ", \"results\": {\"0\": {\"content\": " + string(quote(t.Text)) + "}}, \"is_error\": null}]<|END_TOOL_RESULT|>"
}

var actionFence = regexp.MustCompile("^\\s*```(?:json)?\\s*")

// scanAction ends with the fence that closes the list after "Action:".
func scanAction(*reader) scanner {
	var json jsonScan
	done, ticks := false, 0
	return scanFunc(func(body []byte) (verdict, int) {
		b := body[len(body)-1]
		if !json.started && b != '[' && b != '{' {
			head := strings.TrimLeft(string(body), " \t\r\n")
			if len(body) > 32 || !strings.HasPrefix("```json", strings.TrimRight(head, " \t\r\n")) {
				return notCall, 0
			}
			return more, 0
		}
		done = json.next(b) || done
		if !done || json.inText {
			return more, 0
		}
		if b == '`' {
			if ticks++; ticks == 3 {
				return whole, 0
			}
		} else if !isSpace(b) && b != ']' && b != '}' {
			return whole, 1 + ticks
		}
		return more, 0
	})
}

// readAction reads the list; the pseudo tool directly_answer means that there is no call.
func readAction(r *reader, f found) ([]Event, bool) {
	raw, body := f.text()
	body = actionFence.ReplaceAllString(body, "")
	body = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(body), "`"))
	drafts, ok := r.payload(body, f.final)
	if !ok {
		return []Event{r.broken(draft{raw: raw, broken: "it is not a JSON list of calls"})}, true
	}
	var events []Event
	for _, d := range drafts {
		if foldName(d.name) == "directlyanswer" {
			continue
		}
		d.raw = raw
		events = append(events, r.event(d))
	}
	return events, true
}

// citation is the mark of a grounded answer, <co: 0,2> and </co: 0,2>: it is dropped, what it marks stays.
func citation() block {
	return block{open: []string{"<co: ", "</co: "}, scan: func(*reader) scanner {
		return scanFunc(func(body []byte) (verdict, int) {
			switch b := body[len(body)-1]; {
			case b == '>' && len(body) > 1:
				return whole, 0
			case b >= '0' && b <= '9', b == ',', b == ' ':
				return more, 0
			}
			return notCall, 0
		})
	}}
}
