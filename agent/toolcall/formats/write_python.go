package formats

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// pythonCallText writes a call with keyword arguments.
func pythonCallText(c outgoing) string {
	return c.Name + "(" + joinAll(arguments(c), ", ", func(m values.Member) string {
		return m.Key + "=" + values.PythonValue(m.Value)
	}) + ")"
}

func pythonListText(calls []outgoing) string { return "[" + each(", ", pythonCallText)(calls) + "]" }

// bracedArguments writes the arguments of a call.
func bracedArguments(c outgoing, mark string) string {
	if c.inJSON {
		return c.object()
	}
	return bracedValue(c.Arguments, mark)
}

// bracedValue writes JSON in the notation.
func bracedValue(raw json.RawMessage, mark string) string {
	if text, ok := values.StringValue(raw); ok {
		return mark + text + mark
	}
	if members, err := values.ReadObject(raw); err == nil {
		return "{" + joinAll(members, ",", func(m values.Member) string {
			return m.Key + ":" + bracedValue(m.Value, mark)
		}) + "}"
	}
	var items []json.RawMessage
	if len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &items) == nil {
		return bracedList(items, mark)
	}
	return string(raw)
}

func bracedList(items []json.RawMessage, mark string) string {
	return "[" + joinAll(items, ",", func(item json.RawMessage) string { return bracedValue(item, mark) }) + "]"
}

// declaredType writes a schema in the notation.
func declaredType(s *values.Schema, mark string) string {
	var parts []string
	if s.Text != "" {
		parts = append(parts, "description:"+mark+s.Text+mark)
	}
	if len(s.Enum) > 0 {
		parts = append(parts, "enum:"+bracedList(s.Enum, mark))
	}
	if s.Items != nil {
		parts = append(parts, "items:"+declaredType(s.Items, mark))
	}
	if len(s.Order) > 0 {
		names := slices.Sorted(slices.Values(s.Order))
		properties := joinAll(names, ",", func(name string) string {
			return name + ":" + declaredType(s.Properties[name], mark)
		})
		parts = append(parts, "properties:{"+properties+"}")
	}
	if len(s.Required) > 0 {
		names := joinAll(s.Required, ",", func(name string) string { return mark + name + mark })
		parts = append(parts, "required:["+names+"]")
	}
	parts = append(parts, "type:"+mark+strings.ToUpper(s.Kind())+mark)
	return "{" + strings.Join(parts, ",") + "}"
}

// declarations writes the tools in the notation of the newer Gemmas: types in capitals, keys sorted.
func declarations(tools []model.Tool, open, closer, mark string) string {
	return joinAll(tools, "", func(t model.Tool) string {
		return open + "declaration:" + t.Name + "{description:" + mark + t.Description + mark +
			",parameters:" + declaredType(values.ReadSchema(t.Parameters), mark) + "}" + closer
	})
}
