package probe

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// question is one probe that is asked in every way. check says what is wrong with a reply; empty: nothing.
type question struct {
	name   string
	points int
	calls  bool // it wants a call of the model's own accord
	again  bool // it comes after an error
	turns  []toolcall.Turn
	tools  []model.Tool
	check  func(r reply) string
}

// questions are asked in every way, those that want a call first: without one the rest says nothing. They are about
// files, since that is what the product's prompts speak of (the guided one sends the model to talk about anything
// else), and no tasks of any suite: the suites tell whether the probes choose well. Their prompts begin alike, so that
// the server reads tools and question once for a way.
func questions() []question {
	tools := toolbox()
	const asked = "When is high water? It stands in tides.log."
	return []question{
		{"calls a tool", 3, true, false, user(asked), tools, wants("read_file", "path", "tides.log")},
		{
			"picks the right tool", 2, true, false, user("Look for the word lobster."), tools,
			wants("find_text", "text", "lobster"),
		},
		{
			"fills in arguments", 3, true, false, user("Put the word anchor on line 7 of ropes.txt."), tools,
			wants("write_line", "path", "ropes.txt", "line", "7", "text", "anchor"),
		},
		{
			"uses the result", 3, false, false,
			append(
				user(asked), call("read_file", `{"path": "tides.log"}`),
				result("read_file", "low water 11:08\nhigh water 17:42", false),
			),
			tools, says("17:42", "5:42"),
		},
		{
			"tries again after an error", 2, false, true, append(
				user("When is low water? It stands in tide.log."), call("read_file", `{"path": "tide.log"}`),
				result("read_file", "There is no file \"tide.log\". Near: \"tides.log\".", true),
			),
			tools, wants("read_file", "path", "tides.log"),
		},
		{
			"answers without a tool", 2, false, false, user("What is the opposite of cold? Answer with one word."),
			tools, says("hot", "warm", "heat"),
		},
	}
}

func user(text string) []toolcall.Turn {
	return []toolcall.Turn{{Role: model.RoleUser, Text: text, Asked: text}}
}

func call(name, arguments string) toolcall.Turn {
	return toolcall.Turn{
		Role:  model.RoleAssistant,
		Calls: []toolcall.Call{{ID: "c1", Name: name, Arguments: json.RawMessage(arguments)}},
	}
}

func result(name, text string, failed bool) toolcall.Turn {
	return toolcall.Turn{Role: model.RoleTool, CallID: "c1", Name: name, Text: text, Failed: failed}
}

// wants is a check for a call with arguments, name and value by turns, compared without regard to case.
func wants(tool string, pairs ...string) func(reply) string {
	return func(r reply) string {
		if len(r.calls) == 0 {
			if r.malformed > 0 {
				return "its call cannot be read"
			}
			return "no call: " + short(r.text)
		}
		c := r.calls[0]
		if c.Name != tool {
			return "called " + c.Name
		}
		var arguments map[string]any
		if err := json.Unmarshal(c.Arguments, &arguments); err != nil {
			return "its arguments cannot be read"
		}
		for pair := range slices.Chunk(pairs, 2) {
			got := strings.TrimPrefix(strings.TrimSpace(fmt.Sprint(arguments[pair[0]])), "./")
			if !strings.EqualFold(got, pair[1]) {
				return fmt.Sprintf("%s is %s", pair[0], short(got))
			}
		}
		return ""
	}
}

// says is a check for an answer in words that holds one of the texts.
func says(texts ...string) func(reply) string {
	return func(r reply) string {
		if len(r.calls) > 0 {
			return "called " + r.calls[0].Name
		}
		for _, text := range texts {
			if strings.Contains(strings.ToLower(r.text), text) {
				return ""
			}
		}
		return "answered " + short(r.text)
	}
}

// toolbox are tools that do nothing.
func toolbox() []model.Tool {
	return []model.Tool{
		tool("read_file", "Read a file.", `{"path":{"type":"string"}}`, "path"),
		tool("find_text", "Find the files that hold a text.", `{"text":{"type":"string"}}`, "text"),
		tool(
			"write_line", "Change one line of a file.",
			`{"path":{"type":"string"},"line":{"type":"integer"},"text":{"type":"string"}}`, "path", "line", "text",
		),
	}
}

// largeToolbox adds many more, which no question needs.
func largeToolbox() []model.Tool {
	tools := toolbox()
	for _, thing := range []string{"ticket", "invoice", "parcel", "meeting"} {
		for _, verb := range []string{"create", "find", "delete"} {
			tools = append(
				tools,
				tool(
					verb+"_"+thing, fmt.Sprintf("%s a %s.", strings.ToUpper(verb[:1])+verb[1:], thing),
					`{"name":{"type":"string"}}`, "name",
				),
			)
		}
	}
	return tools
}

func tool(name, about, properties string, required ...string) model.Tool {
	schema := fmt.Sprintf(
		`{"type":"object","properties":%s,"required":["%s"]}`, properties, strings.Join(required, `","`),
	)
	return model.Tool{Name: name, Description: about, Parameters: json.RawMessage(schema)}
}

func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:60]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
