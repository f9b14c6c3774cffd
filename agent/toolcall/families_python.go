package toolcall

import (
	"strings"

	"github.com/assent-ls/assent/agent/model"
)

// pythonFamilies write calls in Python's notation, or in Gemma's own.
func pythonFamilies() []entry {
	return []entry{
		known("pythonic", "a list of Python calls alone", []string{"D4", "llama4", "llama4_pythonic", "toolace", "watt-tool"}, func() family {
			return family{
				grammar: tongue([]block{pythonTags([]string{"<|python_start|>"}, "<|python_end|>", "<|eom|>", "<|eot|>")}, dropping("<|eom|>", "<|eot|>"), accepting(pythonList(true), bareJSON(false), fencedJSON())),
				define:  defineWith("The functions:\n", bareArray, "\nTo call functions, reply with nothing but [NAME(KEY=VALUE), ...]."),
				calls:   pythonListText, between: "\n", result: plain, role: model.RoleTool,
			}
		}),
		known("lfm2", "Python calls between <|tool_call_start|> and its end", []string{"D5", "lfm2.5", "lfm2_5", "lfm2-thinking"}, func() family {
			return family{
				grammar: tongue([]block{pythonTags([]string{"<|tool_call_start|>"}, "<|tool_call_end|>")}, breaking, accepting(pythonList(false), bareJSON(false), fencedJSON())),
				define:  defineWith("List of tools: <|tool_list_start|>", bareArray, "<|tool_list_end|>\nCall tools like this: <|tool_call_start|>[NAME(KEY=VALUE)]<|tool_call_end|>"),
				calls:   wrapped("<|tool_call_start|>", "<|tool_call_end|>", pythonListText), between: "", result: inTags("<|tool_response_start|>", "<|tool_response_end|>"), role: model.RoleTool,
			}
		}),
		known("olmo3", "Python calls, one per line, in <function_calls> tags", []string{"D6", "olmo-3", "olmo3-think"}, func() family {
			return family{
				grammar: tongue([]block{pythonTags([]string{"<function_calls>"}, "</function_calls>")}, accepting(pythonList(false), bareJSON(false), fencedJSON())),
				define:  defineWith("<functions>", bareArray, "</functions>\nCall functions like this: <function_calls>NAME(KEY=VALUE)</function_calls>"),
				calls:   wrapped("<function_calls>", "</function_calls>", each("\n", pythonCallText)), between: "\n", result: plain, role: model.RoleTool,
			}
		}),
		known("gemma3", "a Python call in a tool_code fence, or JSON", []string{"D3", "gemma2", "gemma", "tool_code"}, func() family {
			return family{
				grammar: tongue(nil, accepting(toolCode(), pythonList(false), bareJSON(true))),
				define:  defineWith("You can call these functions:\n", bareArray, "\nTo call one, write a fence and stop; the next message brings its result:\n```tool_code\nNAME(KEY=VALUE)\n```"),
				inUser:  true, calls: func(calls []outgoing) string { return "```tool_code\n" + each("\n", pythonCallText)(calls) + "\n```" }, between: "\n",
				result: inTags("```tool_output\n", "\n```"),
			}
		}),
		known("functiongemma", "call:NAME{...} between <start_function_call> and its end", []string{"D1"}, func() family {
			return family{
				grammar: tongue([]block{braced{open: "<start_function_call>", closers: []string{"<end_function_call>"}, mark: "<escape>"}.block()}, dropping("<start_function_response>"), acceptingJSON),
				define: func(tools []model.Tool) string {
					return declarations(tools, "<start_function_declaration>", "<end_function_declaration>", "<escape>")
				},
				calls: each("", func(c outgoing) string {
					return "<start_function_call>call:" + c.Name + bracedArguments(c, "<escape>") + "<end_function_call>"
				}), between: "",
				result: func(t Turn) string {
					return "<start_function_response>response:" + t.Name + "{value:<escape>" + t.Text + "<escape>}<end_function_response>"
				},
			}
		}),
		known("gemma4", "call:NAME{...} between <|tool_call> and <tool_call|>", []string{"D2", "gemma4-no-thinking"}, func() family {
			return family{
				grammar: tongue([]block{braced{open: "<|tool_call>", closers: []string{"<tool_call|>"}, mark: `<|"|>`}.block()},
					thinkingAs(thought{open: []string{"<|channel>"}, close: []string{"<channel|>"}, label: "thought"}), dropping("<|tool_response>", "<turn|>"), acceptingJSON),
				define: func(tools []model.Tool) string { return declarations(tools, "<|tool>", "<tool|>", `<|"|>`) },
				calls: each("", func(c outgoing) string {
					return "<|tool_call>call:" + c.Name + bracedArguments(c, `<|"|>`) + "<tool_call|>"
				}), between: "",
				result: func(t Turn) string {
					return "<|tool_response>response:" + t.Name + `{value:<|"|>` + t.Text + `<|"|>}<tool_response|>`
				},
			}
		}),
	}
}

func pythonListText(calls []outgoing) string { return "[" + each(", ", pythonCallText)(calls) + "]" }

// toolCode is a call in a fence that is labelled tool_code, tool_call or json; print round it is taken off.
func toolCode() candidate {
	return candidate{kind: "tool_code", starts: "`", scan: func(r *reader) scanner {
		json := scanFence(r)
		var python pythonScan
		label, ticks, code := false, 0, false
		return scanFunc(func(body []byte) (verdict, int) {
			b := body[len(body)-1]
			if !label {
				if b == '\n' {
					label = true
					info := strings.TrimSpace(strings.TrimLeft(string(body), "`"))
					code = info == "tool_code" || info == "python"
				}
				if !label && len(body) <= len("```tool_code \n") && strings.HasPrefix("```tool_code \n```python \n", string(body[:min(3, len(body))])) {
					_, _ = json.next(body)
					return more, 0
				}
			}
			if !code {
				return json.next(body)
			}
			if python.next(b); python.quote != 0 || b != '`' {
				ticks = 0
				return more, 0
			}
			if ticks++; ticks == 3 {
				return whole, 0
			}
			return more, 0
		})
	}, read: func(r *reader, body string, final bool) ([]Event, bool) {
		info, inner, _ := strings.Cut(body, "\n")
		if info = strings.Trim(info, "` \t\r"); info != "tool_code" && info != "python" {
			return readFence(r, body, final)
		}
		inner = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(inner), "`"))
		if printed, found := strings.CutPrefix(inner, "print("); found {
			inner = strings.TrimSuffix(printed, ")")
		}
		drafts, ok := r.pythonCalls(inner)
		if !ok {
			return nil, false
		}
		var events []Event
		for _, d := range drafts {
			if r.catalog.resolve(d.name) == nil {
				return nil, false
			}
			d.raw = body
			events = append(events, r.event(d))
		}
		return events, true
	}}
}

// declarations writes the tools in the notation of the newer Gemmas: types in capitals, keys sorted.
func declarations(tools []model.Tool, open, closer, mark string) string {
	var out strings.Builder
	for _, t := range tools {
		out.WriteString(open + "declaration:" + t.Name + "{description:" + mark + t.Description + mark + ",parameters:" + declaredType(readSchema(t.Parameters), mark) + "}" + closer)
	}
	return out.String()
}
