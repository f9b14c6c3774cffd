package toolcall

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/assent-ls/assent/agent/model"
)

// The tags of arguments that several families share.
func parameterEquals() *regexp.Regexp {
	return regexp.MustCompile(`<\s*parameter\s*=\s*(?P<key>[^>\n]+?)\s*>`)
}

func parameterName(tag string) *regexp.Regexp {
	return regexp.MustCompile(`<\s*` + tag + `\s+name\s*=\s*["']?(?P<key>[^"'>\n]+?)["']?\s*(?:string\s*=\s*["']?(?P<string>true|false)["']?\s*)?>`)
}

func argKey() *regexp.Regexp {
	return regexp.MustCompile(`<arg_key>\s*(?P<key>[^<\n]+?)\s*(?:</arg_key>|</arg_value>)?\s*(?:<arg_type>\s*(?P<type>[^<\n]*?)\s*</arg_type>\s*)?(?:<arg_value>)`)
}

// taggedFamilies write arguments as tagged text.
func taggedFamilies() []entry {
	qwen := equalsTags("<tool_call>", "</tool_call>")
	return []entry{
		known("qwen3-coder", "<function=NAME> and <parameter=KEY> in <tool_call> tags", []string{
			"C1", "qwen_xml", "qwen_coder", "qwen3_coder", "qwen3_xml", "qwen3.5", "qwen3.6", "nemotron-3", "nemotron-3-nano", "nemotron-3.5-nano", "nemotron_v3", "mimo", "mimo-v2", "step3p5", "step-3.5", "ornith", "xiaomi-mimo",
		}, func() family {
			return family{
				grammar: tongue([]block{qwen.block(), bareEquals("</function>").block()}, breaking, dropping("</function>"), acceptingJSON),
				define:  defineWith("# Tools\n\nYou can call these functions:\n<tools>\n", nestedXML, "\n</tools>\n\nCall a function like this, with nothing after it:\n"+equalsShape("<tool_call>", "</tool_call>")),
				calls:   each("\n", equalsCall("<tool_call>\n", "\n</tool_call>", "\n")), between: "\n", result: inTags("<tool_response>\n", "\n</tool_response>"),
			}
		}),
		known("seed-oss", "<function=NAME> in <seed:tool_call> tags", []string{"C2", "seed_oss", "seed"}, func() family {
			return family{
				grammar: tongue([]block{equalsTags("<seed:tool_call>", "</seed:tool_call>").block(), bareEquals("</function>").block()},
					thinkingAs(between("<seed:think>", "</seed:think>"), think()), acceptingJSON),
				define: defineWith("You can call these functions:\n", pythonStubs, "\n\nCall a function like this:\n"+equalsShape("<seed:tool_call>", "</seed:tool_call>")),
				calls:  each("\n", equalsCall("<seed:tool_call>\n", "\n</seed:tool_call>", "")), between: "\n", result: plain, role: model.RoleTool,
			}
		}),
		known("glm-4.5", "NAME, <arg_key> and <arg_value> in <tool_call> tags", []string{"C3", "glm", "glm45", "glm-4.6", "glm-ocr", "glm45_moe"}, func() family {
			return family{
				grammar: tongue([]block{glmTags("<tool_call>").block()}, breaking, dropping("/nothink"), acceptingJSON),
				define:  inToolTags("<tool_call>NAME\n<arg_key>KEY</arg_key>\n<arg_value>VALUE</arg_value>\n</tool_call>"),
				calls:   each("\n", glmCall("\n")), between: "\n", result: inTags("<tool_response>\n", "\n</tool_response>"), role: model.RoleTool,
			}
		}),
		known("glm-4.7", "as glm-4.5, without newlines", []string{"C4", "glm47", "glm-5", "glm47_moe", "ling3", "spark25"}, func() family {
			return family{
				grammar: tongue([]block{glmTags("<tool_call>").block()}, breaking, dropping("<role>ASSISTANT</role>", "<|role_end|>"), acceptingJSON),
				define:  inToolTags("<tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>"),
				calls:   each("", glmCall("")), between: "", result: inTags("<tool_response>", "</tool_response>"), role: model.RoleTool,
			}
		}),
		known("laguna", "as glm-4.7, or JSON in the tags", []string{"C5", "poolside", "poolside-v1", "poolside_v1"}, func() family {
			return family{
				grammar: tongue([]block{glmTags("<tool_call>").block()}, breaking, acceptingJSON),
				define:  defineWith("<available_tools>\n", fullLines, "\n</available_tools>\nCall a tool like this: <tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>"),
				calls:   each("", glmCall("")), between: "", result: inTags("<tool_response>", "</tool_response>"),
			}
		}),
		known("hy_v3", "NAME<tool_sep> and argument tags, in <tool_calls>", []string{"C6", "hy3", "hy-v3"}, func() family {
			return family{
				grammar: tongue([]block{hyTags().block()}, breaking, sections("<tool_calls>"), dropping("</tool_calls>"), acceptingJSON),
				define:  defineWith("The tools:\n", fullLines, "\nCall tools like this: <tool_calls><tool_call>NAME<tool_sep><arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call></tool_calls>"),
				calls: wrapped("<tool_calls>", "</tool_calls>", each("", func(c outgoing) string {
					return "<tool_call>" + c.Name + "<tool_sep>" + pairs(c, "<arg_key>%s</arg_key><arg_value>%s</arg_value>", asIs) + "</tool_call>"
				})), between: "", result: plain, role: model.RoleTool,
			}
		}),
		known("minimax-m2", "<invoke> in <minimax:tool_call> tags", []string{"C7", "minimax_m2", "minimax-m2.5"}, func() family {
			return family{
				grammar: tongue([]block{withEntities(invokeTags("<minimax:tool_call>", "</minimax:tool_call>", "", "")).block()}, breaking, dropping("</invoke>"), acceptingJSON),
				define:  defineWith("<tools>\n", bareLines, "\n</tools>\nCall tools like this:\n"+invokeShape("<minimax:tool_call>", "</minimax:tool_call>", "")),
				calls:   wrapped("<minimax:tool_call>\n", "\n</minimax:tool_call>", each("\n", invokeCall("", withAmpersands))), between: "\n", result: inTags("<response>", "</response>"), role: model.RoleTool,
			}
		}),
		known("minimax-m3", "elements named after arguments, each tag behind ]<]minimax[>[", []string{"C8", "minimax_m3"}, func() family {
			return family{
				grammar: tongue([]block{nestedTags()}, thinkingAs(thought{open: []string{"<mm:think>"}, close: []string{"</mm:think>"}, breaks: true}, think()), acceptingJSON),
				define:  defineWith("The tools:\n", fullLines, "\nCall tools like this: P<tool_call>\nP<invoke name=\"NAME\">P<KEY>VALUEP</KEY>P</invoke>\nP</tool_call>, where P is "+minimaxMark+"."),
				calls:   wrapped(minimaxMark+"<tool_call>\n", "\n"+minimaxMark+"</tool_call>", each("\n", nestedCall)), between: "\n", result: plain, role: model.RoleTool,
			}
		}),
		known("minicpm5", "<function name=NAME> and <param name=KEY>", []string{"C9"}, func() family {
			return family{
				grammar: tongue([]block{{}}[:0], func(g *grammar) {
					g.blocks = []block{tagged{
						open: []string{"<function name="}, closers: []string{"</function>"}, opens: true, call: pattern(`<function\s+name\s*=\s*["']?NAME["']?\s*>`), callEnd: []string{"</function>"},
						arg: parameterName("param"), argEnd: []string{"</param>"}, trim: strings.TrimSpace, decode: fromCDATA, first: `"'` + letters,
					}.block()}
				}, acceptingJSON),
				define: defineWith("The tools:\n", bareLines, "\nCall a tool like this: <function name=\"NAME\"><param name=\"KEY\">VALUE</param></function>"),
				calls: each("\n", func(c outgoing) string {
					return "<function name=\"" + c.Name + "\">" + cdataPairs(c) + "</function>"
				}), between: "\n", result: plain, role: model.RoleTool,
			}
		}),
		known("dots", "<invoke> or JSON in <dots_function_call> tags", []string{"C10"}, func() family {
			return family{
				grammar: tongue([]block{invokeTags("<dots_function_call>", "</dots_function_call>", "", "").block()}, dropping("</invoke>"), acceptingJSON),
				define:  defineWith("The tools:\n", bareLines, "\nCall tools like this:\n"+invokeShape("<dots_function_call>", "</dots_function_call>", "")),
				calls:   wrapped("<dots_function_call>\n", "\n</dots_function_call>", each("\n", invokeCall("", onLines))), between: "\n", result: plain, role: model.RoleTool,
			}
		}),
		known("solar-open2", "<|tool_arg:start|> between <|tool_call:start|> and its end", []string{"C11", "solar", "solar-open", "solar_open2"}, func() family {
			return family{
				grammar: tongue([]block{tagged{
					open: []string{"<|tool_call:start|>"}, closers: []string{"<|tool_call:end|>"}, call: pattern(`^\s*NAME\s*`), single: true,
					arg: regexp.MustCompile(`<\|tool_arg:start\|>\s*(?P<key>[^<\n]+?)\s*<\|tool_arg:value\|>`), argEnd: []string{"<|tool_arg:end|>"}, trim: trimNone,
				}.block()}, thinkingAs(between("<|think:start|>", "<|think:end|>"), thought{open: []string{"<|think|>"}, close: []string{"<|end|><|begin|>assistant<|content|>"}}, think()), acceptingJSON),
				define: defineWith("The tools:\n", bareLines, "\nCall a tool like this: <|tool_call:start|>NAME\n<|tool_arg:start|>KEY<|tool_arg:value|>VALUE<|tool_arg:end|>\n<|tool_call:end|>"),
				calls: each("\n", func(c outgoing) string {
					return "<|tool_call:start|>" + c.Name + "\n" + pairs(c, "<|tool_arg:start|>%s<|tool_arg:value|>%s<|tool_arg:end|>\n", asIs) + "<|tool_call:end|>"
				}), between: "\n", result: plain, role: model.RoleTool,
			}
		}),
		known("k2-horizon", "argument tags behind ifm|", []string{"C12", "k2_horizon", "ifm"}, func() family {
			return family{
				grammar: tongue([]block{tagged{
					open: []string{"<ifm|tool_call>"}, closers: []string{"</ifm|tool_call>"}, call: pattern(`^\s*NAME\s*`), single: true, json: true,
					arg:    regexp.MustCompile(`<ifm\|arg_key>\s*(?P<key>[^<\n]+?)\s*</ifm\|arg_key>\s*(?:<ifm\|arg_type>\s*(?P<type>[^<]*?)\s*</ifm\|arg_type>\s*)?<ifm\|arg_value>`),
					argEnd: []string{"</ifm|arg_value>"}, trim: trimLine,
				}.block()}, thinkingAs(between("<ifm|think>", "</ifm|think>"), between("<ifm|think_fast>", "</ifm|think_fast>"), between("<ifm|think_faster>", "</ifm|think_faster>"), think()),
					sections("<ifm|tool_calls>"), dropping("</ifm|tool_calls>"), acceptingJSON),
				define: defineWith("The tools:\n", bareLines, "\nCall tools like this: <ifm|tool_calls><ifm|tool_call>NAME<ifm|arg_key>KEY</ifm|arg_key><ifm|arg_value>VALUE</ifm|arg_value></ifm|tool_call></ifm|tool_calls>"),
				calls: wrapped("<ifm|tool_calls>", "</ifm|tool_calls>", each("", func(c outgoing) string {
					return "<ifm|tool_call>" + c.Name + pairs(c, "<ifm|arg_key>%s</ifm|arg_key><ifm|arg_value>%s</ifm|arg_value>", onLines) + "</ifm|tool_call>"
				})), between: "", result: plain, role: model.RoleTool,
			}
		}),
		known("kimi-k3", "XTML: call and argument elements between <|open|> and <|close|>", []string{"C13", "kimi_k3", "xtml"}, func() family {
			return family{
				grammar: tongue([]block{tagged{
					open: []string{"<|open|>call"}, closers: []string{"<|close|>call<|sep|>"}, opens: true, call: regexp.MustCompile(`<\|open\|>call\s+tool="(?P<name>[^"]*)"[^<]*<\|sep\|>`), callEnd: []string{"<|close|>call<|sep|>"},
					arg:    regexp.MustCompile(`<\|open\|>argument\s+key="(?P<key>[^"]*)"(?:\s+type="(?P<type>[^"]*)")?[^<]*<\|sep\|>`),
					argEnd: []string{"<|close|>argument<|sep|>"}, trim: trimNone, first: "t",
				}.block()}, thinkingAs(between("<|open|>think<|sep|>", "<|close|>think<|sep|>"), think()),
					sections("<|open|>tools<|sep|>"), dropping("<|close|>tools<|sep|>", "<|open|>response<|sep|>", "<|close|>response<|sep|>",
						`<|open|>message role="assistant"<|sep|>`, "<|open|>message<|sep|>", "<|close|>message<|sep|>", "<|end_of_msg|>"), acceptingJSON),
				define: defineWith("The tools:\n", bareLines, "\nCall tools like this: <|open|>tools<|sep|><|open|>call tool=\"NAME\" index=\"0\"<|sep|><|open|>argument key=\"KEY\" type=\"TYPE\"<|sep|>VALUE<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"),
				calls:  xtmlCalls, between: "", result: plain, role: model.RoleTool,
			}
		}),
		known("step3", "<steptml:invoke> between Step's markers", []string{"C14", "steptml", "step-3"}, func() family {
			return family{
				grammar: tongue([]block{tagged{
					open: variants("<｜tool_call_begin｜>"), closers: variants("<｜tool_call_end｜>"), call: pattern(`<steptml:invoke\s+name\s*=\s*["']?NAME["']?\s*>`), callEnd: []string{"</steptml:invoke>"},
					arg: parameterName("steptml:parameter"), argEnd: []string{"</steptml:parameter>"}, trim: trimNone, first: "f<",
				}.block()}, breaking, sections(variants("<｜tool_calls_begin｜>")...), dropping(variants("<｜tool_calls_end｜>")...), acceptingJSON),
				define: defineWith("The tools:\n", bareLines, "\nCall tools like this: <｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"NAME\"><steptml:parameter name=\"KEY\">VALUE</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>"),
				calls: wrapped("<｜tool_calls_begin｜>", "<｜tool_calls_end｜>", each("", func(c outgoing) string {
					return "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"" + c.Name + "\">" + pairs(c, "<steptml:parameter name=\"%s\">%s</steptml:parameter>", asIs) + "</steptml:invoke><｜tool_call_end｜>"
				})), between: "", result: plain, role: model.RoleTool,
			}
		}),
		dsml("dsml", "DSML", []string{"C15", "deepseek-v4", "deepseek_v4", "deepseekv4", "deepseek-v4.1"}, "tool_calls"),
		dsml("deepseek-v3.2", "DSML", []string{"deepseek_v32", "deepseekv32", "deepseek32", "deepseek_v3_2"}, "function_calls"),
		dsml("gigachat3.5", "GCML", []string{"gcml", "gigachat35"}, "tool_calls"),
		known("anthropic-xml", "<invoke> in <function_calls> tags", []string{"D9", "functionary-xml", "function_calls"}, func() family {
			return family{
				grammar: tongue([]block{prefixedInvokes("<function_calls>", "</function_calls>", "ant"+"ml:").block()}, dropping("</invoke>"), acceptingJSON),
				define:  defineWith("<functions>\n", bareLines, "\n</functions>\nCall functions like this:\n"+invokeShape("<function_calls>", "</function_calls>", "")),
				calls:   wrapped("<function_calls>\n", "\n</function_calls>", each("\n", invokeCall("", onLines))), between: "\n",
				result: func(t Turn) string {
					return "<function_results>\n<result>\n<tool_name>" + t.Name + "</tool_name>\n<stdout>" + t.Text + "</stdout>\n</result>\n</function_results>"
				},
			}
		}),
		known("grok", "<xai:function_call name=NAME> and <parameter name=KEY>", []string{"grok-2", "xai"}, func() family {
			return family{
				grammar: tongue([]block{tagged{
					open: []string{"<xai:function_call"}, closers: []string{"</xai:function_call>"}, opens: true, call: pattern(`<xai:function_call\s+name\s*=\s*["']?NAME["']?\s*>`), callEnd: []string{"</xai:function_call>"},
					arg: parameterName("parameter"), argEnd: []string{"</parameter>"}, trim: trimLine, first: "n",
				}.block()}, acceptingJSON),
				define: defineWith("The functions:\n", bareLines, "\nCall a function like this:\n<xai:function_call name=\"NAME\">\n<parameter name=\"KEY\">VALUE</parameter>\n</xai:function_call>"),
				calls: each("\n", func(c outgoing) string {
					return "<xai:function_call name=\"" + c.Name + "\">\n" + pairs(c, "<parameter name=\"%s\">%s</parameter>\n", onLines) + "</xai:function_call>"
				}), between: "\n", result: plain, role: model.RoleTool,
			}
		}),
		known("glimmer", "<atem:invoke> in a message to the tool", []string{"B2", "atem", "muse", "muse-glimmer"}, func() family {
			return family{
				grammar: glimmerGrammar(),
				define:  defineWith("The tools:\n", bareLines, "\nCall a tool like this: <|start|>assistant to=NAME<|message|>"+invokeShape("<atem:function_calls>", "</atem:function_calls>", "atem:")+"<|eot|>"),
				calls: each("<|start|>assistant", func(c outgoing) string {
					return " to=" + c.Name + "<|message|><atem:function_calls>\n" + invokeCall("atem:", asIs)(c) + "\n</atem:function_calls><|eot|>"
				}), between: "<|eom|><|start|>assistant", result: func(t Turn) string { return "<tool_output name=\"" + t.Name + "\">\n" + t.Text + "\n</tool_output>" }, role: model.RoleTool,
			}
		}),
		known("cline-xml", "tags named after the tool and its arguments", []string{"D10", "cline"}, func() family {
			return family{
				grammar: tongue(nil, accepting(candidate{kind: "named tags", starts: "<", scan: scanNamed, read: readNamed, own: true, certain: true}), acceptingJSON),
				define:  defineWith("The tools:\n", signaturesOf, "To call one, write <NAME><KEY>VALUE</KEY></NAME> with its own names, and stop."),
				calls: each("\n", func(c outgoing) string {
					return "<" + c.Name + ">\n" + pairs(c, "<%[1]s>%[2]s</%[1]s>\n", onLines) + "</" + c.Name + ">"
				}), between: "\n", result: result,
			}
		}),
	}
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

// pairs writes the arguments of a call with a pattern of key and value; spell changes values so that they are read as they were.
func pairs(c outgoing, format string, spell func(string) string) string {
	if c.inJSON {
		return c.object()
	}
	var out strings.Builder
	for _, m := range arguments(c) {
		fmt.Fprintf(&out, format, m.key, spell(rawValue(m.value)))
	}
	return out.String()
}

// asIs is for values that are read as they stand.
func asIs(value string) string { return value }

// onLines puts a value between newlines if it begins or ends with one: where values are trimmed, one at each end is cut.
func onLines(value string) string {
	if strings.HasPrefix(value, "\n") || strings.HasSuffix(value, "\n") {
		return "\n" + value + "\n"
	}
	return value
}

// withAmpersands is onLines where entities are decoded.
func withAmpersands(value string) string {
	if html.UnescapeString(value) != value {
		value = strings.ReplaceAll(value, "&", "&amp;")
	}
	return onLines(value)
}

func equalsTags(open, closer string) tagged {
	return tagged{
		open: []string{open}, closers: []string{closer}, call: pattern(`<\s*function\s*=\s*NAME\s*(?:>|\n|$)`), callEnd: []string{"</function>"},
		arg: parameterEquals(), argEnd: []string{"</parameter>"}, trim: trimLine, first: "<{[\\", json: true,
		usualCall: usual{before: "<function=", after: ">"}, usualArg: usual{before: "<parameter=", after: ">"},
	}
}

// bareEquals is the call whose outer tag was forgotten.
func bareEquals(closer string) tagged {
	return tagged{
		open: []string{"<function="}, closers: []string{closer}, opens: true, call: pattern(`<\s*function\s*=\s*NAME\s*(?:>|\n|$)`), callEnd: []string{closer},
		arg: parameterEquals(), argEnd: []string{"</parameter>"}, trim: trimLine, first: letters, known: true,
		usualCall: usual{before: "<function=", after: ">"}, usualArg: usual{before: "<parameter=", after: ">"},
	}
}

func equalsShape(open, closer string) string {
	return open + "\n<function=NAME>\n<parameter=KEY>\nVALUE\n</parameter>\n</function>\n" + closer
}

func equalsCall(open, closer, line string) func(outgoing) string {
	spell := onLines
	if line != "" { // every value stands on lines of its own
		spell = asIs
	}
	return func(c outgoing) string {
		return open + "<function=" + c.Name + ">\n" + pairs(c, "<parameter=%s>"+line+"%s"+line+"</parameter>\n", spell) + "</function>" + closer
	}
}

func glmTags(open string) tagged {
	return tagged{
		open: []string{open}, closers: []string{"</tool_call>"}, call: pattern(`^\s*NAME\s*`), single: true, json: true,
		arg: argKey(), argEnd: []string{"</arg_value>"}, trim: trimLine,
		usualCall: usual{next: "<"}, usualArg: usual{before: "<arg_key>", after: "</arg_key><arg_value>"},
	}
}

func glmCall(line string) func(outgoing) string {
	return func(c outgoing) string {
		return "<tool_call>" + c.Name + line + pairs(c, "<arg_key>%s</arg_key>"+line+"<arg_value>%s</arg_value>"+line, onLines) + "</tool_call>"
	}
}

func hyTags() tagged {
	k := glmTags("<tool_call>")
	k.call = pattern(`^\s*NAME\s*(?:<tool_sep>)?\s*`)
	k.usualCall = usual{after: "<tool_sep>", next: "<"}
	k.trim = trimNone
	return k
}

// invokeTags is a list of invocations in an outer tag; space and bar are what stands before and inside the tags' names.
func invokeTags(open, closer, space, bar string) tagged {
	return tagged{
		open: []string{open}, closers: []string{closer}, call: pattern(`<` + bar + space + `invoke\s+name\s*=\s*["']?NAME["']?\s*>`), callEnd: []string{"</" + bar + space + "invoke>"},
		arg: parameterName(bar + space + "parameter"), argEnd: []string{"</" + bar + space + "parameter>"}, trim: trimLine, first: "<{[", json: true,
		usualCall: usual{before: "<" + bar + space + "invoke name=\"", after: "\">"}, usualArg: usual{before: "<" + bar + space + "parameter name=\"", after: "\">"},
	}
}

func withEntities(k tagged) tagged {
	k.decode = html.UnescapeString
	return k
}

// prefixedInvokes accepts the tags with a prefix too, and the older form.
func prefixedInvokes(open, closer, prefix string) tagged {
	k := invokeTags(open, closer, "", "")
	optional := "(?:" + prefix + ")?"
	k.open, k.closers = append(k.open, "<"+prefix+open[1:]), append(k.closers, "</"+prefix+closer[2:])
	k.call = pattern(`<` + optional + `invoke\s+name\s*=\s*["']?NAME["']?\s*>`)
	k.arg = parameterName(optional + "parameter")
	k.callEnd, k.argEnd = append(k.callEnd, "</"+prefix+"invoke>"), append(k.argEnd, "</"+prefix+"parameter>")
	k.other = legacyInvokes
	return k
}

func invokeShape(open, closer, space string) string {
	return open + "\n<" + space + "invoke name=\"NAME\">\n<" + space + "parameter name=\"KEY\">VALUE</" + space + "parameter>\n</" + space + "invoke>\n" + closer
}

func invokeCall(space string, spell func(string) string) func(outgoing) string {
	return func(c outgoing) string {
		return "<" + space + "invoke name=\"" + c.Name + "\">\n" + pairs(c, "<"+space+"parameter name=\"%s\">%s</"+space+"parameter>\n", spell) + "</" + space + "invoke>"
	}
}
