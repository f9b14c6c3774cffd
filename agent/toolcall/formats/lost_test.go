package formats

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// TestNothingOfAnAnswerIsLost has markers that words speak of, or that are never closed: the words stay.
// Promise 10.
func TestNothingOfAnAnswerIsLost(t *testing.T) {
	for _, w := range []seen{
		{format: "glimmer", about: "a header that is spoken of", reply: "A message begins with <|start|> and ends.", text: "A message begins with <|start|> and ends."},
		{format: "glimmer", about: "one at the end", reply: "It begins with <|start|> here.<|eom|>Yes.", text: "It begins with <|start|> here.Yes."},
		{format: "glimmer", about: "one in a thought", reply: " to=self<|message|>I see <|start|> here.<|eom|><|start|>assistant to=user<|message|>Yes.", thinking: "I see <|start|> here.", text: "Yes."},
		{format: "harmony", about: "one in a thought", reply: "<|channel|>analysis<|message|>I use <|channel|> here.<|end|><|start|>assistant<|channel|>final<|message|>Yes.", thinking: "I use <|channel|> here.", text: "Yes."},
		{format: "harmony", about: "one in the answer", reply: "<|channel|>final<|message|>The token <|start|> begins one.", text: "The token <|start|> begins one."},
		{format: "react", about: "an observation in a sentence", reply: "My Observation: it is fine. So go on.", text: "My Observation: it is fine. So go on."},
		{format: "react", about: "an observation without a call", reply: "Observation: it is fine. So go on.", text: "Observation: it is fine. So go on."},
		{format: "react", about: "an action in a sentence", reply: "The Action: be careful.", text: "The Action: be careful."},
		{format: "deepseek-v3.1", about: "an output that nothing closes", reply: "Hm.<｜tool▁outputs▁begin｜>All the rest.", text: "Hm.<｜tool▁outputs▁begin｜>All the rest."},
		{format: "deepseek-v3.1", about: "a call in it", reply: "Hm.<｜tool▁outputs▁begin｜><｜tool▁call▁begin｜>ping<｜tool▁sep｜>{\"host\": \"db1\"}<｜tool▁call▁end｜>", text: "Hm.<｜tool▁outputs▁begin｜><｜tool▁call▁begin｜>ping<｜tool▁sep｜>{\"host\": \"db1\"}<｜tool▁call▁end｜>"},
	} {
		t.Run(w.format+"/"+w.about, func(t *testing.T) { check(t, w) })
	}
}

// TestNoneOfSeveralCallsIsLost has calls with words between them: each runs or is named in the notice.
// F10.
func TestNoneOfSeveralCallsIsLost(t *testing.T) {
	t.Parallel()
	const (
		first, second, third = `{"name": "ping", "arguments": {"host": "db1"}}`, `{"name": "uptime", "arguments": {}}`, `{"name": "get", "arguments": {"key": "k"}}`
		fence, end           = "```json\n", "\n```"
	)
	replies := []string{
		first + "\n\nThen:\n\n" + second + "\n\nAnd:\n\n" + third,
		"First I look.\n\n" + first + "\n\nThen:\n\n" + second + "\n\nAnd:\n\n" + third,
		fence + first + end + "\n\nThen:\n\n" + fence + second + end + "\n\nAnd:\n\n" + fence + third + end,
		fence + first + "\n\nThen:\n\n" + second + "\n\nAnd:\n\n" + third + end,
		fence + first + "\nThen " + second + "\n" + third + end,
		"<tool_call>\n" + first + "\nThen:\n" + second + "\nAnd:\n" + third + "\n</tool_call>",
		"<tool_call>\n" + first + "\n</tool_call>\nThen:\n<tool_call>\n" + second + "\n</tool_call>\nAnd:\n<tool_call>\n" + third + "\n</tool_call>",
		"<function=ping>{\"host\": \"db1\"}</function>\nThen:\n<function=uptime>{}</function>\nAnd:\n<function=get>{\"key\": \"k\"}</function>",
	}
	eachProfile(t, func(t *testing.T, p profiled) {
		for _, reply := range replies {
			got := decodeTwice(t, p.format, p.begin+reply)
			told := strings.Join(slices.Concat(got.Calls, got.Errors, got.Notices), "\n")
			for _, name := range []string{"ping", "uptime", "get"} {
				if !strings.Contains(told, name) {
					t.Errorf("%q: of %s nothing is said: %+v", reply, name, got)
				}
			}
		}
	})
}

// TestMarkupDoesNotLeak has the markup with which servers leave an answer.
// Promise 10.
func TestMarkupDoesNotLeak(t *testing.T) {
	for _, w := range []seen{
		{format: "kimi-k3", about: "a message", reply: `<|open|>message role="assistant"<|sep|><|open|>think<|sep|>Hm.<|close|>think<|sep|><|open|>response<|sep|>Yes.<|close|>response<|sep|><|close|>message<|sep|><|end_of_msg|>`, thinking: "Hm.", text: "Yes."},
		{format: "ling3", about: "a role", reply: "<role>ASSISTANT</role>Yes.<|role_end|>", text: "Yes."},
		{format: "command-r", about: "a turn", reply: "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>Yes.<|END_OF_TURN_TOKEN|>", text: "Yes."},
		{format: "command-r", about: "citations", reply: "It is <co: 0,12>up</co: 0,12>, as <co: 3>he said</co: 3>.", text: "It is up, as he said."},
		{format: "command-r", about: "no citation", reply: "The element <co: x> is none.", text: "The element <co: x> is none."},
	} {
		t.Run(w.format+"/"+w.about, func(t *testing.T) { check(t, w) })
	}
}

// TestCallsInOneArgumentDoNotRun writes a note that holds two of the format's own calls.
// Promise 3. Invariant 6.
func TestCallsInOneArgumentDoNotRun(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		if f.Name() == "gemma4" || f.Name() == "functiongemma" { // their strings end at the next mark: nothing can be quoted
			return
		}
		for _, between := range []string{"\n", " ", "\nand\n", ""} {
			one := written(f, toolcall.Turn{Calls: []toolcall.Call{call("ping", `{"host":"db1"}`)}})
			c := call("write_note", string(values.WriteObject([]values.Member{{Key: "title", Text: "t"}, {Key: "text", Text: "A " + one + between + one + " b"}})))
			reply := written(f, toolcall.Turn{Calls: []toolcall.Call{c}})
			got := decodeTwice(t, f, reply)
			if len(got.Calls) != 1 || !strings.HasPrefix(got.Calls[0], "write_note ") {
				t.Errorf("%q gives %+v", reply, got)
			}
		}
	})
}

// TestJSONBeforeTheEndOfAThoughtDoesNotRun is for replies of JSON behind a prompt that opens a thought.
// Promise 3.
func TestJSONBeforeTheEndOfAThoughtDoesNotRun(t *testing.T) {
	const made = `{"tool_call": {"name": "ping", "arguments": {"host": "db1"}}}`
	for _, w := range []seen{
		{format: "generic+thinking", about: "closed", reply: made + "</think>No.", thinking: made, text: "No."},
		{format: "generic+thinking", about: "closed, after a blank", reply: "\n" + made + "\n</think>\n" + made, thinking: made, calls: []string{p1}},
		{format: "generic+thinking", about: "never closed", reply: made, calls: []string{p1}},
		{format: "generic+thinking", about: "an answer", reply: "Hm.</think>{\"response\": \"Yes.\"}", thinking: "Hm.", text: "Yes."},
	} {
		t.Run(w.about, func(t *testing.T) { check(t, w) })
	}
}
