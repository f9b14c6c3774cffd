package toolcall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
)

// toolJSON writes one tool; full adds the wrapper that OpenAI's API has.
func toolJSON(t model.Tool, full bool) string {
	parameters := compact(t.Parameters)
	if len(parameters) == 0 {
		parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	bare := writeObject([]member{{key: "name", text: t.Name}, {key: "description", text: t.Description}, {key: "parameters", value: parameters}})
	if full {
		bare = writeObject([]member{{key: "type", text: "function"}, {key: "function", value: bare}})
	}
	return spaced(bare)
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

// defineWith frames the tools by what stands before and after them.
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
		s := readSchema(t.Parameters)
		if len(s.order) == 0 {
			fmt.Fprintf(&out, "type %s = () => any;\n\n", t.Name)
			continue
		}
		fmt.Fprintf(&out, "type %s = (_: {\n", t.Name)
		for _, name := range s.order {
			property := s.properties[name]
			if property.text != "" {
				out.WriteString("// " + oneLine(property.text) + "\n")
			}
			mark := "?"
			if slices.Contains(s.required, name) {
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
func scriptType(s *schema) string {
	return strings.ReplaceAll(typeName(s), "integer", "number")
}

// pythonStubs writes the tools as function signatures with docstrings.
func pythonStubs(tools []model.Tool) string {
	stubs := make([]string, len(tools))
	for i, t := range tools {
		s := readSchema(t.Parameters)
		list := make([]string, len(s.order))
		var about strings.Builder
		for j, name := range s.order {
			list[j] = name + ": " + pythonType(s.properties[name])
			if !slices.Contains(s.required, name) {
				list[j] += " = None"
			}
			if text := s.properties[name].text; text != "" {
				about.WriteString("\n    " + name + ": " + oneLine(text))
			}
		}
		stubs[i] = fmt.Sprintf("def %s(%s):\n    \"\"\"%s%s\"\"\"\n    pass", t.Name, strings.Join(list, ", "), oneLine(t.Description), about.String())
	}
	return strings.Join(stubs, "\n\n")
}

func pythonType(s *schema) string {
	switch s.kind() {
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
		s := readSchema(t.Parameters)
		fmt.Fprintf(&out, "<function>\n<name>%s</name>\n<description>%s</description>\n<parameters>\n", t.Name, strings.TrimSpace(t.Description))
		for _, name := range s.order {
			property := s.properties[name]
			fmt.Fprintf(&out, "<parameter>\n<name>%s</name>\n<type>%s</type>\n", name, property.kind())
			if property.text != "" {
				fmt.Fprintf(&out, "<description>%s</description>\n", strings.TrimSpace(property.text))
			}
			if len(property.enum) > 0 {
				fmt.Fprintf(&out, "<enum>%s</enum>\n", jsonList(property.enum))
			}
			out.WriteString("</parameter>\n")
		}
		if len(s.required) > 0 {
			fmt.Fprintf(&out, "<required>%s</required>\n", jsonStrings(s.required))
		}
		out.WriteString("</parameters>\n</function>\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func jsonList(values []json.RawMessage) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = string(v)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func jsonStrings(values []string) string {
	parts := make([]json.RawMessage, len(values))
	for i, v := range values {
		parts[i] = quote(v)
	}
	return jsonList(parts)
}

// markdownTools writes one heading per tool, as DeepSeek V3.1 was trained on.
func markdownTools(tools []model.Tool) string {
	parts := make([]string, len(tools))
	for i, t := range tools {
		parts[i] = fmt.Sprintf("### %s\nDescription: %s\n\nParameters: %s", t.Name, oneLine(t.Description), spaced(t.Parameters))
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
