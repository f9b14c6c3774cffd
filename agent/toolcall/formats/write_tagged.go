package formats

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/envelope"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// pairs writes the arguments of a call with a format of key and value; encode escapes values so that they read back
// unchanged.
func pairs(c outgoing, format string, encode func(string) string) string {
	if c.inJSON {
		return c.object()
	}
	var out strings.Builder
	for _, m := range arguments(c) {
		fmt.Fprintf(&out, format, m.Key, encode(rawValue(m.Value)))
	}
	return out.String()
}

// paired writes a name and arguments by pairs, and what is before, between and behind them.
func paired(open, middle, pair string, encode func(string) string, closer string) func(outgoing) string {
	return func(c outgoing) string { return open + c.Name + middle + pairs(c, pair, encode) + closer }
}

// asIs is for values that are read as they are.
func asIs(value string) string { return value }

// onLines puts a value between newlines if it begins or ends with one: where values are trimmed, one at each end is
// cut.
func onLines(value string) string {
	if strings.HasPrefix(value, "\n") || strings.HasSuffix(value, "\n") {
		return "\n" + value + "\n"
	}
	return value
}

// withAmpersands is onLines where entities are decoded.
func withAmpersands(value string) string {
	if html.UnescapeString(value) != value {
		value = strings.ReplaceAll(value, "&", "&amp;")
	}
	return onLines(value)
}

func equalsShape(open, closer string) string {
	return open + "\n<function=NAME>\n<parameter=KEY>\nVALUE\n</parameter>\n</function>\n" + closer
}

func equalsCall(open, closer, line string) func(outgoing) string {
	return paired(
		open+"<function=", ">\n", "<parameter=%s>"+line+"%s"+line+"</parameter>\n", asIs, "</function>"+closer,
	)
}

func glmCall(line string) func(outgoing) string {
	return paired(
		"<tool_call>", line, "<arg_key>%s</arg_key>"+line+"<arg_value>%s</arg_value>"+line, asIs, "</tool_call>",
	)
}

func invokeShape(open, closer, space string) string {
	return open + "\n<" + space + "invoke name=\"NAME\">\n<" + space + "parameter name=\"KEY\">VALUE</" + space +
		"parameter>\n</" + space + "invoke>\n" + closer
}

func invokeCall(space string, encode func(string) string) func(outgoing) string {
	return paired(
		"<"+space+"invoke name=\"", "\">\n", "<"+space+"parameter name=\"%s\">%s</"+space+"parameter>\n", encode,
		"</"+space+"invoke>",
	)
}

func cdataPairs(c outgoing) string {
	if c.inJSON {
		return c.object()
	}
	var out strings.Builder
	for _, m := range arguments(c) {
		value := rawValue(m.Value)
		if _, text := values.StringValue(m.Value); text &&
			(strings.ContainsAny(value, "<&") || strings.TrimSpace(value) != value) {
			value = "<![CDATA[" + value + "]]>"
		}
		fmt.Fprintf(&out, "<param name=\"%s\">%s</param>", m.Key, value)
	}
	return out.String()
}

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
			fmt.Fprintf(
				&out, "<|open|>argument key=\"%s\" type=\"%s\"<|sep|>%s<|close|>argument<|sep|>", m.Key,
				values.TypeOf(m.Value), rawValue(m.Value),
			)
		}
		out.WriteString("<|close|>call<|sep|>")
	}
	out.WriteString("<|close|>tools<|sep|>")
	return out.String()
}

func nestedCall(c outgoing) string {
	var out strings.Builder
	out.WriteString(envelope.MinimaxMark + "<invoke name=\"" + c.Name + "\">")
	if c.inJSON {
		out.WriteString(c.object())
	} else {
		for _, m := range arguments(c) {
			writeElement(&out, m.Key, m.Value)
		}
	}
	out.WriteString(envelope.MinimaxMark + "</invoke>")
	return out.String()
}

func writeElement(out *strings.Builder, key string, value json.RawMessage) {
	out.WriteString(envelope.MinimaxMark + "<" + key + ">")
	var items []json.RawMessage
	members, err := values.ReadObject(value)
	switch {
	case err == nil:
		for _, m := range members {
			writeElement(out, m.Key, m.Value)
		}
	case value[0] == '[' && json.Unmarshal(value, &items) == nil:
		for _, item := range items {
			writeElement(out, "item", item)
		}
	default:
		out.WriteString(rawValue(value))
	}
	out.WriteString(envelope.MinimaxMark + "</" + key + ">")
}
