package formats

import (
	"strconv"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/envelope"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// headedFamilies write the name before a JSON object.
func headedFamilies() []entry {
	return []entry{
		familyEntry("mistral-json", "a JSON list after [TOOL_CALLS]", "A7 mistral-v3 mistral-nemo mixtral", family{
			grammar: mistralGrammar(),
			define: defineWith(
				"[AVAILABLE_TOOLS] ", fullArray,
				"[/AVAILABLE_TOOLS]\nCall tools like this: [TOOL_CALLS] [{\"name\": NAME, \"arguments\": {...}, "+
					"\"id\": ID}]",
			),
			calls: mistralCalls,
			result: func(t toolcall.Turn) string {
				return "[TOOL_RESULTS] {\"content\": " + t.Text + ", \"call_id\": " +
					string(values.Quote(t.CallID)) + "}[/TOOL_RESULTS]"
			},
		}),
		familyEntry("mistral-args", "[TOOL_CALLS]NAME[ARGS] and JSON", `
			A8 mistral mistral-v11 mistral-v13 ministral ministral_3 devstral magistral
		`, family{
			grammar: mistralGrammar(),
			define: defineWith(
				"[AVAILABLE_TOOLS]", fullArray,
				"[/AVAILABLE_TOOLS]\nCall tools like this: [TOOL_CALLS]NAME[ARGS]{...}",
			),
			call:   named("[TOOL_CALLS]", "[ARGS]", ""),
			joined: true, result: inTags("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
		}),
		familyEntry("functionary-v3.1", "JSON in <function=NAME> tags", `
			A13 functionary function-eq-json braintrust llama3-custom
		`, family{
			grammar: grammar.New([]grammar.Block{envelope.Headed{
				Open: []string{"<function="}, Closers: []string{"</function>", "<function>"},
				Stops: []string{"<function=", "<|eom_id|>", "<|eot_id|>"},
				Head:  envelope.Pattern(`^\s*NAME\s*>?`), Code: true,
			}.Block(), envelope.Headed{
				Open: []string{"<function("}, Closers: []string{"</function>"},
				Stops: []string{"<function(", "<|eot_id|>"}, Head: envelope.Pattern(`^\s*NAME\s*\)\s*>?`),
				Code: true,
			}.Block(), envelope.PythonTag()}),
			define: defineWith(
				"You can call these functions:\n", usageSentences,
				"\nCall a function like this: <function=NAME>{...}</function>",
			),
			call: named("<function=", ">", "</function>"),
		}),
		familyEntry("functionary-v2", "<|recipient|>NAME, <|content|> and JSON", "A15 functionary-v2.5", family{
			grammar: grammar.OneBlock(envelope.Headed{
				Open: []string{"<|recipient|>"}, Stops: []string{"<|stop|>", "<|from|>", "<|recipient|>"},
				Head: envelope.Pattern(`^\s*NAME\s*\n?<\|content\|>`), Code: true,
			}.WithText("all", "<|content|>"), grammar.Dropping("<|stop|>", "<|from|>assistant", "<|content|>")),
			define: defineWith(
				"// The functions that you can call.\n", typescript,
				"\nCall a function like this:\n<|recipient|>NAME\n<|content|>{...}",
			),
			calls: each("\n<|from|>assistant\n", named("<|recipient|>", "\n<|content|>", "")),
		}),
		familyEntry("functionary-v2-llama3", "<|reserved_special_token_249|>NAME and JSON", `
			functionary-llama3
		`, family{
			grammar: grammar.OneBlock(envelope.Headed{
				Open: []string{"<|reserved_special_token_249|>"}, Closers: []string{"<|eot_id|>"},
				Stops: []string{"<|reserved_special_token_249|>"},
				Head:  envelope.Pattern(`^\s*NAME\s*\n`), Code: true,
			}.WithText("all", "\n")),
			define: defineWith(
				"// The functions that you can call.\n", typescript,
				"\nCall a function like this:\n<|reserved_special_token_249|>NAME\n{...}",
			),
			call: func(c outgoing) string {
				if c.inJSON { // nothing closes the call, so a marker in a string would
					return "<|reserved_special_token_249|>" + c.Name + "\n" + c.object()
				}
				return "<|reserved_special_token_249|>" + c.Name + "\n" + values.Spaced(c.Arguments)
			},
			joined: true,
		}),
		familyEntry("functionary-v1", "NAME: and JSON between function-call markers", "", family{
			grammar: grammar.OneBlock(
				envelope.Headed{
					Open: []string{"<|START_OF_FUNCTION_CALL|>"}, Closers: []string{"<|END_OF_FUNCTION_CALL|>"},
					Head: envelope.Pattern(`^\s*(?P<name>\w[\w.\-]*)\s*:`),
				}.Block(),
			),
			define: defineWith(
				"// The functions that you can call.\n", typescript,
				"\nCall a function like this: <|START_OF_FUNCTION_CALL|>NAME:\n{...}<|END_OF_FUNCTION_CALL|>",
			),
			call: named("<|START_OF_FUNCTION_CALL|>", ":\n", "<|END_OF_FUNCTION_CALL|>"),
		}),
		familyEntry("functionary-v3.2", ">>>NAME and JSON", "A14 functionary_v3_2", family{
			grammar: recipientGrammar(),
			define: defineWith(
				"// The functions that you can call.\n", typescript,
				"\nStart every reply with its recipient: all for the user, or NAME for a function, "+
					"then a newline and the text or the JSON arguments; >>> begins the next.",
			),
			call:   named(">>>", "\n", ""),
			joined: true,
		}),
		familyEntry("deepseek-r1", "function, NAME and fenced JSON between DeepSeek's markers", `
			A19 deepseek deepseek_v3 deepseekv3 deepseek-v3 cogito
		`, family{
			grammar: deepseekGrammar(),
			define: defineWith(
				"You can call these tools:\n", fencedTools,
				"\nCall tools like this: <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\n"+
					"```json\n{...}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
			),
			calls: wrapped("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", each("\n", named(
				"<｜tool▁call▁begin｜>function<｜tool▁sep｜>", "\n```json\n", "\n```<｜tool▁call▁end｜>",
			))),
			joined: true,
			result: inTags(
				"<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>", "<｜tool▁output▁end｜><｜tool▁outputs▁end｜>",
			),
		}),
		familyEntry("deepseek-v3.1", "NAME and JSON between DeepSeek's markers", `
			A20 deepseek3 deepseek_v31 deepseekv31 deepseek31 deepseek-v3.2-exp
		`, family{
			grammar: deepseekGrammar(),
			define: defineWith(
				"## Tools\nYou can call these tools:\n\n", markdownTools,
				"\n\nCall tools like this: "+
					"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{...}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
			),
			calls: wrapped("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", each("", named(
				"<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>",
			))),
			joined: true, result: inTags("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
		}),
		familyEntry("kimi-k2", "functions.NAME:INDEX and JSON between Kimi's markers", `
			A21 kimi_k2 kimik2 kimi kimi-k2.5
		`, family{
			grammar: kimiGrammar(),
			define: defineWith(
				"The tools:\n", fullArray,
				"\nCall tools like this: "+
					"<|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{...}<|tool_call_end|><|tool_calls_section_end|>",
			),
			calls: func(calls []outgoing) string {
				parts := make([]string, len(calls))
				for i, c := range calls {
					parts[i] = "<|tool_call_begin|>" + kimiID(c, i) + "<|tool_call_argument_begin|>" +
						values.Spaced(c.Arguments) + "<|tool_call_end|>"
				}
				return "<|tool_calls_section_begin|>" + strings.Join(parts, "") + "<|tool_calls_section_end|>"
			},
			joined: true, result: func(t toolcall.Turn) string { return "## Return of " + t.CallID + "\n" + t.Text },
			role: model.RoleTool,
		}),
		familyEntry("inkling", "<|message_model|>NAME<|content_invoke_tool_json|> and JSON", "A22", family{
			grammar: inklingGrammar(),
			define: listed(
				"\nCall a tool like this: " +
					"<|message_model|>NAME<|content_invoke_tool_json|>{\"name\":NAME,\"args\":{...}}<|end_message|>",
			),
			call: func(c outgoing) string {
				return "<|message_model|>" + c.Name + "<|content_invoke_tool_json|>" + object(c.Call, "name", "args") +
					"<|end_message|>"
			},
			joined: true,
		}),
		familyEntry("glm4", "NAME on the first line, then JSON", "glm-4 glm4-0414 glm-4-9b", family{
			grammar: nameLineGrammar(),
			define: listed(
				"\nTo call one, reply with its name on the first line and its JSON arguments on the next.",
			),
			call: named("", "\n", ""),
		}),
		familyEntry("harmony", "channels; a call is a message to functions.NAME", `
			B1 gpt-oss gpt_oss openai openai_gptoss
		`, family{
			grammar: harmonyGrammar(),
			define: defineWith(
				"# Tools\n\n## functions\n\n", typescript,
				"\n\nCalls go to the commentary channel: <|channel|>commentary to=functions.NAME "+
					"<|constrain|>json<|message|>{...}<|call|>",
			),
			calls: each("<|start|>assistant", named(
				"<|channel|>commentary to=functions.", " <|constrain|>json<|message|>", "<|call|>",
			)),
			between: "<|end|><|start|>assistant",
			result:  quoted, role: model.RoleTool,
		}),
		familyEntry("react", "Action: NAME, Action Input: and JSON", "D11", family{
			grammar: reactGrammar(),
			define: defineWith(
				"The tools:\n", signatures,
				"To call one, write two lines and stop:\nAction: NAME\nAction Input: {...}\n"+
					"The next message brings the observation. When you know the answer: Final Answer: TEXT",
			),
			call:   named("Action: ", "\nAction Input: ", ""),
			result: inTags("Observation: ", ""),
		}),
		familyEntry("miro-mcp", "<use_mcp_tool> with the tool's name and JSON", "D8 mirothinker mcp-xml", family{
			grammar: grammar.OneBlock(
				envelope.Headed{
					Open: []string{"<use_mcp_tool>"}, Closers: []string{"</use_mcp_tool>"},
					Head: envelope.Pattern(`(?s)<tool_name>\s*NAME\s*</tool_name>.*<arguments>`),
				}.Block(),
			),
			define: defineWith(
				"The tools of the server \"local\":\n", bareLines,
				"\nCall a tool like this:\n<use_mcp_tool>\n<server_name>local</server_name>\n"+
					"<tool_name>NAME</tool_name>\n<arguments>\n{...}\n</arguments>\n</use_mcp_tool>",
			),
			call: named(
				"<use_mcp_tool>\n<server_name>local</server_name>\n<tool_name>", "</tool_name>\n<arguments>\n",
				"\n</arguments>\n</use_mcp_tool>",
			),
			result: result,
		}),
	}
}

func mistralCalls(calls []outgoing) string {
	parts := make([]string, len(calls))
	for i, c := range calls {
		id := c.ID
		if len(id) != 9 { // the template wants nine letters and digits
			id = "call" + strings.Repeat("0", 5-len(strconv.Itoa(i))) + strconv.Itoa(i)
		}
		parts[i] = "{\"name\": " + string(values.Quote(c.Name)) + ", \"arguments\": " + values.Spaced(c.Arguments) +
			", \"id\": " + string(values.Quote(id)) + "}"
	}
	return "[TOOL_CALLS] [" + strings.Join(parts, ", ") + "]"
}

func kimiID(c outgoing, index int) string {
	if strings.HasPrefix(c.ID, "functions.") {
		return c.ID
	}
	return "functions." + c.Name + ":" + strconv.Itoa(index)
}
