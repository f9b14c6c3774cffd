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
	members := arguments(c)
	parts := make([]string, len(members))
	for i, m := range members {
		parts[i] = m.Key + "=" + values.PythonValue(m.Value)
	}
	return c.Name + "(" + strings.Join(parts, ", ") + ")"
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
		parts := make([]string, len(members))
		for i, m := range members {
			parts[i] = m.Key + ":" + bracedValue(m.Value, mark)
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	var items []json.RawMessage
	if len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &items) == nil {
		parts := make([]string, len(items))
		for i, item := range items {
			parts[i] = bracedValue(item, mark)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return string(raw)
}

// declaredType writes a schema in the notation.
func declaredType(s *values.Schema, mark string) string {
	var parts []string
	if s.Text != "" {
		parts = append(parts, "description:"+mark+s.Text+mark)
	}
	if len(s.Enum) > 0 {
		values := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			values[i] = bracedValue(v, mark)
		}
		parts = append(parts, "enum:["+strings.Join(values, ",")+"]")
	}
	if s.Items != nil {
		parts = append(parts, "items:"+declaredType(s.Items, mark))
	}
	if len(s.Order) > 0 {
		names := slices.Sorted(slices.Values(s.Order))
		properties := make([]string, len(names))
		for i, name := range names {
			properties[i] = name + ":" + declaredType(s.Properties[name], mark)
		}
		parts = append(parts, "properties:{"+strings.Join(properties, ",")+"}")
	}
	if len(s.Required) > 0 {
		names := make([]string, len(s.Required))
		for i, name := range s.Required {
			names[i] = mark + name + mark
		}
		parts = append(parts, "required:["+strings.Join(names, ",")+"]")
	}
	parts = append(parts, "type:"+mark+strings.ToUpper(s.Kind())+mark)
	return "{" + strings.Join(parts, ",") + "}"
}

// declarations writes the tools in the notation of the newer Gemmas: types in capitals, keys sorted.
func declarations(tools []model.Tool, open, closer, mark string) string {
	var out strings.Builder
	for _, t := range tools {
		out.WriteString(open + "declaration:" + t.Name + "{description:" + mark + t.Description + mark +
			",parameters:" + declaredType(values.ReadSchema(t.Parameters), mark) + "}" + closer)
	}
	return out.String()
}
