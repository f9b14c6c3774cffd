package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// toolJSON writes one tool; full adds the wrapper that OpenAI's API has.
func toolJSON(t model.Tool, full bool) string {
	parameters := values.Compact(t.Parameters)
	if len(parameters) == 0 {
		parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	bare := values.WriteObject([]values.Member{
		{Key: "name", Text: t.Name}, {Key: "description", Text: t.Description}, {Key: "parameters", Value: parameters},
	})
	if full {
		bare = values.WriteObject([]values.Member{{Key: "type", Text: "function"}, {Key: "function", Value: bare}})
	}
	return values.Spaced(bare)
}

// toolLines writes one tool per line.
func toolLines(tools []model.Tool, full bool) string {
	lines := make([]string, len(tools))
	for i, t := range tools {
		lines[i] = toolJSON(t, full)
	}
	return joinLines(lines)
}

// toolArray writes all tools as one JSON list; an indent spreads it over lines.
func toolArray(tools []model.Tool, full bool, indent string) string {
	parts := make([]string, len(tools))
	for i, t := range tools {
		parts[i] = toolJSON(t, full)
	}
	text := "[" + strings.Join(parts, ", ") + "]"
	if indent == "" {
		return text
	}
	var out bytes.Buffer
	if json.Indent(&out, []byte(text), "", indent) != nil {
		return text
	}
	return out.String()
}

// defineWith frames the tools by what is before and after them.
func defineWith(before string, write func([]model.Tool) string, after string) func([]model.Tool) string {
	return func(tools []model.Tool) string { return before + write(tools) + after }
}

func fullLines(tools []model.Tool) string { return toolLines(tools, true) }

func bareLines(tools []model.Tool) string { return toolLines(tools, false) }

func fullArray(tools []model.Tool) string { return toolArray(tools, true, "") }

func bareArray(tools []model.Tool) string { return toolArray(tools, false, "") }

func indentedArray(tools []model.Tool) string { return toolArray(tools, true, "    ") }

// inToolTags is the frame of ChatML models: JSON lines in <tools>, then the shape of a call.
func inToolTags(shape string) func([]model.Tool) string {
	return defineWith("# Tools\n\nYou can call these functions:\n<tools>\n", fullLines,
		"\n</tools>\n\nCall a function like this:\n"+shape)
}

// typescript writes the tools as a namespace of function types.
func typescript(tools []model.Tool) string {
	var out strings.Builder
	out.WriteString("namespace functions {\n\n")
	for _, t := range tools {
		if t.Description != "" {
			out.WriteString("// " + oneLine(t.Description) + "\n")
		}
		s := values.ReadSchema(t.Parameters)
		if len(s.Order) == 0 {
			fmt.Fprintf(&out, "type %s = () => any;\n\n", t.Name)
			continue
		}
		fmt.Fprintf(&out, "type %s = (_: {\n", t.Name)
		for _, name := range s.Order {
			property := s.Properties[name]
			if property.Text != "" {
				out.WriteString("// " + oneLine(property.Text) + "\n")
			}
			mark := "?"
			if slices.Contains(s.Required, name) {
				mark = ""
			}
			out.WriteString(name + mark + ": " + scriptType(property) + ",\n")
		}
		out.WriteString("}) => any;\n\n")
	}
	out.WriteString("} // namespace functions")
	return out.String()
}

// scriptType is typeName in the words of TypeScript.
func scriptType(s *values.Schema) string {
	return strings.ReplaceAll(typeName(s), "integer", "number")
}

// pythonStubs writes the tools as function signatures with docstrings.
func pythonStubs(tools []model.Tool) string {
	stubs := make([]string, len(tools))
	for i, t := range tools {
		s := values.ReadSchema(t.Parameters)
		list := make([]string, len(s.Order))
		var about strings.Builder
		for j, name := range s.Order {
			list[j] = name + ": " + pythonType(s.Properties[name])
			if !slices.Contains(s.Required, name) {
				list[j] += " = None"
			}
			if text := s.Properties[name].Text; text != "" {
				about.WriteString("\n    " + name + ": " + oneLine(text))
			}
		}
		stubs[i] = fmt.Sprintf(
			"def %s(%s):\n    \"\"\"%s%s\"\"\"\n    pass", t.Name, strings.Join(list, ", "), oneLine(t.Description),
			about.String(),
		)
	}
	return strings.Join(stubs, "\n\n")
}

func pythonType(s *values.Schema) string {
	switch s.Kind() {
	case "string":
		return "str"
	case "integer":
		return "int"
	case "number":
		return "float"
	case "boolean":
		return "bool"
	case "array":
		return "list"
	case "object":
		return "dict"
	}
	return "Any"
}

// nestedXML writes the tools as Qwen3-Coder was trained on.
func nestedXML(tools []model.Tool) string {
	var out strings.Builder
	for _, t := range tools {
		s := values.ReadSchema(t.Parameters)
		fmt.Fprintf(
			&out, "<function>\n<name>%s</name>\n<description>%s</description>\n<parameters>\n", t.Name,
			strings.TrimSpace(t.Description),
		)
		for _, name := range s.Order {
			property := s.Properties[name]
			fmt.Fprintf(&out, "<parameter>\n<name>%s</name>\n<type>%s</type>\n", name, property.Kind())
			if property.Text != "" {
				fmt.Fprintf(&out, "<description>%s</description>\n", strings.TrimSpace(property.Text))
			}
			if len(property.Enum) > 0 {
				fmt.Fprintf(&out, "<enum>%s</enum>\n", values.List(property.Enum))
			}
			out.WriteString("</parameter>\n")
		}
		if len(s.Required) > 0 {
			fmt.Fprintf(&out, "<required>%s</required>\n", values.Strings(s.Required))
		}
		out.WriteString("</parameters>\n</function>\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// markdownTools writes one heading per tool, as DeepSeek V3.1 was trained on.
func markdownTools(tools []model.Tool) string {
	parts := make([]string, len(tools))
	for i, t := range tools {
		parts[i] = fmt.Sprintf(
			"### %s\nDescription: %s\n\nParameters: %s", t.Name, oneLine(t.Description), values.Spaced(t.Parameters),
		)
	}
	return strings.Join(parts, "\n\n")
}

// fencedTools writes each tool in a fence of its own.
func fencedTools(tools []model.Tool) string {
	parts := make([]string, len(tools))
	for i, t := range tools {
		parts[i] = "```json\n" + toolJSON(t, true) + "\n```"
	}
	return strings.Join(parts, "\n")
}

// withoutFound leaves out the tools that the conversation describes, so that the beginning of the prompt stays as it
// is.
func withoutFound(tools []model.Tool) []model.Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t model.Tool) bool { return t.Found })
}

func systemMessage(text string) []model.Message {
	if text == "" {
		return nil
	}
	return []model.Message{{Role: model.RoleSystem, Text: text}}
}

// signatures lists tools shortly, one per line: name(argument: type, optional?: type): description.
func signatures(tools []model.Tool) string {
	var out strings.Builder
	for _, t := range tools {
		fmt.Fprintf(&out, "- %s(%s): %s\n", t.Name, parameters(values.ReadSchema(t.Parameters)), oneLine(t.Description))
	}
	return out.String()
}

func parameters(s *values.Schema) string {
	list := make([]string, 0, len(s.Order))
	for _, name := range s.Order {
		mark := "?"
		for _, required := range s.Required {
			if required == name {
				mark = ""
			}
		}
		list = append(list, name+mark+": "+typeName(s.Properties[name]))
	}
	return strings.Join(list, ", ")
}

// typeName writes a schema in the notation of TypeScript, the shortest that models know.
func typeName(s *values.Schema) string {
	if len(s.Enum) > 0 {
		words := make([]string, len(s.Enum))
		for i, value := range s.Enum {
			words[i] = string(value)
		}
		return strings.Join(words, " | ")
	}
	switch kind := s.Kind(); kind {
	case "":
		return "any"
	case "array":
		if s.Items == nil {
			return "any[]"
		}
		if item := typeName(s.Items); strings.Contains(item, " ") {
			return "(" + item + ")[]"
		}
		return typeName(s.Items) + "[]"
	case "object":
		if len(s.Order) == 0 {
			return "object"
		}
		return "{" + parameters(s) + "}"
	default:
		return kind
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// example writes a call of the tool that needs the fewest arguments, with placeholders that no one takes for real
// values.
func example(tools []model.Tool) toolcall.Call {
	best, fewest := toolcall.Call{}, -1
	for _, t := range tools {
		s := values.ReadSchema(t.Parameters)
		if fewest >= 0 && len(s.Required) >= fewest {
			continue
		}
		fewest = len(s.Required)
		members := make([]values.Member, 0, fewest)
		for _, name := range s.Required {
			property, _ := s.Property(name)
			members = append(members, values.Member{Key: name, Value: placeholder(property)})
		}
		best = toolcall.Call{Name: t.Name, Arguments: values.WriteObject(members)}
	}
	return best
}

func placeholder(s *values.Schema) json.RawMessage {
	switch s.Kind() {
	case "integer", "number":
		return json.RawMessage("1")
	case "boolean":
		return json.RawMessage("true")
	case "array":
		return json.RawMessage("[]")
	case "object":
		return json.RawMessage("{}")
	}
	return json.RawMessage(`"..."`)
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

// usageSentences introduces each function with a sentence, as Llama's custom format does.
func usageSentences(tools []model.Tool) string {
	parts := make([]string, len(tools))
	for i, t := range tools {
		parts[i] = "Use the function '" + t.Name + "' to '" + oneLine(t.Description) + "'\n" + toolJSON(t, false)
	}
	return strings.Join(parts, "\n\n")
}

func signaturesOf(tools []model.Tool) string { return signatures(tools) }

func joinLines(lines []string) string { return strings.Join(lines, "\n") }

// joinBlocks joins what is not empty by blank lines.
func joinBlocks(blocks ...string) string {
	var kept []string
	for _, b := range blocks {
		if b != "" {
			kept = append(kept, b)
		}
	}
	return strings.Join(kept, "\n\n")
}

// result labels what a tool answered, for families that have no turn of their own for it.
func result(t toolcall.Turn) string {
	if t.Failed {
		return "Error from " + t.Name + ":\n" + t.Text
	}
	return "Result of " + t.Name + ":\n" + t.Text
}
