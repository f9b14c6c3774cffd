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

// joinAll writes each item and joins them.
func joinAll[T any](list []T, separator string, write func(T) string) string {
	parts := make([]string, len(list))
	for i, item := range list {
		parts[i] = write(item)
	}
	return strings.Join(parts, separator)
}

// definition is a tool as a JSON object.
func definition(t model.Tool) json.RawMessage {
	parameters := values.Compact(t.Parameters)
	if len(parameters) == 0 {
		parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return values.WriteObject([]values.Member{
		{Key: "name", Text: t.Name}, {Key: "description", Text: t.Description}, {Key: "parameters", Value: parameters},
	})
}

func bareTool(t model.Tool) string { return values.Spaced(definition(t)) }

// fullTool writes a tool in the wrapper that OpenAI's API has.
func fullTool(t model.Tool) string {
	return values.Spaced(values.WriteObject(
		[]values.Member{{Key: "type", Text: "function"}, {Key: "function", Value: definition(t)}},
	))
}

// defineWith frames the tools by what is before and after them.
func defineWith(before string, write func([]model.Tool) string, after string) func([]model.Tool) string {
	return func(tools []model.Tool) string { return before + write(tools) + after }
}

func fullLines(tools []model.Tool) string { return joinAll(tools, "\n", fullTool) }

func bareLines(tools []model.Tool) string { return joinAll(tools, "\n", bareTool) }

func fullArray(tools []model.Tool) string { return "[" + joinAll(tools, ", ", fullTool) + "]" }

func bareArray(tools []model.Tool) string { return "[" + joinAll(tools, ", ", bareTool) + "]" }

// indentedArray spreads the list over lines.
func indentedArray(tools []model.Tool) string {
	var out bytes.Buffer
	if text := fullArray(tools); json.Indent(&out, []byte(text), "", "    ") != nil {
		return text
	}
	return out.String()
}

// listed writes one tool per line, and what is after them.
func listed(after string) func([]model.Tool) string {
	return defineWith("The tools:\n", bareLines, after)
}

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
			kind := strings.ReplaceAll(typeName(property), "integer", "number")
			out.WriteString(name + optionalMark(s, name) + ": " + kind + ",\n")
		}
		out.WriteString("}) => any;\n\n")
	}
	out.WriteString("} // namespace functions")
	return out.String()
}

// pythonStubs writes the tools as function signatures with docstrings.
func pythonStubs(tools []model.Tool) string { return joinAll(tools, "\n\n", pythonStub) }

func pythonStub(t model.Tool) string {
	s := values.ReadSchema(t.Parameters)
	list := joinAll(s.Order, ", ", func(name string) string {
		parameter := name + ": " + pythonType(s.Properties[name])
		if slices.Contains(s.Required, name) {
			return parameter
		}
		return parameter + " = None"
	})
	about := joinAll(s.Order, "", func(name string) string {
		if text := s.Properties[name].Text; text != "" {
			return "\n    " + name + ": " + oneLine(text)
		}
		return ""
	})
	return fmt.Sprintf("def %s(%s):\n    \"\"\"%s%s\"\"\"\n    pass", t.Name, list, oneLine(t.Description), about)
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
	return joinAll(tools, "\n\n", func(t model.Tool) string {
		return fmt.Sprintf(
			"### %s\nDescription: %s\n\nParameters: %s", t.Name, oneLine(t.Description), values.Spaced(t.Parameters),
		)
	})
}

// fencedTools writes each tool in a fence of its own.
func fencedTools(tools []model.Tool) string {
	return joinAll(tools, "\n", func(t model.Tool) string { return fenced("json", fullTool(t)) })
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
	return joinAll(s.Order, ", ", func(name string) string {
		return name + optionalMark(s, name) + ": " + typeName(s.Properties[name])
	})
}

// optionalMark is behind the name of an argument that may be left out.
func optionalMark(s *values.Schema, name string) string {
	if slices.Contains(s.Required, name) {
		return ""
	}
	return "?"
}

// typeName writes a schema in the notation of TypeScript, the shortest that models know.
func typeName(s *values.Schema) string {
	if len(s.Enum) > 0 {
		return joinAll(s.Enum, " | ", func(value json.RawMessage) string { return string(value) })
	}
	switch kind := s.Kind(); kind {
	case "":
		return "any"
	case "array":
		if s.Items == nil {
			return "any[]"
		}
		item := typeName(s.Items)
		if strings.Contains(item, " ") {
			item = "(" + item + ")"
		}
		return item + "[]"
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
	return joinAll(tools, "\n\n", func(t model.Tool) string {
		whole := indentedArray([]model.Tool{t})
		return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(whole, "["), "]"))
	})
}

// usageSentences introduces each function with a sentence, as Llama's custom format does.
func usageSentences(tools []model.Tool) string {
	return joinAll(tools, "\n\n", func(t model.Tool) string {
		return "Use the function '" + t.Name + "' to '" + oneLine(t.Description) + "'\n" + bareTool(t)
	})
}

// joinBlocks joins what is not empty by blank lines.
func joinBlocks(blocks ...string) string {
	return strings.Join(slices.DeleteFunc(blocks, func(b string) bool { return b == "" }), "\n\n")
}

// result labels what a tool answered, for families that have no turn of their own for it.
func result(t toolcall.Turn) string {
	label := "Result of "
	if t.Failed {
		label = "Error from "
	}
	return label + t.Name + ":\n" + t.Text
}
