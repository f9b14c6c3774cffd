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
		familyEntry("pythonic", "a list of Python calls alone", "D4 llama4 llama4_pythonic toolace watt-tool", family{
			grammar: grammar.OneBlock(
				envelope.PythonTags([]string{"<|python_start|>"}, "<|python_end|>", "<|eom|>", "<|eot|>"),
				grammar.Dropping("<|eom|>", "<|eot|>"),
				grammar.Accepting(envelope.PythonList(true)), grammar.AcceptingJSON,
			),
			define: defineWith(
				"The functions:\n", bareArray,
				"\nTo call functions, reply with nothing but [NAME(KEY=VALUE), ...].",
			),
			calls: pythonListText,
		}),
		familyEntry("lfm2", "Python calls between <|tool_call_start|> and its end", `
			D5 lfm2.5 lfm2_5 lfm2-thinking
		`, family{
			grammar: grammar.OneBlock(
				envelope.PythonTags([]string{"<|tool_call_start|>"}, "<|tool_call_end|>"),
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
		familyEntry("olmo3", "Python calls, one per line, in <function_calls> tags", "D6 olmo-3 olmo3-think", family{
			grammar: grammar.OneBlock(
				envelope.PythonTags([]string{"<function_calls>"}, "</function_calls>"),
				grammar.Accepting(envelope.PythonList(false)), grammar.AcceptingJSON,
			),
			define: defineWith(
				"<functions>", bareArray,
				"</functions>\nCall functions like this: <function_calls>NAME(KEY=VALUE)</function_calls>",
			),
			calls: wrapped("<function_calls>", "</function_calls>", each("\n", pythonCallText)),
		}),
		familyEntry("gemma3", "a Python call in a tool_code fence, or JSON", "D3 gemma2 gemma tool_code", family{
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
		familyEntry(Python, "a program of Python in a tool_code fence, which calls tools as functions", `
			code code-mode
		`, pythonProgram(envelope.ToolCodeFence)),
		familyEntry("functiongemma", "call:NAME{...} between <start_function_call> and its end", "D1", braced(
			"<escape>", tagPair{"<start_function_call>", "<end_function_call>"},
			tagPair{"<start_function_declaration>", "<end_function_declaration>"},
			tagPair{"<start_function_response>", "<end_function_response>"},
			grammar.Dropping("<start_function_response>"),
		)),
		familyEntry("gemma4", "call:NAME{...} between <|tool_call> and <tool_call|>", "D2 gemma4-no-thinking", braced(
			`<|"|>`, tagPair{"<|tool_call>", "<tool_call|>"}, tagPair{"<|tool>", "<tool|>"},
			tagPair{"<|tool_response>", "<tool_response|>"},
			grammar.WithThoughts(grammar.Thought{
				Open: []string{"<|channel>"}, Close: []string{"<channel|>"}, Label: "thought",
			}),
			grammar.Dropping("<|tool_response>", "<turn|>"),
		)),
	}
}

type tagPair struct{ open, closer string }

// braced is the notation of the newer Gemmas, with strings between marks.
func braced(mark string, call, declaration, response tagPair, with ...func(*grammar.Grammar)) family {
	block := envelope.Braced{Open: call.open, Closers: []string{call.closer}, Mark: mark}.Block()
	return family{
		grammar: grammar.OneBlock(block, with...),
		define: func(tools []model.Tool) string {
			return declarations(tools, declaration.open, declaration.closer, mark)
		},
		call: func(c outgoing) string {
			return call.open + "call:" + c.Name + bracedArguments(c, mark) + call.closer
		},
		joined: true,
		result: func(t toolcall.Turn) string {
			return response.open + "response:" + t.Name + "{value:" + mark + t.Text + mark + "}" + response.closer
		},
	}
}
