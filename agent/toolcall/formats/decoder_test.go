package formats

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

const pingCall = `{"name": "ping", "arguments": {"host": "db1"}}`

const pinged = `ping {"host":"db1"}`

// TestCandidates shows from both sides when JSON without a marker is a call and when it is an example.
// Invariant 6.
func TestCandidates(t *testing.T) {
	fence := "```json\n" + pingCall + "\n```"
	calls := map[string]string{
		"fence alone":             fence,
		"fence after a lead-in":   "I will ping the host first.\n\n" + fence,
		"fence and blanks":        fence + "\n\n",
		"fence never closed":      "```json\n" + pingCall,
		"fence closed on line":    "```json\n" + pingCall + "```",
		"fence without a label":   "```\n" + pingCall + "\n```",
		"fence of a tool call":    "```tool_call\n" + pingCall + "\n```",
		"fence with tags":         "```xml\n<tool_call>\n" + pingCall + "\n</tool_call>\n```",
		"fence and end marker":    fence + "<|im_end|>",
		"bare":                    pingCall,
		"bare after a lead-in":    "Pinging.\n" + pingCall,
		"bare over several lines": "{\n  \"name\": \"ping\",\n  \"arguments\": {\n    \"host\": \"db1\"\n  }\n}\n",
		"tags":                    "<tool_call>\n" + pingCall + "\n</tool_call>",
		"tags and prose":          "Let me see.\n<tool_call>" + pingCall + "</tool_call>",
		"tags after a sentence":   "Let me check. <tool_call>" + pingCall + "</tool_call>",
		"tags below an example":   "It is as in the example.\n<tool_call>" + pingCall + "</tool_call>",
		"tag never closed":        "<tool_call>\n" + pingCall,
		"thought before":          "<think>\nPing it.\n</think>\n\n" + fence,
	}
	for name, text := range calls {
		t.Run("call/"+name, func(t *testing.T) {
			for _, f := range []toolcall.Format{Native(), Described()} {
				got := decodeEveryWay(t, f, testTools(), true, text)
				if diff := cmp.Diff([]string{pinged}, got.Calls); diff != "" || len(got.Errors) > 0 {
					t.Errorf("%s: %s %v", f.Name(), diff, got.Errors)
				}
			}
		})
	}
	texts := map[string]string{
		"fence and prose after":    fence + "\nThis would ping the host.",
		"announced as an example":  "Here is an example of a call:\n" + fence,
		"after another fence":      "Run this:\n```sh\nls\n```\nand\n" + fence,
		"after a long explanation": strings.Repeat("Pinging is a long story. ", 20) + "\n" + fence,
		"fence in another label":   "```go\n" + pingCall + "\n```",
		"of an unknown tool":       "```json\n{\"name\": \"sing\", \"arguments\": {}}\n```",
		"JSON that is no call":     "```json\n{\"version\": \"1.0\", \"name\": \"ping\"}\n```",
		"bare JSON that is data":   `{"name": "ping", "version": "1.0"} is the manifest`,
		"bare in a sentence":       "Write " + pingCall + " to call it",
		"bare, then prose":         "So:\n" + pingCall + "\nThat is all.",
		"tags in a code span":      "Write `<tool_call>" + pingCall + "</tool_call>` to call it.",
		"tags in a fence":          "So:\n```\n<tool_call>\n" + pingCall + "\n</tool_call>\n```\nis a call.",
		"tags in a block quote":    "> <tool_call>" + pingCall + "</tool_call>\n",
		"tags in quotation marks":  `Say "<tool_call>` + pingCall + `</tool_call>".`,
		"tags in a sentence":       "To ping you write <tool_call>" + pingCall + "</tool_call> and wait.",
		"tags as an example":       "For example: <tool_call>" + pingCall + "</tool_call>",
		"a tag only mentioned":     "The <tool_call> tag holds a call.",
		"a list":                   "[1, 2, 3] are numbers",
		"a link":                   "[text](http://localhost) is a link",
	}
	for name, text := range texts {
		t.Run("text/"+name, func(t *testing.T) {
			for _, f := range []toolcall.Format{Native(), Described()} {
				got := decodeEveryWay(t, f, testTools(), true, text)
				if len(got.Calls) > 0 || len(got.Errors) > 0 || got.Text != text {
					t.Errorf("%s: %+v", f.Name(), got)
				}
			}
		})
	}
}

