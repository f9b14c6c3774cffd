package formats

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

func TestReadSchema(t *testing.T) {
	s := values.ReadSchema(json.RawMessage(`{"type":"object","required":["b"],"$defs":{"p":{"type":"integer"},"loop":{"$ref":"#/$defs/loop"}},
		"properties":{"b":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/p"}]},"a":{"type":"array","items":{"enum":["x","y"]}},"c":{"$ref":"#/$defs/loop"}}}`))
	if diff := cmp.Diff([]string{"b", "a", "c"}, s.Order); diff != "" {
		t.Error(diff)
	}
	if !s.Properties["b"].Only("integer") || typeName(s.Properties["a"]) != `("x" | "y")[]` {
		t.Errorf("got %+v, %s", s.Properties["b"], typeName(s.Properties["a"]))
	}
}

func TestPayload(t *testing.T) {
	tests := map[string]string{
		`{"name":"ping","parameters":{"host":"a"}}`:                                                       `ping {"host":"a"}`,
		`{"tool":"ping","args":{"host":"a"}}`:                                                             `ping {"host":"a"}`,
		`{"function":{"name":"ping","arguments":"{\"host\":\"a\"}"}}`:                                     `ping {"host":"a"}`,
		`{"type":"function","function":"ping","parameters":{"host":"a"}}`:                                 `ping {"host":"a"}`,
		`{"tool_calls":[{"id":"x","type":"function","function":{"name":"ping","arguments":{"host":1}}}]}`: `ping {"host":"1"}`,
		`{"name":"ping","arguments":{"arguments":{"host":"a"}}}`:                                          `ping {"host":"a"}`,
		`{"name":"ping","parameters":{"host":"a"},"arguments":{"host":"b"}}`:                              `ping {"host":"a"}`,
		`{"name":"ping","arguments":{"host":"a","host":"b"}}`:                                             `ping {"host":"b"}`,
		`{"name":"ping","host":"a"}`:                                                                      `ping {"host":"a"}`,
		`{"action":"ping","action_input":{"host":{"type":"string","value":"a"}}}`:                         `ping {"host":"a"}`,
		`{"name":"uptime","arguments":null}`:                                                              `uptime {}`,
		`{"name":"uptime","arguments":""}`:                                                                `uptime {}`,
		`{"name":"uptime"}`:                                                                               `uptime {}`,
		`[1,"x",null,{"name":"uptime","arguments":{}}]`:                                                   `uptime {}`,
	}
	for text, want := range tests {
		got := decodeEveryWay(t, Described(), testTools(), true, "<tool_call>"+text+"</tool_call>")
		if diff := cmp.Diff([]string{want}, got.Calls); diff != "" || len(got.Errors) > 0 {
			t.Errorf("%s: %s %v", text, diff, got.Errors)
		}
	}
}

// TestNumbersKeepTheirSpelling has what looks like a number where a string is wanted, or JSON has no such notation: a
// mode, a postal code or a telephone number is not counted with.
// Promise 10. Invariant 23.
func TestNumbersKeepTheirSpelling(t *testing.T) {
	t.Parallel()
	tools := []model.Tool{{Name: "keep", Parameters: json.RawMessage(`{"properties":{"s":{"type":"string"},"i":{"type":"integer"},"u":{"type":["string","integer"]},"n":{"type":"number"},"a":{}}}`)}}
	replies := map[string]func(key, word string) string{
		"hermes": func(key, word string) string {
			return `<tool_call>{"name": "keep", "arguments": {"` + key + `": ` + word + `}}</tool_call>`
		},
		"pythonic": func(key, word string) string { return "[keep(" + key + "=" + word + ")]" },
		"gemma4":   func(key, word string) string { return "<|tool_call>call:keep{" + key + ":" + word + "}<tool_call|>" },
		"qwen3-coder": func(key, word string) string {
			return "<tool_call>\n<function=keep>\n<parameter=" + key + ">\n" + word + "\n</parameter>\n</function>\n</tool_call>"
		},
	}
	for _, tt := range []struct{ key, word, want string }{
		{"s", "010", `"010"`},
		{"s", "0644", `"0644"`},
		{"s", "+49123", `"+49123"`},
		{"s", "0x1F", `"0x1F"`},
		{"s", "1.50", `"1.50"`},
		{"s", "12345678901234567890", `"12345678901234567890"`},
		{"i", "010", "10"},
		{"i", "-007", "-7"},
		{"i", "0x1F", "31"},
		{"i", "+5", "5"},
		{"i", "000123456789012345678901234567890", "123456789012345678901234567890"},
		{"i", "0", "0"},
		{"i", "00", "0"},
		{"n", "00.50", "0.50"},
		{"n", "010", "10"},
		{"u", "007", `"007"`},
		{"a", "0644", `"0644"`},
	} {
		for name, reply := range replies {
			f, err := ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			got := decodeEveryWay(t, f, tools, true, reply(tt.key, tt.word))
			if want := []string{`keep {"` + tt.key + `":` + tt.want + `}`}; !slices.Equal(got.Calls, want) {
				t.Errorf("%s, %s: %s gives %v %v, want %v", name, tt.key, tt.word, got.Calls, got.Errors, want)
			}
		}
	}
}

// TestInnerQuotesInACall has quotes in code that are not escaped.
func TestInnerQuotesInACall(t *testing.T) {
	text := `{"name": "write_note", "arguments": {"title": "t", "text": "say "hi", then {"x": 1}` + "\n" + `end"}}`
	if got := decodeEveryWay(t, Described(), testTools(), true, "<tool_call>"+text+"</tool_call>"); len(got.Calls) != 1 {
		t.Errorf("got %+v", got)
	}
}
