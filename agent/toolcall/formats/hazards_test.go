package formats

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// malformations are defects that models and servers were seen to make, one case or more of each. Two more are not for a
// decoder: a model that falls silent, and one that repeats its call.
func malformations() map[string][]seen {
	c := func(calls ...string) []string { return calls }
	return map[string][]seen{
		"opener missing, closer there": {{format: "qwen3-coder", reply: "<function=ping>\n<parameter=host>\ndb1\n</parameter>\n</function>\n</tool_call>", calls: c(p1)}},
		"JSON without tags, or fenced": {{format: "hermes", reply: pingCall, calls: c(p1)}, {format: "hermes", reply: "```json\n" + pingCall + "\n```", calls: c(p1)}},
		"a broken block beside a good one": {{
			format: "hermes", reply: "Both.\n<tool_call>{\"name\": \"ping\", \"arguments\": }</tool_call>\n<tool_call>" + pingCall + "</tool_call>\nSo.",
			text: "Both.So.", calls: c(p1), errors: 1,
		}},
		"a call in an unclosed thought": {{format: "hermes", reply: "<think>go\n<tool_call>" + pingCall + "</tool_call>", thinking: "go", calls: c(p1)}},
		"recipient on the wrong channel, bare name": {
			{format: "harmony", reply: "<|channel|>analysis to=ping<|message|>{\"host\": \"db1\"}<|call|>", calls: c(p1)},
			{format: "harmony", reply: "<|channel|>comment to=functions.ping<|message|>{\"host\": \"db1\"}", calls: c(p1)},
		},
		"junk in the header": {
			{format: "harmony", reply: "<|start|>assistant––commentary to=functions.ping ?<|channel|>commentary<|constrain|>json<|message|>{\"host\": \"db1\"}<|call|>", calls: c(p1)},
			{format: "harmony", reply: "<|channel|>analysis code?<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.", thinking: "Hm.", text: "Yes."},
		},
		"marker in the name":        {{format: "harmony", reply: "<|channel|>commentary to=functions.ping<|channel|>commentary<|message|>{\"host\": \"db1\"}", calls: c(p1)}},
		"arguments encoded twice":   {{format: "hermes", reply: `<tool_call>{"name": "ping", "arguments": "{\"host\": \"db1\"}"}</tool_call>`, calls: c(p1)}},
		"single quotes, apostrophe": {{format: "hermes", reply: `<tool_call>{'name': 'get', 'arguments': {'key': "it's"}}</tool_call>`, calls: c(`get {"key":"it's"}`)}},
		"an apostrophe in JSON":     {{format: "hermes", reply: `<tool_call>{"name": "get", "arguments": {"key": "it's"}}</tool_call>`, calls: c(`get {"key":"it's"}`)}},
		"a fence round the arguments, text after": {
			{format: "deepseek-v3.1", reply: "<｜tool▁call▁begin｜>ping<｜tool▁sep｜>```json\n{\"host\": \"db1\"}\n```<｜tool▁call▁end｜>", calls: c(p1)},
			{format: "kimi-k2", reply: `<|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>{"host": "db1"} to see it<|tool_call_end|>`, calls: c(p1)},
		},
		"quotes in code that are not escaped": {{format: "hermes", reply: `<tool_call>{"name": "write_note", "arguments": {"title": "t", "text": "fmt.Print("a", "b")"}}</tool_call>`, calls: c(`write_note {"title":"t","text":"fmt.Print(\"a\", \"b\")"}`)}},
		"bare keys, doubled braces, leaked quotes": {
			{format: "hermes", reply: `<tool_call>{{"name": "ping", "arguments": {"host": "db1"}}}</tool_call>`, calls: c(p1)},
			{format: "hermes", reply: `<tool_call>{name: <|"|>ping<|"|>, arguments: {host: <|">db1<|">}}</tool_call>`, calls: c(p1)},
		},
		"literal newlines between tokens": {{format: "qwen3-coder", reply: `<tool_call>\n<function=ping>\n<parameter=host>db1</parameter>\n</function>\n</tool_call>`, calls: c(p1)}},
		"GLM's inner tags missing or swapped": {
			{format: "glm-4.7", reply: "<tool_call>ping<arg_key>host<arg_value>db1</arg_value></tool_call>", calls: c(p1)},
			{format: "glm-4.7", reply: "<tool_call>ping<arg_key>host</arg_value><arg_value>db1</arg_value></tool_call>", calls: c(p1)},
			{format: "glm-4.7", reply: "<tool_call>ping<arg_key>host</arg_key><arg_value>db1</tool_call>", calls: c(p1)},
		},
		"list entries that are no objects": {{format: "jamba", reply: `<tool_calls>[1, "x", null, [], {"name": "uptime", "arguments": {}}]</tool_calls>`, calls: c("uptime {}")}},
		"a marker glued by a relay":        {{format: "gigachat3", reply: "Yes.<|function_call|>{\"name\": \"uptime\", \"arguments\": {}}<|message_sep|></s>", text: "Yes.", calls: c("uptime {}")}},
		"closers twice, stray markers":     {{format: "gemma4", reply: `<|tool_call>call:uptime{}<tool_call|><tool_call|><|tool_response>`, calls: c("uptime {}")}},
		"a result that the model invents": {
			{format: "deepseek-r1", reply: "<｜tool▁call▁begin｜>function<｜tool▁sep｜>uptime\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>up<｜tool▁output▁end｜><｜tool▁outputs▁end｜>", calls: c("uptime {}")},
		},
		"an example in prose":             {{format: "hermes", reply: "A call looks like this:\n" + pingCall, text: "A call looks like this:\n" + pingCall}},
		"a name that begins another":      {{format: "pythonic", reply: `[get(key="a"), get_rate(pair="b")]`, calls: c(`get {"key":"a"}`, `get_rate {"pair":"b"}`)}},
		"noise after the last call":       {{format: "hermes", reply: "<tool_call>" + pingCall + "</tool_call>\n<|im_end|></s><|eom_id|><|endoftext|>\n", calls: c(p1)}},
		"markers taken out by the server": {{format: "lfm2", reply: `[ping(host="db1")]`, calls: c(p1)}, {format: "mistral-args", reply: "[" + pingCall + "]", calls: c(p1)}},
	}
}

