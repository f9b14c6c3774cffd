package toolcall

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/model"
)

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
		fmt.Fprintf(&out, "- %s(%s): %s\n", t.Name, parameters(readSchema(t.Parameters)), oneLine(t.Description))
	}
	return out.String()
}

func parameters(s *schema) string {
	list := make([]string, 0, len(s.order))
	for _, name := range s.order {
		mark := "?"
		for _, required := range s.required {
			if required == name {
				mark = ""
			}
		}
		list = append(list, name+mark+": "+typeName(s.properties[name]))
	}
	return strings.Join(list, ", ")
}

// typeName writes a schema in the notation of TypeScript, the shortest that models know.
func typeName(s *schema) string {
	if len(s.enum) > 0 {
		words := make([]string, len(s.enum))
		for i, value := range s.enum {
			words[i] = string(value)
		}
		return strings.Join(words, " | ")
	}
	switch kind := s.kind(); kind {
	case "":
		return "any"
	case "array":
		if s.items == nil {
			return "any[]"
		}
		if item := typeName(s.items); strings.Contains(item, " ") {
			return "(" + item + ")[]"
		}
		return typeName(s.items) + "[]"
	case "object":
		if len(s.order) == 0 {
			return "object"
		}
		return "{" + parameters(s) + "}"
	default:
		return kind
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// example writes a call of the tool that needs the fewest arguments, with placeholders that no one takes for real values.
func example(tools []model.Tool) Call {
	best, fewest := Call{}, -1
	for _, t := range tools {
		s := readSchema(t.Parameters)
		if fewest >= 0 && len(s.required) >= fewest {
			continue
		}
		fewest = len(s.required)
		members := make([]member, 0, fewest)
		for _, name := range s.required {
			property, _ := s.property(name)
			members = append(members, member{key: name, value: placeholder(property)})
		}
		best = Call{Name: t.Name, Arguments: writeObject(members)}
	}
	return best
}

func placeholder(s *schema) json.RawMessage {
	switch s.kind() {
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

// result labels what a tool answered, for families that have no turn of their own for it.
func result(t Turn) string {
	if t.Failed {
		return "Error from " + t.Name + ":\n" + t.Text
	}
	return "Result of " + t.Name + ":\n" + t.Text
}

func joinLines(lines []string) string { return strings.Join(lines, "\n") }

// cutAny drops the first of the endings that text ends with.
func cutAny[T string | []byte](text T, endings []string) T {
	for _, e := range endings {
		if end := len(text) - len(e); end >= 0 && string(text[end:]) == e {
			return text[:end]
		}
	}
	return text
}
