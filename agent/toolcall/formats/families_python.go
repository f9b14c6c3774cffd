package formats

import (
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/envelope"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
)

// pythonFamilies write calls in Python's notation, or in Gemma's own.
func pythonFamilies() []entry {
	return []entry{
		familyEntry("pythonic", "a list of Python calls alone", []string{
			"D4", "llama4", "llama4_pythonic", "toolace", "watt-tool",
		}, family{
			grammar: grammar.New(
				[]grammar.Block{
					envelope.PythonTags([]string{"<|python_start|>"}, "<|python_end|>", "<|eom|>", "<|eot|>"),
				},
				grammar.Dropping("<|eom|>", "<|eot|>"),
				grammar.Accepting(envelope.PythonList(true)), grammar.AcceptingJSON,
			),
			define: defineWith(
				"The functions:\n", bareArray,
				"\nTo call functions, reply with nothing but [NAME(KEY=VALUE), ...].",
			),
			calls: pythonListText,
		}),
		familyEntry("lfm2", "Python calls between <|tool_call_start|> and its end", []string{
			"D5", "lfm2.5", "lfm2_5", "lfm2-thinking",
		}, family{
			grammar: grammar.New(
				[]grammar.Block{envelope.PythonTags([]string{"<|tool_call_start|>"}, "<|tool_call_end|>")},
				grammar.CallsEndThoughts,
				grammar.Accepting(envelope.PythonList(false)), grammar.AcceptingJSON,
			),
			define: defineWith(
				"List of tools: <|tool_list_start|>", bareArray,
				"<|tool_list_end|>\nCall tools like this: <|tool_call_start|>[NAME(KEY=VALUE)]<|tool_call_end|>",
			),
			calls: wrapped("<|tool_call_start|>", "<|tool_call_end|>", pythonListText), joined: true,
			result: inTags("<|tool_response_start|>", "<|tool_response_end|>"), role: model.RoleTool,
		}),
		familyEntry("olmo3", "Python calls, one per line, in <function_calls> tags", []string{
			"D6", "olmo-3", "olmo3-think",
		}, family{
			grammar: grammar.New(
				[]grammar.Block{envelope.PythonTags([]string{"<function_calls>"}, "</function_calls>")},
				grammar.Accepting(envelope.PythonList(false)), grammar.AcceptingJSON,
			),
			define: defineWith(
				"<functions>", bareArray,
				"</functions>\nCall functions like this: <function_calls>NAME(KEY=VALUE)</function_calls>",
			),
			calls: wrapped("<function_calls>", "</function_calls>", each("\n", pythonCallText)),
		}),
		familyEntry("gemma3", "a Python call in a tool_code fence, or JSON", []string{
			"D3", "gemma2", "gemma", "tool_code",
		}, family{
			grammar: grammar.New(
				nil, grammar.Accepting(envelope.ToolCode(), envelope.PythonList(false), grammar.BareJSON(true)),
			),
			define: defineWith(
				"You can call these functions:\n", bareArray, "\nTo call one, write a fence and stop; "+
					"the next message brings its result:\n```tool_code\nNAME(KEY=VALUE)\n```",
			),
			inUser: true,
			calls: func(calls []outgoing) string {
				return "```tool_code\n" + each("\n", pythonCallText)(calls) + "\n```"
			},
			result: inTags("```tool_output\n", "\n```"),
		}),
		familyEntry(Python, "a program of Python in a tool_code fence, which calls tools as functions", []string{
			"code", "code-mode",
		}, pythonProgram(envelope.ToolCodeFence)),
		familyEntry("functiongemma", "call:NAME{...} between <start_function_call> and its end", []string{
			"D1",
		}, family{
			grammar: grammar.New(
				[]grammar.Block{
					envelope.Braced{
						Open: "<start_function_call>", Closers: []string{"<end_function_call>"}, Mark: "<escape>",
					}.Block(),
				},
				grammar.Dropping("<start_function_response>"),
			),
			define: func(tools []model.Tool) string {
				return declarations(tools, "<start_function_declaration>", "<end_function_declaration>", "<escape>")
			},
			call: func(c outgoing) string {
				return "<start_function_call>call:" + c.Name + bracedArguments(c, "<escape>") +
					"<end_function_call>"
			},
			joined: true,
			result: func(t toolcall.Turn) string {
				return "<start_function_response>response:" + t.Name + "{value:<escape>" + t.Text +
					"<escape>}<end_function_response>"
			},
		}),
		familyEntry("gemma4", "call:NAME{...} between <|tool_call> and <tool_call|>", []string{
			"D2", "gemma4-no-thinking",
		}, family{
			grammar: grammar.New([]grammar.Block{
				envelope.Braced{Open: "<|tool_call>", Closers: []string{"<tool_call|>"}, Mark: `<|"|>`}.Block(),
			},
				grammar.WithThoughts(grammar.Thought{
					Open: []string{"<|channel>"}, Close: []string{"<channel|>"}, Label: "thought",
				}),
				grammar.Dropping("<|tool_response>", "<turn|>")),
			define: func(tools []model.Tool) string { return declarations(tools, "<|tool>", "<tool|>", `<|"|>`) },
			call: func(c outgoing) string {
				return "<|tool_call>call:" + c.Name + bracedArguments(c, `<|"|>`) + "<tool_call|>"
			},
			joined: true,
			result: func(t toolcall.Turn) string {
				return "<|tool_response>response:" + t.Name + `{value:<|"|>` + t.Text + `<|"|>}<tool_response|>`
			},
		}),
	}
}
