package formats

import (
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/envelope"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// jsonFamilies write calls as JSON objects between tags or after a marker; they differ in strings alone.
func jsonFamilies() []entry {
	return []entry{
		familyEntry("hermes", "JSON in <tool_call> tags", `
			A1 nous qwen qwen25 qwen2.5 qwen3 qwen3-thinking qwen3-vl qwen3-vl-instruct qwen3-vl-thinking
			ernie45 trinity granite4 smollm3 exaone4 athene
		`, family{
			grammar: grammar.OneBlock(envelope.JSONTags("<tool_call>", "</tool_call>"), grammar.CallsEndThoughts),
			define:  inToolTags("<tool_call>\n{\"name\": NAME, \"arguments\": {...}}\n</tool_call>"),
			call:    objectIn("<tool_call>\n", "\n</tool_call>", "name", "arguments"),
			result:  inTags("<tool_response>\n", "\n</tool_response>"),
		}),
		familyEntry("longcat", "JSON in <longcat_tool_call> tags", "A2", family{
			grammar: grammar.OneBlock(
				envelope.JSONTags("<longcat_tool_call>", "</longcat_tool_call>"),
				grammar.AlsoThoughts(grammar.Between("<longcat_think>", "</longcat_think>")),
			),
			define: inToolTags("<longcat_tool_call>\n{\"name\": NAME, \"arguments\": {...}}\n</longcat_tool_call>"),
			call:   objectIn("<longcat_tool_call>\n", "\n</longcat_tool_call>", "name", "arguments"),
			result: inTags("<longcat_tool_response>\n", "\n</longcat_tool_response>"),
		}),
		familyEntry("jamba", "a JSON list in <tool_calls> tags", "A3 tool_calls", family{
			grammar: grammar.OneBlock(envelope.JSONTags("<tool_calls>", "</tool_calls>")),
			define:  inToolTags("<tool_calls>[{\"name\": NAME, \"arguments\": {...}}]</tool_calls>"),
			calls:   wrapped("<tool_calls>", "</tool_calls>", list("name", "arguments")),
		}),
		familyEntry("hunyuan", "a JSON list in <tool_calls> tags, the answer in <answer>", `
			hunyuan_a13b hunyuan-a13b
		`, family{
			grammar: grammar.OneBlock(
				envelope.JSONTags("<tool_calls>", "</tool_calls>"),
				grammar.Dropping("<answer>", "</answer>"),
			),
			define: inToolTags("<tool_calls>[{\"name\": NAME, \"arguments\": {...}}]</tool_calls>"),
			calls:  wrapped("<tool_calls>", "</tool_calls>", list("name", "arguments")),
		}),
		familyEntry("apriel", "a JSON list in <tool_calls> tags, the answer after [BEGIN FINAL RESPONSE]", `
			apriel-1.5 apriel-1.6
		`, family{
			grammar: grammar.OneBlock(envelope.JSONTags("<tool_calls>", "</tool_calls>"), grammar.AlsoThoughts(
				grammar.Thought{Close: []string{"[BEGIN FINAL RESPONSE]"}, Breaks: true},
			),
				grammar.Dropping("[END FINAL RESPONSE]")),
			define: defineWith(
				"<available_tools>", fullArray,
				"</available_tools>\nCall a tool like this: <tool_calls>[{\"name\": NAME, \"arguments\": "+
					"{...}}]</tool_calls>",
			),
			calls: wrapped("<tool_calls>", "</tool_calls>", list("name", "arguments")),
		}),
		familyEntry("minimax-m1", "JSON lines in <tool_calls> tags", "minimax", family{
			grammar: grammar.OneBlock(envelope.JSONTags("<tool_calls>", "</tool_calls>")),
			define:  inToolTags("<tool_calls>\n{\"name\": NAME, \"arguments\": {...}}\n</tool_calls>"),
			calls:   wrapped("<tool_calls>\n", "\n</tool_calls>", objects("\n", "name", "arguments")),
			result:  inTags("tool result: ", ""),
			role:    model.RoleTool,
		}),
		familyEntry("nemotron-v2", "a JSON list in <TOOLCALL> tags", `
			A4 TOOLCALL nemotron_json nemotron-nano-v2
		`, family{
			grammar: grammar.OneBlock(
				envelope.JSONTags("<TOOLCALL>", "</TOOLCALL>"), grammar.Dropping("<SPECIAL_12>"),
				grammar.CallsEndThoughts,
			),
			define: defineWith(
				"<AVAILABLE_TOOLS>", bareArray,
				"</AVAILABLE_TOOLS>\nCall a tool like this: <TOOLCALL>[{\"name\": NAME, \"arguments\": "+
					"{...}}]</TOOLCALL>",
			),
			calls: wrapped("<TOOLCALL>", "</TOOLCALL>", list("name", "arguments")),
			result: func(t toolcall.Turn) string {
				return "<TOOL_RESPONSE>[" + string(values.Quote(t.Text)) + "]</TOOL_RESPONSE>"
			},
		}),
		familyEntry("nemotron-mini", "JSON in <toolcall> tags", "", family{
			grammar: grammar.OneBlock(envelope.JSONTags("<toolcall>", "</toolcall>")),
			define: defineWith(
				"<tool>", bareLines,
				"</tool>\nCall a tool like this: <toolcall>{\"name\": NAME, \"arguments\": {...}}</toolcall>",
			),
			call: objectIn("<toolcall> ", " </toolcall>", "name", "arguments"),
		}),
		familyEntry("onyx", "JSON in <tool> tags", "A25", family{
			grammar: grammar.OneBlock(envelope.JSONTags("<tool>", "</tool>")),
			define:  listed("\nCall a tool like this: <tool>{\"name\": NAME, \"arguments\": {...}}</tool>"),
			call:    objectIn("<tool>", "</tool>", "name", "arguments"),
			result:  result,
		}),
		familyEntry("granite3", "a JSON list after <|tool_call|>", "A5 granite granite3.0 granite3.3", family{
			grammar: grammar.OneBlock(
				envelope.JSONRun("[{", "<|tool_call|>", "<tool_call>"),
				grammar.Dropping("</tool_call>", "<response>", "</response>", "<|end_of_text|>"),
			),
			define: defineWith(
				"The available tools:\n", indentedArray,
				"\nCall tools like this: <|tool_call|>[{\"name\": NAME, \"arguments\": {...}}]",
			),
			calls: wrapped("<|tool_call|>", "", list("name", "arguments")),
		}),
		familyEntry("granite-20b-fc", "JSON after <function_call>, once per call", `
			A6 granite-20b-functioncalling
		`, family{
			grammar: grammar.OneBlock(
				envelope.JSONRun("{", "<function_call>"), grammar.Dropping("</function_call>"),
			),
			define: defineWith(
				"The available functions:\n", bareLines,
				"\nCall a function like this: <function_call> {\"name\": NAME, \"arguments\": {...}}",
			),
			call: objectIn("<function_call> ", "", "name", "arguments"),
		}),
		familyEntry("functools", "a JSON list after functools", `
			A9 phi4-mini phi4_mini_json phi-4 phi4 firefunction firefunction-v2
		`, family{
			grammar: grammar.OneBlock(
				envelope.JSONRun("[", "functools", "<|tool_call|>"),
				grammar.Dropping("<|/tool_call|>"),
			),
			define: defineWith(
				"<|tool|>", bareArray,
				"<|/tool|>\nCall tools like this: functools[{\"name\": NAME, \"arguments\": {...}}]",
			),
			calls: wrapped("functools", "", list("name", "arguments")),
		}),
		familyEntry("internlm2", "JSON between <|action_start|><|plugin|> and <|action_end|>", `
			A10 internlm internlm3 interns1 intern-s1
		`, family{
			grammar: grammar.New([]grammar.Block{
				envelope.JSONTags("<|action_start|><|plugin|>", "<|action_end|>"),
				envelope.JSONTags("<|action_start|> <|plugin|>", "<|action_end|>"),
				envelope.CodeBlock("<|action_start|><|interpreter|>", "<|action_end|>"),
				envelope.CodeBlock("<|action_start|> <|interpreter|>", "<|action_end|>"),
			}),
			define: defineWith(
				"The plugins:\n", bareArray,
				"\nCall a plugin like this: <|action_start|><|plugin|>\n"+
					"{\"name\": NAME, \"parameters\": {...}}<|action_end|>",
			),
			call: objectIn("<|action_start|><|plugin|>\n", "<|action_end|>", "name", "parameters"),
		}),
		familyEntry("gigachat3", "JSON after <|function_call|>", "A11 gigachat3.1 gigachat_v3", family{
			grammar: grammar.OneBlock(
				envelope.JSONRun("{", "<|function_call|>", "function call<|role_sep|>"),
				grammar.Dropping("<|message_sep|>", "<|role_sep|>"),
			),
			define: defineWith(
				"The functions:\n", typescript,
				"\nCall a function like this: <|function_call|>{\"name\": NAME, \"arguments\": {...}}",
			),
			call: objectIn("<|function_call|>", "", "name", "arguments"),
		}),
		familyEntry("apertus", "a JSON list of {NAME: arguments} between <|tools_prefix|> and <|tools_suffix|>", `
			A16 apertus2509
		`, family{
			grammar: grammar.OneBlock(grammar.Block{
				Open: []string{"<|tools_prefix|>"}, Closers: []string{"<|tools_suffix|>"},
				Scan: envelope.ScanTagged([]string{"<|tools_suffix|>"}, nil, "[{"),
				Read: envelope.ReadNamedObjects("<|tools_suffix|>"),
			},
				grammar.AlsoThoughts(
					grammar.Thought{
						Open: []string{"<|inner_prefix|>"}, Close: []string{"<|inner_suffix|>"}, Greedy: true,
						Resumes: true,
					},
				),
				grammar.Dropping("<|assistant_end|>")),
			define: defineWith(
				"", typescript, "\nCall tools like this: <|tools_prefix|>[{NAME: {...}}]<|tools_suffix|>",
			),
			calls: wrapped("<|tools_prefix|>[", "]<|tools_suffix|>", each(", ", func(c outgoing) string {
				return "{" + string(values.Quote(c.Name)) + ": " + values.Spaced(c.Arguments) + "}"
			})),
			joined: true, result: inTags("[", "]"),
		}),
		familyEntry("cohere-action", "a JSON list between <|START_ACTION|> and <|END_ACTION|>", `
			A17 cohere cohere_command3 cohere_command4 cohere2moe command-r7b command-a
		`, family{
			grammar: grammar.OneBlock(envelope.JSONTags("<|START_ACTION|>", "<|END_ACTION|>"),
				grammar.WithThoughts(grammar.Thought{
					Open: []string{"<|START_THINKING|>"}, Close: []string{"<|END_THINKING|>"}, Breaks: true,
				}),
				grammar.Dropping(
					"<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>",
					"<|END_OF_TURN_TOKEN|>",
				)),
			define: defineWith(
				"## Available Tools\n```json\n", cohereTools,
				"\n```\nCall tools like this: <|START_ACTION|>[{\"tool_call_id\": \"0\", \"tool_name\": NAME, "+
					"\"parameters\": {...}}]<|END_ACTION|>",
			),
			calls: cohereCalls, joined: true, result: cohereResult,
		}),
		familyEntry("command-r", "a fenced JSON list after Action:", "A18 command-r-plus", family{
			grammar: grammar.New([]grammar.Block{
				{Open: []string{"Action:"}, Scan: scanAction, Read: readAction, BeginsLine: true}, citation(),
			},
				grammar.Dropping(
					"<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<|START_RESPONSE|>",
					"<|END_RESPONSE|>",
				)),
			define: defineWith(
				"## Available Tools\n```python\n", pythonStubs,
				"\n```\nCall tools like this:\nAction:\n```json\n[{\"tool_name\": NAME, \"parameters\": {...}}]\n"+
					"```",
			),
			calls:  wrapped("Action:\n```json\n", "\n```", list("tool_name", "parameters")),
			result: inTags("<results>\n", "\n</results>"),
		}),
		familyEntry("llama3-json", "JSON alone, with parameters", `
			A12 llama llama3 llama3_json llama4_json llama3.1 llama3.2 llama3.3
		`, family{
			grammar: grammar.OneBlock(
				envelope.PythonTag(),
				grammar.Accepting(grammar.BareJSON(true), grammar.FencedJSON()),
			),
			define: defineWith(
				"You can call these functions:\n", indentedTools,
				"\nTo call one, reply with nothing but {\"name\": NAME, \"parameters\": {...}}.",
			),
			inUser: true, calls: objects("; ", "name", "parameters"),
			result: quoted, role: model.RoleTool,
		}),
		familyEntry("xlam", "a JSON list alone", "A23 hammer llama-xlam", family{
			grammar: grammar.New(
				[]grammar.Block{
					envelope.JSONRun("[{", "[TOOL_CALLS]"), envelope.JSONTags("<tool_call>", "</tool_call>"),
				},
				grammar.Accepting(grammar.BareJSON(true), grammar.FencedJSON()),
			),
			define: defineWith(
				"The tools:\n", bareArray,
				"\nTo call tools, reply with nothing but [{\"name\": NAME, \"arguments\": {...}}].",
			),
			calls: list("name", "arguments"),
		}),
		familyEntry("sarashina", "a Python list of dicts after <|tool_calls|>", "A24", family{
			grammar: grammar.OneBlock(
				grammar.Block{Open: []string{"<|tool_calls|>"}, Scan: envelope.ScanPythonValue, Read: envelope.ReadTagged()},
				grammar.Accepting(
					grammar.Candidate{
						Kind: "dicts", Starts: "[", Scan: grammar.Gated(envelope.ScanPythonValue),
						Read: grammar.ReadCandidate,
					},
					grammar.BareJSON(false), grammar.FencedJSON(),
				),
			),
			define: defineWith(
				"The tools:\n", bareArray,
				"\nCall tools like this: <|tool_calls|>[{'name': NAME, 'arguments': {...}}]",
			),
			calls: func(c []outgoing) string {
				return "<|tool_calls|>" + values.PythonValue([]byte(list("name", "arguments")(c)))
			},
		}),
		familyEntry("llama.cpp-generic", "the whole reply is {\"tool_call\": ...} or {\"response\": ...}", `
			A26 generic
		`, family{
			answers: true,
			grammar: grammar.New(nil, grammar.Accepting(grammar.BareJSON(true), grammar.FencedJSON())),
			define: listed(
				"\nReply with JSON: {\"tool_call\": {\"name\": NAME, \"arguments\": {...}}}, or in plain words.",
			),
			call:   objectIn("{\"tool_call\": ", "}", "name", "arguments"),
			result: result,
		}),
	}
}