func TestMalformations(t *testing.T) {
	for name, cases := range malformations() {
		t.Run(name, func(t *testing.T) {
			for _, w := range cases {
				check(t, w)
			}
		})
	}
}

func check(t *testing.T, w seen) {
	t.Helper()
	f, err := ByName(w.format)
	if err != nil {
		t.Fatal(err)
	}
	got := decodeEveryWay(t, f, testTools(), true, w.reply)
	errors := got.Errors
	got.Errors, got.Notices, got.Order = nil, nil, ""
	if diff := cmp.Diff(outcome{Text: w.text, Thinking: w.thinking, Calls: w.calls}, got); diff != "" || len(errors) != w.errors {
		t.Errorf("%s, %q:\n%s errors %v", w.format, w.reply, diff, errors)
	}
}

// TestWherePeersFail feeds replies rune by rune, the last one together with the end, that Ollama 0.32.15 then shows as
// markup, or swallows (Olmo 3).
func TestWherePeersFail(t *testing.T) {
	const deepseek = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>ping<｜tool▁sep｜>{\"host\": \"db1\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
	tests := []struct{ name, format, reply, text string }{
		{"LFM2", "lfm2", `<|tool_call_start|>[ping(host="db1")]<|tool_call_end|>`, ""},
		{"LFM2 in prose", "lfm2", `I will look.<|tool_call_start|>[ping(host="db1")]<|tool_call_end|>Done.`, "I will look.Done."},
		{"DeepSeek V3", "deepseek-v3.1", deepseek, ""},
		{"DeepSeek V3 after prose", "deepseek-v3.1", "I will look." + deepseek, "I will look."},
		{"Cogito", "deepseek-r1", "I will look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ping\n```json\n{\"host\": \"db1\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", "I will look."},
		{"Olmo 3", "olmo3", `<function_calls>ping(host="db1")</function_calls>`, ""},
		{"Olmo 3 after prose", "olmo3", `I will look.<function_calls>ping(host="db1")</function_calls>`, "I will look."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := ByName(tt.format)
			if err != nil {
				t.Fatal(err)
			}
			d := f.Decoder(testTools())
			var events []toolcall.Event
			runes := strings.Split(tt.reply, "")
			for i, r := range runes {
				chunk := model.Chunk{Text: r}
				if i == len(runes)-1 {
					chunk.Done = &model.Done{Reason: "stop"}
				}
				events = append(events, d.Push(chunk)...)
			}
			got := fold(append(events, d.End(true)...))
			if got.Text != tt.text || len(got.Calls) != 1 || got.Calls[0] != pinged || len(got.Errors) > 0 {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestShownEarly counts the bytes after which prose that only resembles a call is shown.
func TestShownEarly(t *testing.T) {
	tests := []struct{ name, format, prose string }{
		{"a comparison", "hermes", "a <b"},
		{"half a marker", "hermes", "<tool_cat"},
		{"JSON that is data", "text", `{"version": `},
		{"a list", "text", "[1"},
		{"an indented list", "pythonic", "[x("},
		{"a prompt of Python", "functionary-v3.2", "all\n>> "}, // the blank may be before a call
	}
	for _, tt := range tests {
		f, err := ByName(tt.format)
		if err != nil {
			t.Fatal(err)
		}
		d := f.Decoder(testTools())
		if got := fold(d.Push(model.Chunk{Text: tt.prose})); !strings.HasSuffix(strings.TrimRight(tt.prose, " "), got.Text) || got.Text == "" {
			t.Errorf("%s: of %q was shown %q", tt.name, tt.prose, got.Text)
		}
	}
}

// TestStreamHazards has replies that are hard to cut.
func TestStreamHazards(t *testing.T) {
	for _, w := range []seen{
		{format: "hermes", about: "escapes, surrogates", reply: `<tool_call>{"name": "get", "arguments": {"key": "\\\"}\ud83d\ude00\\"}}</tool_call>`, calls: []string{`get {"key":"\\\"}\ud83d\ude00\\"}`}},
		{format: "hermes", about: "numbers and words", reply: `<tool_call>{"arguments": {"host": "a", "count": 12}, "name": "ping"}</tool_call>`, calls: []string{`ping {"host":"a","count":12}`}},
		{format: "qwen3-coder", about: "closers in a value", reply: "<tool_call>\n<function=get>\n<parameter=key>\n</p>\n</parameter> x </tool_call> y\n\n</parameter>\n</function>\n</tool_call>", calls: []string{`get {"key":"</p>\n</parameter> x </tool_call> y\n"}`}},
		{format: "glm-4.7+thinking", about: "echoed opener", reply: "<think>\nHm.\n</think>\n\nYes.", thinking: "Hm.", text: "Yes."},
		{format: "hermes", about: "broken UTF-8", reply: "a\xff\xe2\x96<tool_call>{\"name\": \"get\", \"arguments\": {\"key\": \"\xff\xe2\x96\"}}</tool_call>\xef\xbf\xbd", text: "a\xff\xe2\x96\ufffd", calls: []string{"get {\"key\":\"\xff\xe2\x96\"}"}},
		{format: "hermes", about: "blanks before prose and a call", reply: "a \n\n b \n\n<tool_call>" + pingCall + "</tool_call>\n", text: "a \n\n b", calls: []string{p1}},
		{format: "text", about: "a candidate, rejected, that hides a marker", reply: "{\"name\":\n<tool_call>", text: "{\"name\":", errors: 1},
		{format: "hermes", about: "an empty reply", reply: ""},
	} {
		t.Run(w.about, func(t *testing.T) { check(t, w) })
	}
}
