package formats

import (
	"regexp"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/envelope"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// taggedFamilies write arguments as tagged text.
func taggedFamilies() []entry {
	qwen := envelope.EqualsTags("<tool_call>", "</tool_call>")
	return []entry{
		familyEntry("qwen3-coder", "<function=NAME> and <parameter=KEY> in <tool_call> tags", `
			C1 qwen_xml qwen_coder qwen3_coder qwen3_xml qwen3.5 qwen3.6 nemotron-3 nemotron-3-nano
			nemotron-3.5-nano nemotron_v3 mimo mimo-v2 step3p5 step-3.5 ornith xiaomi-mimo
		`, family{
			grammar: grammar.New(
				[]grammar.Block{qwen.Block(), envelope.BareEquals("</function>").Block()}, grammar.CallsEndThoughts,
				grammar.Dropping("</function>"),
			),
			define: defineWith(
				"# Tools\n\nYou can call these functions:\n<tools>\n", nestedXML,
				"\n</tools>\n\nCall a function like this, with nothing after it:\n"+
					equalsShape("<tool_call>", "</tool_call>"),
			),
			call:   equalsCall("<tool_call>\n", "\n</tool_call>", "\n"),
			result: inTags("<tool_response>\n", "\n</tool_response>"),
		}),
		familyEntry("seed-oss", "<function=NAME> in <seed:tool_call> tags", "C2 seed_oss seed", family{
			grammar: grammar.New([]grammar.Block{
				envelope.Trimming(
					envelope.EqualsTags("<seed:tool_call>", "</seed:tool_call>"), envelope.TrimNone,
				).Block(),
				// without the outer tag it may be Qwen's notation
				envelope.Trimming(envelope.BareEquals("</function>"), envelope.TrimPair).Block(),
			},
				grammar.AlsoThoughts(grammar.Between("<seed:think>", "</seed:think>"))),
			define: defineWith(
				"You can call these functions:\n", pythonStubs,
				"\n\nCall a function like this:\n"+equalsShape("<seed:tool_call>", "</seed:tool_call>"),
			),
			call: equalsCall("<seed:tool_call>\n", "\n</seed:tool_call>", ""),
		}),
		familyEntry("glm-4.5", "NAME, <arg_key> and <arg_value> in <tool_call> tags", `
			C3 glm glm45 glm-4.6 glm-ocr glm45_moe
		`, family{
			grammar: grammar.OneBlock(
				envelope.GLMTags("<tool_call>").Block(), grammar.CallsEndThoughts,
				grammar.Dropping("/nothink"),
			),
			define: inToolTags("<tool_call>NAME\n<arg_key>KEY</arg_key>\n<arg_value>VALUE</arg_value>\n</tool_call>"),
			call:   glmCall("\n"), result: inTags(
				"<tool_response>\n", "\n</tool_response>",
			),
			role: model.RoleTool,
		}),
		familyEntry("glm-4.7", "as glm-4.5, without newlines", "C4 glm47 glm-5 glm47_moe ling3 spark25", family{
			grammar: grammar.OneBlock(
				envelope.GLMTags("<tool_call>").Block(), grammar.CallsEndThoughts,
				grammar.Dropping("<role>ASSISTANT</role>", "<|role_end|>"),
			),
			define: inToolTags("<tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>"),
			call:   glmCall(""), joined: true, result: inTags("<tool_response>", "</tool_response>"),
			role: model.RoleTool,
		}),
		familyEntry("laguna", "as glm-4.7, or JSON in the tags", "C5 poolside poolside-v1 poolside_v1", family{
			grammar: grammar.OneBlock(envelope.GLMTags("<tool_call>").Block(), grammar.CallsEndThoughts),
			define: defineWith(
				"<available_tools>\n", fullLines,
				"\n</available_tools>\nCall a tool like this: "+
					"<tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>",
			),
			call: glmCall(""), joined: true, result: inTags("<tool_response>", "</tool_response>"),
		}),
		familyEntry("hy_v3", "NAME<tool_sep> and argument tags, in <tool_calls>", "C6 hy3 hy-v3", family{
			grammar: grammar.OneBlock(
				envelope.HunyuanTags().Block(), grammar.CallsEndThoughts,
				grammar.WithSections("<tool_calls>"), grammar.Dropping("</tool_calls>"),
			),
			define: defineWith(
				"The tools:\n", fullLines,
				"\nCall tools like this: "+
					"<tool_calls><tool_call>NAME<tool_sep><arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call></tool_calls>",
			),
			calls: wrapped("<tool_calls>", "</tool_calls>", each("", paired(
				"<tool_call>", "<tool_sep>", "<arg_key>%s</arg_key><arg_value>%s</arg_value>", asIs, "</tool_call>",
			))),
			joined: true,
		}),
		familyEntry("minimax-m2", "<invoke> in <minimax:tool_call> tags", "C7 minimax_m2 minimax-m2.5", family{
			grammar: grammar.OneBlock(
				envelope.WithEntities(
					envelope.InvokeTags("<minimax:tool_call>", "</minimax:tool_call>", "", ""),
				).Block(),
				grammar.CallsEndThoughts, grammar.Dropping("</invoke>"),
			),
			define: defineWith(
				"<tools>\n", bareLines,
				"\n</tools>\nCall tools like this:\n"+
					invokeShape("<minimax:tool_call>", "</minimax:tool_call>", ""),
			),
			calls: wrapped(
				"<minimax:tool_call>\n", "\n</minimax:tool_call>", each("\n", invokeCall("", withAmpersands)),
			),
			result: inTags("<response>", "</response>"), role: model.RoleTool,
		}),
		familyEntry("minimax-m3", "elements named after arguments, each tag behind ]<]minimax[>[", `
			C8 minimax_m3
		`, family{
			grammar: grammar.OneBlock(
				envelope.NestedTags(),
				grammar.AlsoThoughts(
					grammar.Thought{Open: []string{"<mm:think>"}, Close: []string{"</mm:think>"}, Breaks: true},
				),
			),
			define: defineWith(
				"The tools:\n", fullLines,
				"\nCall tools like this: P<tool_call>\nP<invoke name=\"NAME\">P<KEY>VALUEP</KEY>P</invoke>\n"+
					"P</tool_call>, where P is "+
					envelope.MinimaxMark+".",
			),
			calls: wrapped(
				envelope.MinimaxMark+"<tool_call>\n", "\n"+envelope.MinimaxMark+"</tool_call>",
				each("\n", nestedCall),
			),
		}),
		familyEntry("minicpm5", "<function name=NAME> and <param name=KEY>", "C9", family{
			grammar: grammar.OneBlock(envelope.Tagged{
				Open: []string{"<function name="}, Closers: []string{"</function>"}, Opens: true,
				Call:    envelope.Pattern(`<function\s+name\s*=\s*["']?NAME["']?\s*>`),
				CallEnd: []string{"</function>"},
				Arg:     envelope.ParameterName("param"), ArgEnd: []string{"</param>"},
				Trim: strings.TrimSpace, Decode: envelope.FromCDATA, First: `"'` + scan.Letters,
			}.Block()),
			define: listed(
				"\nCall a tool like this: <function name=\"NAME\"><param name=\"KEY\">VALUE</param></function>",
			),
			call: func(c outgoing) string {
				return "<function name=\"" + c.Name + "\">" + cdataPairs(c) + "</function>"
			},
		}),
		familyEntry("dots", "<invoke> or JSON in <dots_function_call> tags", "C10", family{
			grammar: grammar.OneBlock(
				envelope.InvokeTags("<dots_function_call>", "</dots_function_call>", "", "").Block(),
				grammar.Dropping("</invoke>"),
			),
			define: listed(
				"\nCall tools like this:\n" + invokeShape("<dots_function_call>", "</dots_function_call>", ""),
			),
			calls: wrapped(
				"<dots_function_call>\n", "\n</dots_function_call>", each("\n", invokeCall("", onLines)),
			),
		}),
		familyEntry("solar-open2", "<|tool_arg:start|> between <|tool_call:start|> and its end", `
			C11 solar solar-open solar_open2
		`, family{
			grammar: grammar.OneBlock(envelope.Tagged{
				Open:    []string{"<|tool_call:start|>"},
				Closers: []string{"<|tool_call:end|>"}, Call: envelope.Pattern(`^\s*NAME\s*`), Single: true,
				Arg:    regexp.MustCompile(`<\|tool_arg:start\|>\s*(?P<key>[^<\n]+?)\s*<\|tool_arg:value\|>`),
				ArgEnd: []string{"<|tool_arg:end|>"}, Trim: envelope.TrimNone,
			}.Block(), grammar.AlsoThoughts(
				grammar.Between("<|think:start|>", "<|think:end|>"),
				grammar.Thought{
					Open: []string{"<|think|>"}, Close: []string{"<|end|><|begin|>assistant<|content|>"},
				},
			)),
			define: listed(
				"\nCall a tool like this: <|tool_call:start|>NAME\n" +
					"<|tool_arg:start|>KEY<|tool_arg:value|>VALUE<|tool_arg:end|>\n<|tool_call:end|>",
			),
			call: paired(
				"<|tool_call:start|>", "\n", "<|tool_arg:start|>%s<|tool_arg:value|>%s<|tool_arg:end|>\n", asIs,
				"<|tool_call:end|>",
			),
		}),
		familyEntry("k2-horizon", "argument tags behind ifm|", "C12 k2_horizon ifm", family{
			grammar: grammar.OneBlock(envelope.Tagged{
				Open: []string{"<ifm|tool_call>"}, Closers: []string{"</ifm|tool_call>"},
				Call: envelope.Pattern(`^\s*NAME\s*`), Single: true, JSON: true,
				Arg: regexp.MustCompile(
					`<ifm\|arg_key>\s*(?P<key>[^<\n]+?)\s*</ifm\|arg_key>\s*(?:<ifm\|arg_type>\s*(?P<type>[^<]*?)\s*</ifm\|arg_type>\s*)?<ifm\|arg_value>`,
				),
				ArgEnd: []string{"</ifm|arg_value>"}, Trim: envelope.TrimLine,
			}.Block(), grammar.AlsoThoughts(
				grammar.Between("<ifm|think>", "</ifm|think>"),
				grammar.Between("<ifm|think_fast>", "</ifm|think_fast>"),
				grammar.Between("<ifm|think_faster>", "</ifm|think_faster>"),
			),
				grammar.WithSections("<ifm|tool_calls>"), grammar.Dropping("</ifm|tool_calls>")),
			define: listed(
				"\nCall tools like this: " +
					"<ifm|tool_calls><ifm|tool_call>NAME<ifm|arg_key>KEY</ifm|arg_key><ifm|arg_value>VALUE</ifm|arg_value></ifm|tool_call></ifm|tool_calls>",
			),
			calls: wrapped("<ifm|tool_calls>", "</ifm|tool_calls>", each("", paired(
				"<ifm|tool_call>", "", "<ifm|arg_key>%s</ifm|arg_key><ifm|arg_value>%s</ifm|arg_value>", onLines,
				"</ifm|tool_call>",
			))),
			joined: true,
		}),
		familyEntry("kimi-k3", "XTML: call and argument elements between <|open|> and <|close|>", `
			C13 kimi_k3 xtml
		`, family{
			grammar: grammar.OneBlock(envelope.Tagged{
				Open: []string{"<|open|>call"}, Closers: []string{"<|close|>call<|sep|>"},
				Opens: true, Call: regexp.MustCompile(`<\|open\|>call\s+tool="(?P<name>[^"]*)"[^<]*<\|sep\|>`),
				CallEnd: []string{"<|close|>call<|sep|>"},
				Arg: regexp.MustCompile(
					`<\|open\|>argument\s+key="(?P<key>[^"]*)"(?:\s+type="(?P<type>[^"]*)")?[^<]*<\|sep\|>`,
				),
				ArgEnd: []string{"<|close|>argument<|sep|>"}, Trim: envelope.TrimNone, First: "t",
			}.Block(), grammar.AlsoThoughts(grammar.Between("<|open|>think<|sep|>", "<|close|>think<|sep|>")),
				grammar.WithSections("<|open|>tools<|sep|>"),
				grammar.Dropping("<|close|>tools<|sep|>", "<|open|>response<|sep|>", "<|close|>response<|sep|>",
					`<|open|>message role="assistant"<|sep|>`, "<|open|>message<|sep|>", "<|close|>message<|sep|>",
					"<|end_of_msg|>")),
			define: listed(
				"\nCall tools like this: <|open|>tools<|sep|><|open|>call tool=\"NAME\" " +
					"index=\"0\"<|sep|><|open|>argument key=\"KEY\" " +
					"type=\"TYPE\"<|sep|>VALUE<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>",
			),
			calls: xtmlCalls, joined: true,
		}),
		familyEntry("step3", "<steptml:invoke> between Step's markers", "C14 steptml step-3", family{
			grammar: grammar.OneBlock(envelope.Tagged{
				Open:    envelope.Variants("<｜tool_call_begin｜>"),
				Closers: envelope.Variants("<｜tool_call_end｜>"), Call: envelope.Pattern(
					`<steptml:invoke\s+name\s*=\s*["']?NAME["']?\s*>`,
				),
				CallEnd: []string{"</steptml:invoke>"},
				Arg:     envelope.ParameterName("steptml:parameter"), ArgEnd: []string{"</steptml:parameter>"},
				Trim: envelope.TrimNone, First: "f<",
			}.Block(), grammar.CallsEndThoughts, grammar.WithSections(
				envelope.Variants("<｜tool_calls_begin｜>")...,
			),
				grammar.Dropping(envelope.Variants("<｜tool_calls_end｜>")...)),
			define: listed(
				"\nCall tools like this: " +
					"<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke " +
					"name=\"NAME\"><steptml:parameter " +
					"name=\"KEY\">VALUE</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>",
			),
			calls: wrapped("<｜tool_calls_begin｜>", "<｜tool_calls_end｜>", each("", paired(
				"<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"", "\">",
				"<steptml:parameter name=\"%s\">%s</steptml:parameter>", asIs,
				"</steptml:invoke><｜tool_call_end｜>",
			))),
			joined: true,
		}),
		dsml("dsml", "DSML", "C15 deepseek-v4 deepseek_v4 deepseekv4 deepseek-v4.1", "tool_calls"),
		dsml("deepseek-v3.2", "DSML", "deepseek_v32 deepseekv32 deepseek32 deepseek_v3_2", "function_calls"),
		dsml("gigachat3.5", "GCML", "gcml gigachat35", "tool_calls"),
		familyEntry("anthropic-xml", "<invoke> in <function_calls> tags", "D9 functionary-xml function_calls", family{
			grammar: grammar.OneBlock(
				envelope.PrefixedInvokes("<function_calls>", "</function_calls>", "ant"+"ml:").Block(),
				grammar.Dropping("</invoke>"),
			),
			define: defineWith(
				"<functions>\n", bareLines,
				"\n</functions>\nCall functions like this:\n"+
					invokeShape("<function_calls>", "</function_calls>", ""),
			),
			calls: wrapped("<function_calls>\n", "\n</function_calls>", each("\n", invokeCall("", onLines))),
			result: func(t toolcall.Turn) string {
				return "<function_results>\n<result>\n<tool_name>" + t.Name + "</tool_name>\n<stdout>" + t.Text +
					"</stdout>\n</result>\n</function_results>"
			},
		}),
		familyEntry("grok", "<xai:function_call name=NAME> and <parameter name=KEY>", "grok-2 xai", family{
			grammar: grammar.OneBlock(envelope.Tagged{
				Open: []string{"<xai:function_call"}, Closers: []string{"</xai:function_call>"},
				Opens: true, Call: envelope.Pattern(`<xai:function_call\s+name\s*=\s*["']?NAME["']?\s*>`),
				CallEnd: []string{"</xai:function_call>"},
				Arg:     envelope.ParameterName("parameter"), ArgEnd: []string{"</parameter>"},
				Trim: envelope.TrimLine, First: "n",
			}.Block()),
			define: defineWith(
				"The functions:\n", bareLines,
				"\nCall a function like this:\n<xai:function_call name=\"NAME\">\n"+
					"<parameter name=\"KEY\">VALUE</parameter>\n</xai:function_call>",
			),
			call: paired(
				"<xai:function_call name=\"", "\">\n", "<parameter name=\"%s\">%s</parameter>\n", onLines,
				"</xai:function_call>",
			),
		}),
		familyEntry("glimmer", "<atem:invoke> in a message to the tool", "B2 atem muse muse-glimmer", family{
			grammar: envelope.GlimmerGrammar(),
			define: listed(
				"\nCall a tool like this: <|start|>assistant to=NAME<|message|>" +
					invokeShape("<atem:function_calls>", "</atem:function_calls>", "atem:") + "<|eot|>",
			),
			calls: each("<|start|>assistant", func(c outgoing) string {
				return " to=" + c.Name + "<|message|><atem:function_calls>\n" + invokeCall("atem:", asIs)(c) +
					"\n</atem:function_calls><|eot|>"
			}),
			between: "<|eom|><|start|>assistant", result: func(t toolcall.Turn) string {
				return "<tool_output name=\"" + t.Name + "\">\n" + t.Text + "\n</tool_output>"
			},
			role: model.RoleTool,
		}),
		familyEntry("cline-xml", "tags named after the tool and its arguments", "D10 cline", family{
			grammar: grammar.New(
				nil,
				grammar.Accepting(grammar.Candidate{
					Kind: "named tags", Starts: "<", Scan: envelope.ScanNamed, Read: envelope.ReadNamed,
					OwnForm: true, Unambiguous: true,
				}),
				grammar.AcceptingJSON,
			),
			define: defineWith(
				"The tools:\n", signatures,
				"To call one, write <NAME><KEY>VALUE</KEY></NAME> with its own names, and stop.",
			),
			call: func(c outgoing) string {
				return "<" + c.Name + ">\n" + pairs(c, "<%[1]s>%[2]s</%[1]s>\n", onLines) + "</" + c.Name + ">"
			},
			result: result,
		}),
	}
}
