package probe

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// question is one probe that is asked in every way. check says what is wrong with a reply; empty: nothing.
type question struct {
	name   string
	points int
	turns  []toolcall.Turn
	tools  []model.Tool
	check  func(r reply) string
}

// questions are asked in every way. They are no tasks of any suite: the suites tell whether the probes choose well.
func questions() []question {
	tools := toolbox()
	weather := call("get_weather", `{"city": "Lisbon"}`)
	return []question{
		{"calls a tool", 3, user("How warm is it in Lisbon right now?"), tools, wants("get_weather", "city", "lisbon")},
		{"fills in arguments", 3, user("Switch the lamp in the kitchen on, at 40 percent."), tools, both(wants("set_lamp", "room", "kitchen"), wants("set_lamp", "percent", "40"))},
		{"uses the result", 3, append(user("How warm is it in Lisbon right now?"), weather, result("get_weather", "17 degrees, light rain", false)), tools, says("17")},
		{
			"tries again after an error", 2, append(user("How warm is it in Lisbonn right now?"), call("get_weather", `{"city": "Lisbonn"}`), result("get_weather", "There is no city \"Lisbonn\". Near: \"Lisbon\".", true)),
			tools, wants("get_weather", "city", "lisbon"),
		},
		{"answers without a tool", 2, user("What is the opposite of cold? Answer with one word."), tools, says("hot", "warm")},
	}
}

func user(text string) []toolcall.Turn {
	return []toolcall.Turn{{Role: model.RoleUser, Text: text}}
}

func call(name, arguments string) toolcall.Turn {
	return toolcall.Turn{Role: model.RoleAssistant, Calls: []toolcall.Call{{ID: "c1", Name: name, Arguments: json.RawMessage(arguments)}}}
}

func result(name, text string, failed bool) toolcall.Turn {
	return toolcall.Turn{Role: model.RoleTool, CallID: "c1", Name: name, Text: text, Failed: failed}
}

// wants is a check for a call with an argument, compared without regard to case.
func wants(tool, argument, value string) func(reply) string {
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
		if got := fmt.Sprint(arguments[argument]); !strings.EqualFold(got, value) {
			return fmt.Sprintf("%s is %q", argument, got)
		}
		return ""
	}
}

func both(a, b func(reply) string) func(reply) string {
	return func(r reply) string {
		if problem := a(r); problem != "" {
			return problem
		}
		return b(r)
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
		tool("get_weather", "The weather of a city now.", `{"city":{"type":"string"}}`, "city"),
		tool("set_lamp", "Switch the lamp of a room.", `{"room":{"type":"string"},"percent":{"type":"integer"}}`, "room", "percent"),
		tool("book_table", "Book a table in a restaurant.", `{"restaurant":{"type":"string"},"people":{"type":"integer"}}`, "restaurant", "people"),
	}
}

// crowd adds many more, which nobody asked for.
func crowdedToolbox() []model.Tool {
	tools := toolbox()
	for _, thing := range []string{"ticket", "invoice", "parcel", "song", "recipe", "meeting"} {
		for _, verb := range []string{"create", "find", "delete"} {
			tools = append(tools, tool(verb+"_"+thing, fmt.Sprintf("%s a %s.", strings.ToUpper(verb[:1])+verb[1:], thing), `{"name":{"type":"string"}}`, "name"))
		}
	}
	return tools
}

func tool(name, about, properties string, required ...string) model.Tool {
	schema := fmt.Sprintf(`{"type":"object","properties":%s,"required":["%s"]}`, properties, strings.Join(required, `","`))
	return model.Tool{Name: name, Description: about, Parameters: json.RawMessage(schema)}
}

func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:60]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
