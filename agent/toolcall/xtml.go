package toolcall

import (
	"fmt"
	"strings"
)

func xtmlCalls(calls []outgoing) string {
	var out strings.Builder
	out.WriteString("<|open|>tools<|sep|>")
	for i, c := range calls {
		fmt.Fprintf(&out, "<|open|>call tool=\"%s\" index=\"%d\"<|sep|>", c.Name, i)
		if c.inJSON {
			out.WriteString(c.object() + "<|close|>call<|sep|>")
			continue
		}
		for _, m := range arguments(c) {
			fmt.Fprintf(&out, "<|open|>argument key=\"%s\" type=\"%s\"<|sep|>%s<|close|>argument<|sep|>", m.key, jsonType(m.value), rawValue(m.value))
		}
		out.WriteString("<|close|>call<|sep|>")
	}
	out.WriteString("<|close|>tools<|sep|>")
	return out.String()
}

func jsonType(raw []byte) string {
	switch raw[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	if strings.ContainsAny(string(raw), ".eE") {
		return "number"
	}
	return "integer"
}
