package formats

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/toolcall/envelope"
)

// seen is a reply as models of a family really write it, and what it means. Empty fields mean none.
type seen struct {
	format, about, reply string
	text, thinking       string
	calls                []string
	errors               int
}

const p1 = `ping {"host":"db1"}`

// witnesses are replies with the defects that were seen in practice, and one plain call of every family.
func witnesses() []seen {
	c := func(calls ...string) []string { return calls }
	return []seen{
		// One plain call of each family, as its own models write it.
		{format: "longcat", about: "plain", reply: `<longcat_tool_call>{"name": "ping", "arguments": {"host": "db1"}}</longcat_tool_call>`, calls: c(p1)},
		{format: "jamba", about: "list", reply: `<tool_calls>[{"name": "ping", "arguments": {"host": "db1"}}, {"name": "uptime", "arguments": {}}]</tool_calls>`, calls: c(p1, "uptime {}")},
		{format: "nemotron-v2", about: "plain", reply: `<TOOLCALL>[{"name": "get", "arguments": {"key": "7"}}]</TOOLCALL><SPECIAL_12>`, calls: c(`get {"key":"7"}`)},
		{format: "granite3", about: "plain", reply: `<|tool_call|>[{"name": "get_rate", "arguments": {"pair": "EURUSD"}}]`, calls: c(`get_rate {"pair":"EURUSD"}`)},
		{format: "granite3", about: "marker in plain text", reply: `<tool_call>[{"name": "get_rate", "arguments": {"pair": "EURUSD"}}]`, calls: c(`get_rate {"pair":"EURUSD"}`)},
		{format: "granite3", about: "marker missing", reply: `[{"name": "get_rate", "arguments": {"pair": "EURUSD"}}]`, calls: c(`get_rate {"pair":"EURUSD"}`)},
		{format: "granite3", about: "thought and response tags", reply: "<think>Hm.</think><response>Yes.</response>", thinking: "Hm.", text: "Yes."},
		{format: "granite-20b-fc", about: "two", reply: "Look.\n<function_call> {\"name\": \"uptime\", \"arguments\": {}}\n<function_call> {\"name\": \"ping\", \"arguments\": {\"host\": \"db1\"}}", text: "Look.", calls: c("uptime {}", p1)},
		{format: "mistral-json", about: "plain", reply: `[TOOL_CALLS][{"name": "ping", "arguments": {"host": "db1"}, "id": "a1B2c3D4e"}]`, calls: c(p1)},
		{format: "mistral-json", about: "invented closer", reply: `[TOOL_CALLS] [{"name": "ping", "arguments": {"host": "db1"}}][/TOOL_CALLS]`, calls: c(p1)},
		{format: "mistral-json", about: "list without marker", reply: `[{"name": "ping", "arguments": {"host": "db1"}}]`, calls: c(p1)},
		{format: "mistral-json", about: "one object", reply: `[TOOL_CALLS] {"name": "ping", "arguments": {"host": "db1"}}`, calls: c(p1)},
		{format: "mistral-json", about: "marker in a string", reply: `[TOOL_CALLS][{"name": "ping", "arguments": {"host": "[TOOL_CALLS]"}}]`, calls: c(`ping {"host":"[TOOL_CALLS]"}`)},
		{format: "mistral-args", about: "two", reply: `[TOOL_CALLS]ping[ARGS]{"host": "db1"}[TOOL_CALLS]uptime[ARGS]{}`, calls: c(p1, "uptime {}")},
		{format: "mistral-args", about: "id", reply: `[TOOL_CALLS]ping[CALL_ID]123456789[ARGS]{"host": "db1"}`, calls: c(p1)},
		{format: "mistral-args", about: "no ARGS", reply: `[TOOL_CALLS] ping {"host": "db1"}`, calls: c(p1)},
		{format: "mistral-args", about: "in a thought", reply: `[THINK]a [TOOL_CALLS]ping[ARGS]{"host": "x"}[/THINK]Hello`, thinking: `a [TOOL_CALLS]ping[ARGS]{"host": "x"}`, text: "Hello"},
		{format: "mistral-args", about: "unknown name", reply: `[TOOL_CALLS]sing[ARGS]{"host": "db1"}`, errors: 1},
		{format: "functools", about: "list in an argument", reply: ` functools[{"name": "write_note", "arguments": {"title": "t", "text": "x", "tags": ["a", "b"]}}]`, calls: c(`write_note {"title":"t","text":"x","tags":["a","b"]}`)},
		{format: "functools", about: "own markers", reply: `<|tool_call|>[{"name": "uptime", "arguments": {}}]<|/tool_call|>`, calls: c("uptime {}")},
		{format: "internlm2", about: "plain", reply: "Now.<|action_start|><|plugin|>\n{\"name\": \"uptime\", \"parameters\": {}}<|action_end|>", text: "Now.", calls: c("uptime {}")},
		{format: "gigachat3", about: "3.1", reply: `<|function_call|>{"name": "get", "arguments": {"key": "tea"}}</s>`, calls: c(`get {"key":"tea"}`)},
		{format: "gigachat3", about: "3", reply: "Yes.<|message_sep|>\n\nfunction call<|role_sep|>\n{\"name\": \"get\", \"arguments\": {\"key\": \"tea\"}}<|message_sep|>\n", text: "Yes.", calls: c(`get {"key":"tea"}`)},
		{format: "llama3-json", about: "two", reply: `{"name": "ping", "parameters": {"host": "db1"}}; {"name": "uptime", "parameters": {}}`, calls: c(p1, "uptime {}")},
		{format: "llama3-json", about: "tag", reply: `<|python_tag|>{"name": "ping", "parameters": {"host": "db1"}}<|eom_id|>`, calls: c(p1)},
		{format: "llama3-json", about: "tag, two", reply: `<|python_tag|>{"name": "ping", "parameters": {"host": "db1"}}; {"name": "uptime", "parameters": {}}`, calls: c(p1, "uptime {}")},
		{format: "llama3-json", about: "built-in call", reply: `<|python_tag|>ping.call(host="db1")`, calls: c(p1)},
		{format: "llama3-json", about: "tag before prose", reply: `<|python_tag|>Hello there.`, text: `<|python_tag|>Hello there.`},
		{format: "llama3-json", about: "type echoed", reply: `{"type": "function", "name": "ping", "parameters": {"host": {"type": "string", "value": "db1"}}}`, calls: c(p1)},
		{format: "llama3-json", about: "parameters as a string", reply: `{"name": "ping", "parameters": "{\"host\": \"db1\"}"}`, calls: c(p1)},
		{format: "llama3-json", about: "prose after", reply: `{"name": "ping", "parameters": {"host": "db1"}} The host is up.`, calls: c(p1), text: "The host is up."},
		{format: "llama3-json", about: "JSON that is no call", reply: `{"name": "Bob", "age": 3}`, text: `{"name": "Bob", "age": 3}`},
		{format: "functionary-v3.1", about: "plain", reply: `<function=ping>{"host": "db1"}</function>`, calls: c(p1)},
		{format: "functionary-v3.1", about: "wrong closer", reply: `<function=ping>{"host": "db1"}<function>`, calls: c(p1)},
		{format: "functionary-v3.1", about: "no closer", reply: `<function=ping>{"host": "db1"}`, calls: c(p1)},
		{format: "functionary-v3.1", about: "no bracket", reply: `<function=ping {"host": "db1"}></function>`, calls: c(p1)},
		{format: "functionary-v3.1", about: "round brackets", reply: `<function(ping)>{"host": "db1"}</function>`, calls: c(p1)},
		{format: "functionary-v3.2", about: "without the first mark", reply: "get_rate\n{\"pair\": \"EURUSD\"}>>>get_rate\n{\"pair\": \"USDJPY\"}", calls: c(`get_rate {"pair":"EURUSD"}`, `get_rate {"pair":"USDJPY"}`)},
		{format: "functionary-v3.2", about: "text and a call", reply: "all\nLet me look.>>>ping\n{\"host\": \"db1\"}", text: "Let me look.", calls: c(p1)},
		{format: "functionary-v2", about: "plain", reply: "<|recipient|>ping\n<|content|>{\"host\": \"db1\"}<|stop|>", calls: c(p1)},
		{format: "functionary-v2", about: "text first", reply: "<|recipient|>all\n<|content|>Hello.\n<|from|>assistant\n<|recipient|>ping\n<|content|>{\"host\": \"db1\"}", text: "Hello.", calls: c(p1)},
		{format: "apertus", about: "in the thought", reply: `<|inner_prefix|>Hm.<|tools_prefix|>[{"ping": {"host": "db1"}}]<|tools_suffix|>`, thinking: "Hm.", calls: c(p1)},
		{format: "apertus", about: "the thought goes on", reply: `<|inner_prefix|>Hm.<|tools_prefix|>[{"ping": {"host": "db1"}}]<|tools_suffix|>So.<|inner_suffix|>Yes.`, thinking: "Hm.So.", text: "Yes.", calls: c(p1)},
		{format: "cohere-action", about: "thought, call", reply: "<|START_THINKING|>I will look.<|END_THINKING|><|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"ping\", \"parameters\": {\"host\": \"db1\"}}\n]<|END_ACTION|><|END_OF_TURN_TOKEN|>", thinking: "I will look.", calls: c(p1)},
		{format: "cohere-action", about: "comma missing", reply: `<|START_ACTION|>[{"tool_name": "ping", "parameters": {"host": "db1"}} {"tool_name": "uptime", "parameters": {}}]<|END_ACTION|>`, calls: c(p1, "uptime {}")},
		{format: "cohere-action", about: "response", reply: "<|START_RESPONSE|>Hello.<|END_RESPONSE|>", text: "Hello."},
		{format: "command-r", about: "plan and call", reply: "Plan: look it up.\nAction:\n```json\n[{\"tool_name\": \"ping\", \"parameters\": {\"host\": \"db1\"}}]\n```", text: "Plan: look it up.", calls: c(p1)},
		{format: "command-r", about: "no call", reply: "Action: ```json\n[{\"tool_name\": \"directly-answer\", \"parameters\": {}}]\n```\nHello.", text: "Hello."},
		{format: "deepseek-r1", about: "plain", reply: "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ping\n```json\n{\"host\": \"db1\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", calls: c(p1)},
		{format: "deepseek-r1", about: "ASCII bars, closer missing", reply: "<|tool▁call▁begin|>function<|tool▁sep|>ping\n```json\n{\"host\": \"db1\"}```<|tool▁call▁end|>", calls: c(p1)},
		{format: "deepseek-r1", about: "invented result", reply: "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ping\n```json\n{\"host\": \"db1\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>up<｜tool▁output▁end｜><｜tool▁outputs▁end｜>", calls: c(p1)},
		{format: "deepseek-v3.1", about: "blanks round a lone closer", reply: "Hm.</think>\n\nSo </think> it is.", text: "Hm.\n\nSo  it is."},
		{format: "mistral-args", about: "arguments cut off", reply: "[TOOL_CALLS]uptime[ARGS]", errors: 1},
		{format: "mistral-args", about: "object cut off", reply: "[TOOL_CALLS]uptime[ARGS]{", errors: 1},
		{format: "deepseek-v3.1", about: "two", reply: "Hm.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>ping<｜tool▁sep｜>{\"host\": \"db1\"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>uptime<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", text: "Hm.", calls: c(p1, "uptime {}")},
		{format: "deepseek-v3.1", about: "call before the thought ends", reply: "<think>So.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>ping<｜tool▁sep｜>{\"host\": \"db1\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", thinking: "So.", calls: c(p1)},
		{format: "kimi-k2", about: "plain", reply: `<|tool_calls_section_begin|><|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>{"host": "db1"}<|tool_call_end|><|tool_calls_section_end|>`, calls: c(p1)},
		{format: "kimi-k2", about: "no section, no prefix", reply: `<|tool_call_begin|>ping<|tool_call_argument_begin|>{"host": "db1"}<|tool_call_end|>`, calls: c(p1)},
		{format: "kimi-k2", about: "leaked quotes", reply: `<|tool_call_begin|>functions.ping:3<|tool_call_argument_begin|>{<|">host<|">: <|">db1<|">}<|tool_call_end|>`, calls: c(p1)},
		{format: "kimi-k2", about: "section in an open thought", reply: `<think>go<|tool_calls_section_begin|><|tool_call_begin|>functions.uptime:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`, thinking: "go", calls: c("uptime {}")},
		{format: "inkling", about: "typed blocks", reply: `<|content_thinking|>Hm.<|end_message|><|message_model|><|content_text|>Hello.<|end_message|><|message_model|>ping<|content_invoke_tool_json|>{"name":"ping","args":{"host":"db1"}}<|end_message|><|content_model_end_sampling|>`, thinking: "Hm.", text: "Hello.", calls: c(p1)},
		{format: "sarashina", about: "apostrophes", reply: `<|tool_calls|>[{'name': 'ping', 'arguments': {'host': "o'hara", 'count': 3}}]`, calls: c(`ping {"host":"o'hara","count":3}`)},
		{format: "sarashina", about: "marker missing", reply: `[{'name': 'ping', 'arguments': {'host': "o'hara"}}]`, calls: c(`ping {"host":"o'hara"}`)},
		{format: "llama.cpp-generic", about: "call", reply: `{"tool_call": {"name": "ping", "arguments": {"host": "db1"}}}`, calls: c(p1)},
		{format: "llama.cpp-generic", about: "answer", reply: `{"response": "Hello\n\"you\""}`, text: "Hello\n\"you\""},
		// Channels.
		{format: "harmony", about: "thought, call", reply: "<|channel|>analysis<|message|>Need load.<|end|><|start|>assistant<|channel|>commentary to=functions.uptime <|constrain|>json<|message|>{}", thinking: "Need load.", calls: c("uptime {}")},
		{format: "harmony", about: "final", reply: "<|channel|>analysis<|message|>Easy.<|end|><|start|>assistant<|channel|>final<|message|>Hello.<|return|>", thinking: "Easy.", text: "Hello."},
		{format: "harmony", about: "recipient in the role", reply: " to=functions.ping<|channel|>commentary json<|message|>{\"host\": \"db1\"}<|call|>", calls: c(p1)},
		{format: "harmony", about: "recipient on the analysis channel", reply: "<|channel|>analysis to=functions.ping<|message|>{\"host\": \"db1\"}<|call|>", calls: c(p1)},
		{format: "harmony", about: "bare name, odd channel", reply: "<|channel|>comment to=ping<|constrain|>json<|message|>{\"host\": \"db1\"}", calls: c(p1)},
		{format: "harmony", about: "preamble", reply: "<|channel|>commentary<|message|>I will look.<|end|><|start|>assistant<|channel|>commentary to=functions.uptime<|message|>{}", text: "I will look.", calls: c("uptime {}")},
		{format: "harmony", about: "stub before another channel", reply: "<|channel|>commentary to=assistant<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.", thinking: "Hm.", text: "Yes."},
		{format: "harmony", about: "double encoded", reply: "<|channel|>commentary to=functions.ping<|message|>\"{\\\"host\\\": \\\"db1\\\"}\"", calls: c(p1)},
		{format: "harmony", about: "truncated JSON", reply: "<|channel|>commentary to=functions.ping<|message|>{\"host\": \"db", errors: 1},
		{format: "harmony", about: "built-in that was not offered", reply: "<|channel|>commentary to=container.exec<|message|>{\"cmd\": [\"ls\"]}", errors: 1},
		{format: "harmony", about: "tool markup stripped", reply: "Hello.", text: "Hello."},
		{format: "glimmer", about: "thought, call", reply: " to=self<|message|>Hm.<|eom|><|start|>assistant to=ping<|message|><atem:function_calls>\n<atem:invoke name=\"ping\">\n<atem:parameter name=\"host\">db1</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eot|>", thinking: "Hm.", calls: c(p1)},
		{format: "glimmer", about: "to the user", reply: " to=user<|message|>Hello.<|eot|>", text: "Hello."},
		{format: "glimmer", about: "namespace doubled", reply: "<atem:function_calls>\n<atem:invoke name=\"ping.ping\">\n<atem:parameter name=\"host\">db1</atem:parameter>\n</atem:invoke>\n</atem:function_calls>", calls: c(p1)},
		// Tagged arguments.
		{format: "qwen3-coder", about: "code with markup", reply: "<tool_call>\n<function=write_note>\n<parameter=title>\na.go\n</parameter>\n<parameter=text>\nif a<b {\n}\n</parameter>\n</function>\n</tool_call>", calls: c(`write_note {"title":"a.go","text":"if a<b {\n}"}`)},
		{format: "qwen3-coder", about: "opener missing", reply: "<function=ping>\n<parameter=host>\ndb1\n</parameter>\n</function>\n</tool_call>", calls: c(p1)},
		{format: "qwen3-coder", about: "argument closer missing", reply: "<tool_call>\n<function=ping>\n<parameter=host>\ndb1\n<parameter=count>\n3\n</parameter>\n</function>\n</tool_call>", calls: c(`ping {"host":"db1","count":3}`)},
		{format: "qwen3-coder", about: "function closer missing", reply: "<tool_call>\n<function=ping>\n<parameter=host>\ndb1\n</parameter>\n</tool_call>", calls: c(p1)},
		{format: "qwen3-coder", about: "blanks in tags", reply: "<tool_call>\n<function = ping>\n< parameter = host >\ndb1\n</parameter>\n</function>\n</tool_call>", calls: c(p1)},
		{format: "qwen3-coder", about: "closing argument tag left out at the end", reply: "<tool_call>\n<function=ping>\n<parameter=host>\ndb1\n</function>\n</tool_call>", calls: c(p1)},
		{format: "qwen3-coder", about: "JSON inside", reply: "<tool_call>\n{\"name\": \"ping\", \"arguments\": {\"host\": \"db1\"}}\n</tool_call>", calls: c(p1)},
		{format: "qwen3-coder", about: "two functions in one block", reply: "<tool_call>\n<function=ping>\n<parameter=host>db1</parameter>\n</function>\n<function=uptime>\n</function>\n</tool_call>", calls: c(p1, "uptime {}")},
		{format: "qwen3-coder", about: "closing tags in a value", reply: "<tool_call>\n<function=write_note>\n<parameter=title>\nt\n</parameter>\n<parameter=text>\na </parameter> b </function> c </tool_call> d\n</parameter>\n</function>\n</tool_call>", calls: c(`write_note {"title":"t","text":"a </parameter> b </function> c </tool_call> d"}`)},
		{format: "qwen3-coder", about: "entities stay", reply: "<tool_call>\n<function=get>\n<parameter=key>\na &lt; &amp; b\n</parameter>\n</function>\n</tool_call>", calls: c(`get {"key":"a &lt; &amp; b"}`)},
		{format: "qwen3-coder", about: "in an open thought", reply: "<think>\nGo.\n<tool_call>\n<function=uptime>\n</function>\n</tool_call>", thinking: "Go.", calls: c("uptime {}")},
		{format: "qwen3-coder", about: "second closer of the thought", reply: "<think>Go.</think></think>Hello.", thinking: "Go.", text: "Hello."},
		{format: "qwen3-coder", about: "literal newlines", reply: `<tool_call>\n<function=ping>\n<parameter=host>db1</parameter>\n</function>\n</tool_call>`, calls: c(p1)},
		{format: "qwen3-coder", about: "only mentioned", reply: "The <tool_call> tag and <function=x> too.", text: "The <tool_call> tag and <function=x> too."},
		{format: "seed-oss", about: "plain", reply: "<seed:think>Hm.</seed:think><seed:tool_call>\n<function=ping>\n<parameter=host>db1</parameter>\n</function>\n</seed:tool_call>", thinking: "Hm.", calls: c(p1)},
		{format: "glm-4.5", about: "plain", reply: "<tool_call>ping\n<arg_key>host</arg_key>\n<arg_value>db1</arg_value>\n<arg_key>count</arg_key>\n<arg_value>3</arg_value>\n</tool_call>", calls: c(`ping {"host":"db1","count":3}`)},
		{format: "seed-oss", about: "newlines around a value", reply: "<seed:tool_call>\n<function=get>\n<parameter=key>\na\nb\n</parameter>\n</function>\n</seed:tool_call>", calls: c(`get {"key":"\na\nb\n"}`)},
		{format: "seed-oss", about: "outer tag missing, newline at the end of a value", reply: "<function=get>\n<parameter=key>a\nb\n</parameter>\n</function>", calls: c(`get {"key":"a\nb\n"}`)},
		{format: "glm-4.5", about: "newline at the end of a value", reply: "<tool_call>get\n<arg_key>key</arg_key>\n<arg_value>a\nb\n</arg_value>\n</tool_call>", calls: c(`get {"key":"a\nb\n"}`)},
		{format: "glm-4.7", about: "newline at the end of a value", reply: "<tool_call>get<arg_key>key</arg_key><arg_value>a\nb\n</arg_value></tool_call>", calls: c(`get {"key":"a\nb\n"}`)},
		{format: "laguna", about: "newline at the end of a value", reply: "<tool_call>get<arg_key>key</arg_key><arg_value>a\nb\n</arg_value></tool_call>", calls: c(`get {"key":"a\nb\n"}`)},
		{format: "glm-4.5", about: "no arguments", reply: "<tool_call>uptime\n</tool_call>", calls: c("uptime {}")},
		{format: "glm-4.5", about: "name and key on a line", reply: "<tool_call>ping <arg_key>host</arg_key><arg_value>db1</arg_value></tool_call>", calls: c(p1)},
		{format: "glm-4.5", about: "key closer missing", reply: "<tool_call>ping\n<arg_key>host\n<arg_value>db1</arg_value>\n</tool_call>", calls: c(p1)},
		{format: "glm-4.5", about: "value closer missing", reply: "<tool_call>ping\n<arg_key>host</arg_key>\n<arg_value>db1\n</tool_call>", calls: c(p1)},
		{format: "glm-4.5", about: "key closed as a value", reply: "<tool_call>ping\n<arg_key>host</arg_value>\n<arg_value>db1</arg_value>\n</tool_call>", calls: c(p1)},
		{format: "glm-4.5", about: "value cut off", reply: "<tool_call>write_note\n<arg_key>title</arg_key>\n<arg_value>t</arg_value>\n<arg_key>text</arg_key>\n<arg_value>part", errors: 1},
		{format: "glm-4.5", about: "name cut off", reply: "<tool_call>get", errors: 1},
		{format: "glm-4.5", about: "value quotes a call", reply: "<tool_call>get\n<arg_key>key</arg_key>\n<arg_value><tool_call>x</tool_call></arg_value>\n</tool_call>", calls: c(`get {"key":"<tool_call>x</tool_call>"}`)},
		{format: "glm-4.7", about: "lone closer of a thought", reply: "</think><tool_call>ping<arg_key>host</arg_key><arg_value>db1</arg_value></tool_call>", calls: c(p1)},
		{format: "laguna", about: "JSON in the tags", reply: `<tool_call>{"name": "ping", "arguments": {"host": "db1"}}</tool_call>`, calls: c(p1)},
		{format: "laguna", about: "name and JSON", reply: `<tool_call>ping{"host": "db1"}</tool_call>`, calls: c(p1)},
		{format: "laguna", about: "opener twice", reply: "<tool_call><tool_call>ping<arg_key>host</arg_key><arg_value>db1</arg_value></tool_call>", calls: c(p1)},
		{format: "hy_v3", about: "last closer missing", reply: "<tool_calls><tool_call>ping<tool_sep><arg_key>host</arg_key><arg_value>db1</arg_value>", calls: c(p1)},
		{format: "minimax-m2", about: "entities", reply: "<minimax:tool_call>\n<invoke name=\"get\">\n<parameter name=\"key\">a &lt; b</parameter>\n</invoke>\n</minimax:tool_call>", calls: c(`get {"key":"a < b"}`)},
		{format: "minimax-m2", about: "no quotes, closer missing", reply: "<minimax:tool_call>\n<invoke name=ping>\n<parameter name=host>db1</parameter>\n</invoke>", calls: c(p1)},
		{format: "minimax-m3", about: "nested and repeated", reply: "P<tool_call>\nP<invoke name=\"write_note\">P<title>tP</title>P<text>xP</text>P<tags>P<item>aP</item>P<item>bP</item>P</tags>P<meta>P<n>1P</n>P</meta>P</invoke>\nP</tool_call>", calls: c(`write_note {"title":"t","text":"x","tags":["a","b"],"meta":{"n":1}}`)},
		{format: "minicpm5", about: "CDATA", reply: `<function name="get"><param name="key"><![CDATA[a<b]]></param></function>`, calls: c(`get {"key":"a<b"}`)},
		{format: "dots", about: "JSON", reply: "<dots_function_call>{\"name\": \"ping\", \"arguments\": {\"host\": \"db1\"}}</dots_function_call>", calls: c(p1)},
		{format: "dots", about: "single quotes", reply: "<dots_function_call>\n<invoke name='ping'>\n<parameter name='host'>db1</parameter>\n</invoke>\n</dots_function_call>", calls: c(p1)},
		{format: "solar-open2", about: "thought", reply: "<|think:start|>Hm.<|think:end|><|tool_call:start|>ping\n<|tool_arg:start|>host<|tool_arg:value|>db1<|tool_arg:end|>\n<|tool_call:end|>", thinking: "Hm.", calls: c(p1)},
		{format: "k2-horizon", about: "typed", reply: "<ifm|tool_calls><ifm|tool_call>get<ifm|arg_key>key</ifm|arg_key><ifm|arg_type>string</ifm|arg_type><ifm|arg_value>5</ifm|arg_value></ifm|tool_call></ifm|tool_calls>", calls: c(`get {"key":"5"}`)},
		{format: "kimi-k3", about: "typed", reply: `<|open|>tools<|sep|><|open|>call tool="ping" index="0"<|sep|><|open|>argument key="host" type="string"<|sep|>db1<|close|>argument<|sep|><|open|>argument key="count" type="integer"<|sep|>3<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>`, calls: c(`ping {"host":"db1","count":3}`)},
		{format: "kimi-k3", about: "response", reply: "<|open|>think<|sep|>Hm.<|close|>think<|sep|><|open|>response<|sep|>Hello.<|close|>response<|sep|>", thinking: "Hm.", text: "Hello."},
		{format: "step3", about: "plain", reply: `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="ping"><steptml:parameter name="host">db1</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>`, calls: c(p1)},
		{format: "dsml", about: "typed", reply: "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"write_note\">\n<｜DSML｜parameter name=\"title\" string=\"true\">true</｜DSML｜parameter>\n<｜DSML｜parameter name=\"text\" string=\"true\">\n x\n</｜DSML｜parameter>\n<｜DSML｜parameter name=\"pinned\" string=\"false\">true</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>", calls: c(`write_note {"title":"true","text":"\n x\n","pinned":true}`)},
		{format: "dsml", about: "wrapper argument", reply: "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"ping\">\n<｜DSML｜parameter name=\"arguments\" string=\"false\">{\"host\": \"db1\"}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>", calls: c(p1)},
		{format: "anthropic-xml", about: "plain", reply: "<function_calls>\n<invoke name=\"ping\">\n<parameter name=\"host\">db1</parameter>\n</invoke>\n</function_calls>", calls: c(p1)},
		{format: "anthropic-xml", about: "closer swallowed", reply: "<function_calls>\n<invoke name=\"ping\">\n<parameter name=\"host\">db1</parameter>\n</invoke>\n", calls: c(p1)},
		{format: "anthropic-xml", about: "older form", reply: "<function_calls>\n<invoke>\n<tool_name>ping</tool_name>\n<parameters>\n<host>db1</host>\n</parameters>\n</invoke>\n</function_calls>", calls: c(p1)},
		{format: "cline-xml", about: "plain", reply: "<ping><host>db1</host></ping>", calls: c(p1)},
		{format: "cline-xml", about: "other tags are text", reply: "<b>bold</b> is HTML", text: "<b>bold</b> is HTML"},
		{format: "miro-mcp", about: "plain", reply: "<use_mcp_tool>\n<server_name>net</server_name>\n<tool_name>ping</tool_name>\n<arguments>\n{\"host\": \"db1\"}\n</arguments>\n</use_mcp_tool>", calls: c(p1)},
		{format: "react", about: "with a thought and an invented result", reply: "Thought: I need it.\nAction: ping\nAction Input: {\"host\": \"db1\"}\nObservation: up", text: "Thought: I need it.", calls: c(p1)},
		{format: "react", about: "answer", reply: "Final Answer: 42", text: "42"},
		// Python and Gemma.
		{format: "pythonic", about: "two", reply: `[ping(host="db1", count=2), uptime()]`, calls: c(`ping {"host":"db1","count":2}`, "uptime {}")},
		{format: "pythonic", about: "JSON's constants, no quotes", reply: `[write_note(title=Oslo, text='it\'s', pinned=true)]`, calls: c(`write_note {"title":"Oslo","text":"it's","pinned":true}`)},
		{format: "pythonic", about: "positional and dotted", reply: `[functions.ping("db1", 2)]`, calls: c(`ping {"host":"db1","count":2}`)},
		{format: "pythonic", about: "markers", reply: `<|python_start|>[ping(host="db1")]<|python_end|>`, calls: c(p1)},
		{format: "pythonic", about: "colon", reply: `[ping(host: "db1")]`, calls: c(p1)},
		{format: "pythonic", about: "code is no call", reply: "[x(1), y(2)]", text: "[x(1), y(2)]"},
		{format: "lfm2", about: "plain", reply: `<|tool_call_start|>[ping(host="db1", count=2)]<|tool_call_end|>`, calls: c(`ping {"host":"db1","count":2}`)},
		{format: "lfm2", about: "text after", reply: `<|tool_call_start|>[ping(host="db1")]<|tool_call_end|>Pinging.<|im_end|>`, calls: c(p1), text: "Pinging."},
		{format: "lfm2", about: "no wrapper", reply: `[ping(host="db1")]`, calls: c(p1)},
		{format: "lfm2", about: "no list", reply: `ping(host="db1")`, calls: c(p1)},
		{format: "lfm2", about: "wrapper unpaired", reply: `<|tool_call_start|>[ping(host="db1")]`, calls: c(p1)},
		{format: "lfm2", about: "marker in a string", reply: `<|tool_call_start|>[ping(host="<|tool_call_end|>")]<|tool_call_end|>`, calls: c(`ping {"host":"<|tool_call_end|>"}`)},
		{format: "olmo3", about: "lines", reply: "<function_calls>ping(host=\"db1\")\nping(host=\"db2\", count=2)</function_calls>", calls: c(p1, `ping {"host":"db2","count":2}`)},
		{format: "olmo3", about: "constants", reply: "<function_calls>get_rate(pair=\"x\", places=null)\nget_rate(pair=\"y\", places=None)</function_calls>", calls: c(`get_rate {"pair":"x","places":null}`, `get_rate {"pair":"y","places":null}`)},
		{format: "gemma3", about: "printed", reply: "```tool_code\nprint(ping(host=\"db1\"))\n```", calls: c(p1)},
		{format: "gemma3", about: "JSON", reply: "```json\n{\"name\": \"ping\", \"parameters\": {\"host\": \"db1\"}}\n```", calls: c(p1)},
		{format: "functiongemma", about: "plain", reply: "<start_function_call>call:write_note{pinned:true,text:<escape>x<escape>,title:<escape>hall<escape>}<end_function_call>", calls: c(`write_note {"pinned":true,"text":"x","title":"hall"}`)},
		{format: "gemma4", about: "quotes inside", reply: `<|tool_call>call:write_note{text:<|"|>say "hi" \n{}<|"|>,title:<|"|>t<|"|>,pinned:true}<tool_call|>`, calls: c(`write_note {"text":"say \"hi\" \\n{}","title":"t","pinned":true}`)},
		{format: "gemma4", about: "extra closer, response marker", reply: `<|tool_call>call:uptime{}<tool_call|><tool_call|><|tool_response>`, calls: c("uptime {}")},
		{format: "gemma4", about: "closer missing", reply: `<|tool_call>call:ping{host:<|"|>db1<|"|>}`, calls: c(p1)},
		{format: "gemma4", about: "JSON's quotes", reply: `<|tool_call>call:ping{ "host": "db1"}<tool_call|>`, calls: c(p1)},
		{format: "gemma4", about: "no quotes", reply: `<|tool_call>call:ping{host:db1,count:2}<tool_call|>`, calls: c(`ping {"host":"db1","count":2}`)},
		{format: "gemma4", about: "string without an end", reply: `<|tool_call>call:ping{host:<|"|>db1}<tool_call|>`, errors: 1},
		{format: "gemma4", about: "channel without a name", reply: "<|channel>Hm.<channel|><|channel>thought\n<channel|>Hello.", thinking: "Hm.", text: "Hello."},
		{format: "gemma4", about: "channel", reply: "<|channel>thought\nHm.<channel|>Hello.", thinking: "Hm.", text: "Hello."},
		// JSON in tags, with the defects of section 6.
		{format: "hermes", about: "closer only", reply: "{\"name\": \"ping\", \"arguments\": {\"host\": \"db1\"}}\n</tool_call>", calls: c(p1)},
		{format: "hermes", about: "opener twice", reply: "<tool_call>\n<tool_call>\n{\"name\": \"ping\", \"arguments\": {\"host\": \"db1\"}}\n</tool_call>", calls: c(p1)},
		{format: "hermes", about: "surplus brace", reply: "<tool_call>\n{\"name\": \"ping\", \"arguments\": {\"host\": \"db1\"}}}\n</tool_call>", calls: c(p1)},
		{format: "hermes", about: "brace missing", reply: "<tool_call>\n{\"name\": \"ping\", \"arguments\": {\"host\": \"db1\"}\n</tool_call>", calls: c(p1)},
		{format: "hermes", about: "single quotes", reply: "<tool_call>\n{'name': 'ping', 'arguments': {'host': 'db1'}}\n</tool_call>", calls: c(p1)},
		{format: "hermes", about: "newline in a string", reply: "<tool_call>\n{\"name\": \"get\", \"arguments\": {\"key\": \"a\nb\"}}\n</tool_call>", calls: c(`get {"key":"a\nb"}`)},
		{format: "hermes", about: "quotes in the last string", reply: "<tool_call>\n{\"name\": \"get\", \"arguments\": {\"key\": \"say \"hi\" now\"}}\n</tool_call>", calls: c(`get {"key":"say \"hi\" now"}`)},
		{format: "hermes", about: "an odd quote in a string", reply: "<tool_call>\n{\"name\": \"get\", \"arguments\": {\"key\": \"5\" wide\"}}\n</tool_call>", calls: c(`get {"key":"5\" wide"}`)},
		{format: "hermes", about: "string cut off", reply: "<tool_call>\n{\"name\": \"get\", \"arguments\": {\"key\": \"abc", errors: 1},
		{format: "hermes", about: "literal newlines between tokens", reply: `<tool_call>\n{"name": "ping", "arguments": {"host": "db1"}}\n</tool_call>`, calls: c(p1)},
		{format: "hermes", about: "doubled braces, bare keys", reply: "<tool_call>{{name: \"ping\", arguments: {host: \"db1\"}}}</tool_call>", calls: c(p1)},
		{format: "hermes", about: "fence inside", reply: "<tool_call>\n```json\n{\"name\": \"ping\", \"arguments\": {\"host\": \"db1\"}}\n```\n</tool_call>", calls: c(p1)},
		{format: "hermes", about: "a list in the tags", reply: "<tool_call>[{\"name\": \"ping\", \"arguments\": {\"host\": \"db1\"}}, {\"name\": \"uptime\", \"arguments\": {}}]</tool_call>", calls: c(p1, "uptime {}")},
		{format: "hermes", about: "odd entries in a list", reply: `<tool_call>[1, "x", null, {"name": "uptime", "arguments": {}}]</tool_call>`, calls: c("uptime {}")},
		{format: "hermes", about: "closer twice", reply: "<tool_call>{\"name\": \"uptime\", \"arguments\": {}}</tool_call></tool_call>", calls: c("uptime {}")},
		{format: "hermes", about: "leaked marker in the name", reply: `<tool_call>{"name": "ping<|channel|>commentary", "arguments": {"host": "db1"}}</tool_call>`, calls: c(p1)},
		{format: "hermes", about: "name that begins another", reply: `<tool_call>{"name": "get", "arguments": {"key": "x"}}</tool_call>`, calls: c(`get {"key":"x"}`)},
		{format: "hermes", about: "no tags, fenced", reply: "```json\n{\"name\": \"ping\", \"arguments\": {\"host\": \"db1\"}}\n```", calls: c(p1)},
		{format: "hermes", about: "in a closed thought", reply: "<think>like <tool_call>{\"name\": \"uptime\", \"arguments\": {}}</tool_call></think>ok", thinking: "like <tool_call>{\"name\": \"uptime\", \"arguments\": {}}</tool_call>", text: "ok"},
		{format: "hermes", about: "in an open thought", reply: "<think>go\n<tool_call>{\"name\": \"uptime\", \"arguments\": {}}</tool_call>", thinking: "go", calls: c("uptime {}")},
		{format: "hermes", about: "several thoughts", reply: "<think>a</think>b<think>c</think>d", thinking: "ac", text: "bd"},
	}
}

func TestWitnesses(t *testing.T) {
	for _, w := range witnesses() {
		t.Run(w.format+"/"+w.about, func(t *testing.T) {
			f, err := ByName(w.format)
			if err != nil {
				t.Fatal(err)
			}
			reply := w.reply
			if w.format == "minimax-m3" {
				reply = replaceMark(reply)
			}
			got := decodeEveryWay(t, f, testTools(), true, reply)
			want := outcome{Text: w.text, Thinking: w.thinking, Calls: w.calls}
			errors := got.Errors
			got.Errors, got.Notices, got.Order = nil, nil, ""
			if diff := cmp.Diff(want, got); diff != "" || len(errors) != w.errors {
				t.Errorf("%q:\n%s errors %v", reply, diff, errors)
			}
		})
	}
}

// replaceMark writes MiniMax's prefix for a P before a tag.
func replaceMark(text string) string { return strings.ReplaceAll(text, "P<", envelope.MinimaxMark+"<") }
