package toolcall

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/assent-ls/assent/agent/model"
)

// headedFamilies write the name before a JSON object.
func headedFamilies() []entry {
	return []entry{
		known("mistral-json", "a JSON list after [TOOL_CALLS]", []string{"A7", "mistral-v3", "mistral-nemo", "mixtral"}, func() family {
			return family{
				grammar: mistralGrammar(),
				define:  defineWith("[AVAILABLE_TOOLS] ", fullArray, "[/AVAILABLE_TOOLS]\nCall tools like this: [TOOL_CALLS] [{\"name\": NAME, \"arguments\": {...}, \"id\": ID}]"),
				calls:   mistralCalls, between: "\n",
				result: func(t Turn) string {
					return "[TOOL_RESULTS] {\"content\": " + t.Text + ", \"call_id\": " + string(quote(t.CallID)) + "}[/TOOL_RESULTS]"
				},
			}
		}),
		known("mistral-args", "[TOOL_CALLS]NAME[ARGS] and JSON", []string{"A8", "mistral", "mistral-v11", "mistral-v13", "ministral", "ministral_3", "devstral", "magistral"}, func() family {
			return family{
				grammar: mistralGrammar(),
				define:  defineWith("[AVAILABLE_TOOLS]", fullArray, "[/AVAILABLE_TOOLS]\nCall tools like this: [TOOL_CALLS]NAME[ARGS]{...}"),
				calls:   each("", func(c outgoing) string { return "[TOOL_CALLS]" + c.Name + "[ARGS]" + spaced(c.Arguments) }), between: "", result: inTags("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
			}
		}),
		known("functionary-v3.1", "JSON in <function=NAME> tags", []string{"A13", "functionary", "function-eq-json", "braintrust", "llama3-custom"}, func() family {
			return family{
				grammar: tongue([]block{headed{
					open: []string{"<function="}, closers: []string{"</function>", "<function>"}, stops: []string{"<function=", "<|eom_id|>", "<|eot_id|>"},
					head: pattern(`^\s*NAME\s*>?`), code: true,
				}.block(), headed{open: []string{"<function("}, closers: []string{"</function>"}, stops: []string{"<function(", "<|eot_id|>"}, head: pattern(`^\s*NAME\s*\)\s*>?`), code: true}.block(), pythonTag()}, acceptingJSON),
				define: defineWith("You can call these functions:\n", usedTo, "\nCall a function like this: <function=NAME>{...}</function>"),
				calls:  each("\n", func(c outgoing) string { return "<function=" + c.Name + ">" + spaced(c.Arguments) + "</function>" }), between: "\n", result: plain, role: model.RoleTool,
			}
		}),
		known("functionary-v2", "<|recipient|>NAME, <|content|> and JSON", []string{"A15", "functionary-v2.5"}, func() family {
			return family{
				grammar: tongue([]block{headed{
					open: []string{"<|recipient|>"}, stops: []string{"<|stop|>", "<|from|>", "<|recipient|>"},
					head: pattern(`^\s*NAME\s*\n?<\|content\|>`), code: true, then: nil,
				}.withText("all", "<|content|>")}, dropping("<|stop|>", "<|from|>assistant", "<|content|>"), acceptingJSON),
				define: defineWith("// The functions that you can call.\n", typescript, "\nCall a function like this:\n<|recipient|>NAME\n<|content|>{...}"),
				calls:  each("\n<|from|>assistant\n", func(c outgoing) string { return "<|recipient|>" + c.Name + "\n<|content|>" + spaced(c.Arguments) }), between: "\n", result: plain, role: model.RoleTool,
			}
		}),
		known("functionary-v2-llama3", "<|reserved_special_token_249|>NAME and JSON", []string{"functionary-llama3"}, func() family {
			return family{
				grammar: tongue([]block{headed{
					open: []string{"<|reserved_special_token_249|>"}, closers: []string{"<|eot_id|>"}, stops: []string{"<|reserved_special_token_249|>"},
					head: pattern(`^\s*NAME\s*\n`), code: true,
				}.withText("all", "\n")}, acceptingJSON),
				define: defineWith("// The functions that you can call.\n", typescript, "\nCall a function like this:\n<|reserved_special_token_249|>NAME\n{...}"),
				calls: each("", func(c outgoing) string {
					if c.inJSON { // nothing closes the call, so a marker in a string would
						return "<|reserved_special_token_249|>" + c.Name + "\n" + c.object()
					}
					return "<|reserved_special_token_249|>" + c.Name + "\n" + spaced(c.Arguments)
				}), between: "", result: plain, role: model.RoleTool,
			}
		}),
		known("functionary-v1", "NAME: and JSON between function-call markers", nil, func() family {
			return family{
				grammar: tongue([]block{headed{open: []string{"<|START_OF_FUNCTION_CALL|>"}, closers: []string{"<|END_OF_FUNCTION_CALL|>"}, head: pattern(`^\s*(?P<name>\w[\w.\-]*)\s*:`)}.block()}, acceptingJSON),
				define:  defineWith("// The functions that you can call.\n", typescript, "\nCall a function like this: <|START_OF_FUNCTION_CALL|>NAME:\n{...}<|END_OF_FUNCTION_CALL|>"),
				calls: each("\n", func(c outgoing) string {
					return "<|START_OF_FUNCTION_CALL|>" + c.Name + ":\n" + spaced(c.Arguments) + "<|END_OF_FUNCTION_CALL|>"
				}), between: "\n", result: plain, role: model.RoleTool,
			}
		}),
		known("functionary-v3.2", ">>>NAME and JSON", []string{"A14", "functionary_v3_2"}, func() family {
			return family{
				grammar: recipientGrammar(),
				define:  defineWith("// The functions that you can call.\n", typescript, "\nStart every reply with its recipient: all for the user, or NAME for a function, then a newline and the text or the JSON arguments; >>> begins the next."),
				calls:   each("", func(c outgoing) string { return ">>>" + c.Name + "\n" + spaced(c.Arguments) }), between: "", result: plain, role: model.RoleTool,
			}
		}),
		known("deepseek-r1", "function, NAME and fenced JSON between DeepSeek's markers", []string{"A19", "deepseek", "deepseek_v3", "deepseekv3", "deepseek-v3", "cogito"}, func() family {
			return family{
				grammar: deepseekGrammar(),
				define:  defineWith("You can call these tools:\n", fencedTools, "\nCall tools like this: <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\n```json\n{...}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"),
				calls: wrapped("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", each("\n", func(c outgoing) string {
					return "<｜tool▁call▁begin｜>function<｜tool▁sep｜>" + c.Name + "\n```json\n" + spaced(c.Arguments) + "\n```<｜tool▁call▁end｜>"
				})), between: "", result: inTags("<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>", "<｜tool▁output▁end｜><｜tool▁outputs▁end｜>"),
			}
		}),
		known("deepseek-v3.1", "NAME and JSON between DeepSeek's markers", []string{"A20", "deepseek3", "deepseek_v31", "deepseekv31", "deepseek31", "deepseek-v3.2-exp"}, func() family {
			return family{
				grammar: deepseekGrammar(),
				define:  defineWith("## Tools\nYou can call these tools:\n\n", markdownTools, "\n\nCall tools like this: <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{...}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"),
				calls: wrapped("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", each("", func(c outgoing) string {
					return "<｜tool▁call▁begin｜>" + c.Name + "<｜tool▁sep｜>" + spaced(c.Arguments) + "<｜tool▁call▁end｜>"
				})), between: "", result: inTags("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
			}
		}),
		known("kimi-k2", "functions.NAME:INDEX and JSON between Kimi's markers", []string{"A21", "kimi_k2", "kimik2", "kimi", "kimi-k2.5"}, func() family {
			return family{
				grammar: kimiGrammar(),
				define:  defineWith("The tools:\n", fullArray, "\nCall tools like this: <|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{...}<|tool_call_end|><|tool_calls_section_end|>"),
				calls: func(calls []outgoing) string {
					parts := make([]string, len(calls))
					for i, c := range calls {
						parts[i] = "<|tool_call_begin|>" + kimiID(c, i) + "<|tool_call_argument_begin|>" + spaced(c.Arguments) + "<|tool_call_end|>"
					}
					return "<|tool_calls_section_begin|>" + strings.Join(parts, "") + "<|tool_calls_section_end|>"
				}, between: "", result: func(t Turn) string { return "## Return of " + t.CallID + "\n" + t.Text }, role: model.RoleTool,
			}
		}),
		known("inkling", "<|message_model|>NAME<|content_invoke_tool_json|> and JSON", []string{"A22"}, func() family {
			return family{
				grammar: inklingGrammar(),
				define:  defineWith("The tools:\n", bareLines, "\nCall a tool like this: <|message_model|>NAME<|content_invoke_tool_json|>{\"name\":NAME,\"args\":{...}}<|end_message|>"),
				calls: each("", func(c outgoing) string {
					return "<|message_model|>" + c.Name + "<|content_invoke_tool_json|>" + object(c, "name", "args") + "<|end_message|>"
				}), between: "", result: plain, role: model.RoleTool,
			}
		}),
		known("glm4", "NAME on the first line, then JSON", []string{"glm-4", "glm4-0414", "glm-4-9b"}, func() family {
			return family{
				grammar: nameLineGrammar(),
				define:  defineWith("The tools:\n", bareLines, "\nTo call one, reply with its name on the first line and its JSON arguments on the next."),
				calls:   each("\n", func(c outgoing) string { return c.Name + "\n" + spaced(c.Arguments) }), between: "\n", result: plain, role: model.RoleTool,
			}
		}),
		known("harmony", "channels; a call is a message to functions.NAME", []string{"B1", "gpt-oss", "gpt_oss", "openai", "openai_gptoss"}, func() family {
			return family{
				grammar: harmonyGrammar(),
				define:  defineWith("# Tools\n\n## functions\n\n", typescript, "\n\nCalls go to the commentary channel: <|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{...}<|call|>"),
				calls: each("<|start|>assistant", func(c outgoing) string {
					return "<|channel|>commentary to=functions." + c.Name + " <|constrain|>json<|message|>" + spaced(c.Arguments) + "<|call|>"
				}), between: "<|end|><|start|>assistant", result: func(t Turn) string { return string(quote(t.Text)) }, role: model.RoleTool,
			}
		}),
		known("react", "Action: NAME, Action Input: and JSON", []string{"D11"}, func() family {
			return family{
				grammar: reactGrammar(),
				define:  defineWith("The tools:\n", signaturesOf, "To call one, write two lines and stop:\nAction: NAME\nAction Input: {...}\nThe next message brings the observation. When you know the answer: Final Answer: TEXT"),
				calls:   each("\n", func(c outgoing) string { return "Action: " + c.Name + "\nAction Input: " + spaced(c.Arguments) }), between: "\n", result: func(t Turn) string { return "Observation: " + t.Text },
			}
		}),
		known("miro-mcp", "<use_mcp_tool> with the tool's name and JSON", []string{"D8", "mirothinker", "mcp-xml"}, func() family {
			return family{
				grammar: tongue([]block{headed{open: []string{"<use_mcp_tool>"}, closers: []string{"</use_mcp_tool>"}, head: pattern(`(?s)<tool_name>\s*NAME\s*</tool_name>.*<arguments>`)}.block()}, acceptingJSON),
				define:  defineWith("The tools of the server \"local\":\n", bareLines, "\nCall a tool like this:\n<use_mcp_tool>\n<server_name>local</server_name>\n<tool_name>NAME</tool_name>\n<arguments>\n{...}\n</arguments>\n</use_mcp_tool>"),
				calls: each("\n", func(c outgoing) string {
					return "<use_mcp_tool>\n<server_name>local</server_name>\n<tool_name>" + c.Name + "</tool_name>\n<arguments>\n" + spaced(c.Arguments) + "\n</arguments>\n</use_mcp_tool>"
				}), between: "\n", result: result,
			}
		}),
	}
}

func signaturesOf(tools []model.Tool) string { return signatures(tools) }

// usedTo introduces each function with a sentence, as Llama's custom format does.
func usedTo(tools []model.Tool) string {
	parts := make([]string, len(tools))
	for i, t := range tools {
		parts[i] = "Use the function '" + t.Name + "' to '" + oneLine(t.Description) + "'\n" + toolJSON(t, false)
	}
	return strings.Join(parts, "\n\n")
}

func mistralCalls(calls []outgoing) string {
	parts := make([]string, len(calls))
	for i, c := range calls {
		id := c.ID
		if len(id) != 9 { // the template wants nine letters and digits
			id = "call" + strings.Repeat("0", 5-len(strconv.Itoa(i))) + strconv.Itoa(i)
		}
		parts[i] = "{\"name\": " + string(quote(c.Name)) + ", \"arguments\": " + spaced(c.Arguments) + ", \"id\": " + string(quote(id)) + "}"
	}
	return "[TOOL_CALLS] [" + strings.Join(parts, ", ") + "]"
}

func kimiID(c outgoing, index int) string {
	if strings.HasPrefix(c.ID, "functions.") {
		return c.ID
	}
	return "functions." + c.Name + ":" + strconv.Itoa(index)
}

// mistralGrammar reads both notations, since servers mix them: JSON after the marker, or NAME[ARGS]{json}.
func mistralGrammar() func() *grammar {
	args := headed{open: []string{"[TOOL_CALLS]"}, head: pattern(`^\s*NAME\s*(?:\[CALL_ID\](?P<id>[^\[{]*))?(?:\[ARGS\])?\s*$`)}
	b := args.block()
	scan := b.scan
	b.scan = func(r *reader) scanner {
		named, listed := scan(r), scanJSONs("[{")(r)
		var first byte
		chosen := func() scanner {
			if first == '[' || first == '{' {
				return listed
			}
			return named
		}
		return skipping{heed: func() *byteSet { return chosen().heeds() }, scanFunc: func(body []byte) (verdict, int) {
			if last := body[len(body)-1]; first == 0 && !isSpace(last) {
				first = last
			}
			if first == 0 {
				return more, 0
			}
			return chosen().next(body)
		}}
	}
	b.read = func(r *reader, f found) ([]Event, bool) {
		if inside := bytes.TrimSpace(f.body); len(inside) > 0 && (inside[0] == '[' || inside[0] == '{') {
			raw, body := f.text()
			return r.jsonCalls(raw, strings.TrimSpace(body), f.final), true
		}
		return args.read(r, f)
	}
	return tongue([]block{b}, thinkingAs(between("[THINK]", "[/THINK]"), think()), dropping("[/TOOL_CALLS]"), acceptingJSON)
}

// deepseekGrammar reads both generations: function, separator, NAME and a fence; or NAME, separator and JSON.
func deepseekGrammar() func() *grammar {
	ends := variants("<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>")
	begins := variants("<｜tool▁call▁begin｜>")
	h := headed{
		open: begins, closers: ends, stops: append(begins, variants("<｜tool▁outputs▁begin｜>", "<｜end▁of▁sentence｜>")...), code: true,
		head: pattern(`^\s*(?:function\s*<[|｜]tool[▁_]sep[|｜]>)?\s*NAME\s*(?:` + "```" + `(?:json|python)?|<[|｜]tool[▁_]sep[|｜]>|$)`),
	}
	return tongue([]block{h.block(), silent("<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"), silent("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>")},
		breaking, sections(variants("<｜tool▁calls▁begin｜>")...), dropping(variants("<｜end▁of▁sentence｜>")...), acceptingJSON)
}

func kimiGrammar() func() *grammar {
	ends := []string{"<|tool_call_end|>", "<|tool_calls_section_end|>", "<|tool_call_section_end|>"}
	h := headed{
		open: []string{"<|tool_call_begin|>"}, closers: ends, stops: []string{"<|tool_call_begin|>", "<|im_end|>"},
		head: pattern(`^\s*(?P<id>NAME)\s*<\|tool_call_argument_begin\|>`),
	}
	return tongue([]block{h.block()}, func(g *grammar) {
		g.thoughts = append(thoughts(true), thought{open: []string{"◁think▷"}, close: []string{"◁/think▷"}, breaks: true})
	}, sections("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"), acceptingJSON)
}

func reactGrammar() func() *grammar {
	h := headed{open: []string{"Action:"}, stops: nil, head: pattern(`^[ \t]*NAME[ \t]*\n+[ \t]*Action Input:\s*` + "(?:```(?:json)?\\s*)?" + `$`)}
	action := h.block()
	action.line = true
	return tongue([]block{action, silentRest("Observation:")}, dropping("Final Answer:"), acceptingJSON)
}

// silentRest drops everything after a marker that begins a line behind a call: results that the model made up.
func silentRest(open string) block {
	return block{open: []string{open}, line: true, rest: true, scan: func(*reader) scanner { return scanFunc(func([]byte) (verdict, int) { return more, 0 }) }}
}