// Invariant 6.
func TestDecodeText(t *testing.T) {
	second := `{"name": "uptime", "arguments": {}}`
	tests := []struct {
		name, text string
		want       outcome
	}{
		{"two fences", "Both.\n\n```json\n" + pingCall + "\n```\n\n```json\n" + second + "\n```\n", outcome{Text: "Both.", Calls: []string{pinged, "uptime {}"}, Order: "TCC"}},
		{"two values in a fence", "```json\n" + pingCall + "\n" + second + "\n```", outcome{Calls: []string{pinged, "uptime {}"}, Order: "CC"}},
		{"a list", "[" + pingCall + ", " + second + "]", outcome{Calls: []string{pinged, "uptime {}"}, Order: "CC"}},
		{"two tags", "Look:\n<tool_call>" + pingCall + "</tool_call>\n<tool_call>" + second + "</tool_call>\nDone", outcome{Text: "Look:Done", Calls: []string{pinged, "uptime {}"}, Order: "TCCT"}},
		{"a tag in an argument", `<tool_call>{"name": "ping", "arguments": {"host": "</tool_call><tool_call>"}}</tool_call>`, outcome{Calls: []string{`ping {"host":"</tool_call><tool_call>"}`}, Order: "C"}},
		{"closer forgotten between", "<tool_call>" + pingCall + "\n<tool_call>" + second + "</tool_call>", outcome{Calls: []string{pinged, "uptime {}"}, Order: "CC"}},
		{"a closer alone", "Hello.</tool_call>", outcome{Text: "Hello.", Order: "T"}},
		{"thinking", "<think>\nHm <b>.\n</think>\n\nYes.", outcome{Thinking: "Hm <b>.", Text: "Yes.", Order: "RT"}},
		{"a call in a thought", "<think>Maybe <tool_call>" + pingCall + "</tool_call>?</think>No.", outcome{Thinking: "Maybe <tool_call>" + pingCall + "</tool_call>?", Text: "No.", Order: "RT"}},
		{"a thought that never closes", "<think>It is 42.", outcome{Thinking: "It is 42.", Order: "RU"}},
		{"blanks only beside a call", "\n\n<tool_call>" + pingCall + "</tool_call>\n\n", outcome{Calls: []string{pinged}, Order: "C"}},
		{"prose with marker beginnings", "a <b and <tool_c and ⟨ü⟩", outcome{Text: "a <b and <tool_c and ⟨ü⟩", Order: "T"}},
		{"prose keeps its end", "Hello.\n", outcome{Text: "Hello.\n", Order: "T"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := decodeEveryWay(t, Native(), testTools(), true, tt.text)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMalformedCalls(t *testing.T) {
	tests := []struct{ name, text, tool, reason string }{
		{"unknown tool", `<tool_call>{"name": "pong", "arguments": {}}</tool_call>`, "", `There is no tool "pong". Nearest: ping`},
		{"missing argument", `<tool_call>{"name": "ping", "arguments": {}}</tool_call>`, "ping", `it lacks "host"`},
		{"not an object", `<tool_call>{"name": "ping", "arguments": [1]}</tool_call>`, "ping", "not a JSON object"},
		{"hopeless", `<tool_call>{"name": "ping", "arguments": {"host" = }}</tool_call>`, "ping", "its JSON is broken"},
		{"missing argument in a fence", "```json\n{\"name\": \"ping\", \"arguments\": {}}\n```", "ping", `"required":["host"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := Native().Decoder(testTools())
			events := append(d.Push(model.Chunk{Text: tt.text}), d.End(true)...)
			if len(events) != 1 {
				t.Fatalf("got %d events: %v", len(events), events)
			}
			m, ok := events[0].(toolcall.Malformed)
			if !ok || m.Name != tt.tool || !strings.Contains(m.Reason, tt.reason) || m.Raw == "" {
				t.Errorf("got %#v", events[0])
			}
		})
	}
}

// TestBrokenOff cuts a reply everywhere: a call that is not whole never runs.
// Promise 3. Invariant 6.
func TestBrokenOff(t *testing.T) {
	text := "Look:\n<tool_call>\n" + `{"name": "write_note", "arguments": {"title": "a", "text": "b"}}` + "\n</tool_call>"
	for i := range len(text) {
		got := decodeEveryWay(t, Described(), testTools(), false, text[:i])
		if len(got.Calls) > 0 {
			t.Fatalf("cut at %d: %v", i, got.Calls)
		}
	}
	got := decode(Described(), testTools(), false, text[:len(text)-20])
	if len(got.Errors) != 1 || !strings.Contains(got.Errors[0], "write_note: ") {
		t.Errorf("got %+v", got)
	}
	d := Described().Decoder(testTools())
	events := d.Push(model.Chunk{Text: text[:len(text)-13], Done: &model.Done{Reason: "length"}})
	if got := fold(append(events, d.End(true)...)); len(got.Calls) > 0 || len(got.Errors) != 1 {
		t.Errorf("stopped by a limit: %+v", got)
	}
}

func TestNativeCalls(t *testing.T) {
	d := Native().Decoder(testTools())
	var events []toolcall.Event
	events = append(events, d.Push(model.Chunk{Thinking: "Hm."})...)
	events = append(events, d.Push(model.Chunk{Text: "Now. "})...)
	events = append(events, d.Push(model.Chunk{Calls: []model.Call{{ID: "c1", Name: "Ping", Arguments: []byte(`{"host":"a","count":"3"}`)}}})...)
	events = append(events, d.Push(model.Chunk{Calls: []model.Call{{Name: "pung"}, {Name: "ping", Arguments: []byte(`{"host": "half`)}}})...)
	events = append(events, d.End(true)...)
	want := outcome{Thinking: "Hm.", Text: "Now.", Calls: []string{`ping {"host":"a","count":3}`}, Order: "RTCMM"}
	got := fold(events)
	if len(got.Errors) != 2 {
		t.Errorf("errors: %v", got.Errors)
	}
	got.Errors = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzDecoders(f *testing.F) {
	var formats []toolcall.Format
	number := map[string]byte{}
	for i, name := range everyName() {
		format, err := byEveryName(name)
		if err != nil {
			f.Fatal(err)
		}
		formats, number[name] = append(formats, format), byte(i)
	}
	for i, w := range witnesses() {
		f.Add(w.reply, number[w.format], byte(i%7))
		f.Add(w.reply, byte(i%len(formats)), byte(i%5)) // in a format of another family
	}
	f.Add(`{"answer": "a\ud83d\ude00b\n"}`, number["guided"], byte(2))
	f.Fuzz(func(t *testing.T, text string, which, step byte) {
		n := max(1, int(step)%16)
		var pieces []string
		for rest := text; rest != ""; rest = rest[min(n, len(rest)):] {
			pieces = append(pieces, rest[:min(n, len(rest))])
		}
		format := formats[int(which)%len(formats)]
		for _, complete := range []bool{true, false} {
			whole := decode(format, testTools(), complete, text)
			if diff := cmp.Diff(whole, decode(format, testTools(), complete, pieces...)); diff != "" {
				t.Fatalf("%s: %q in pieces of %d: %s", format.Name(), text, n, diff)
			}
			for _, c := range whole.Calls {
				_, arguments, _ := strings.Cut(c, " ")
				if !values.IsContainer(arguments) {
					t.Fatalf("%s: %q gives arguments %q", format.Name(), text, arguments)
				}
			}
		}
	})
}
