package toolcall

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model"
)

func TestCoerceText(t *testing.T) {
	tests := []struct{ types, text, want string }{
		{`"string"`, "5", `"5"`},
		{`"string"`, " a\n", `" a\n"`},
		{`"string"`, "null", `"null"`},
		{`"integer"`, "5.0", "5"},
		{`"integer"`, "018956", "18956"},
		{`"integer"`, "five", `"five"`},
		{`"number"`, "2.50", "2.50"},
		{`"number"`, "null", "null"},
		{`"number"`, "-", `"-"`},
		{`"number"`, "-.5", "-0.5"},
		{`"number"`, "--5", `"--5"`},
		{`"boolean"`, "True", "true"},
		{`"boolean"`, "maybe", `"maybe"`},
		{`"array"`, "['a', 1]", `["a",1]`},
		{`"object"`, `{"a": 1}`, `{"a":1}`},
		{`"object"`, "{broken", `"{broken"`},
		{`["string","integer"]`, "7", "7"},
		{`["boolean","string"]`, "true", "true"},
		{`["string","null"]`, "null", "null"},
		{`[]`, "[1, 2]", "[1,2]"},
		{`[]`, "plain", `"plain"`},
	}
	for _, tt := range tests {
		s := readSchema(json.RawMessage(`{"type":` + tt.types + `}`))
		if got := string(coerceText(tt.text, s)); got != tt.want {
			t.Errorf("%q as %s gives %s, want %s", tt.text, tt.types, got, tt.want)
		}
	}
}

func TestCoerceValue(t *testing.T) {
	tests := []struct{ types, value, want string }{
		{`"integer"`, `"5"`, "5"},
		{`"integer"`, `5.0`, "5"},
		{`"string"`, `5123123`, `"5123123"`},
		{`"string"`, `"5123123"`, `"5123123"`},
		{`"string"`, `{"type":"string","value":"x"}`, `"x"`},
		{`"boolean"`, `"false"`, "false"},
		{`"array"`, `"[1, 2]"`, "[1,2]"},
		{`"object"`, `{"type":"a","value":1}`, `{"type":"a","value":1}`},
		{`["integer","string"]`, `"5"`, `"5"`},
		{`"integer"`, `"x"`, `"x"`},
		{`[]`, `"5"`, `"5"`},
	}
	for _, tt := range tests {
		s := readSchema(json.RawMessage(`{"type":` + tt.types + `}`))
		if got := string(coerceValue(json.RawMessage(tt.value), s)); got != tt.want {
			t.Errorf("%s as %s gives %s, want %s", tt.value, tt.types, got, tt.want)
		}
	}
}

func TestReadSchema(t *testing.T) {
	s := readSchema(json.RawMessage(`{"type":"object","required":["b"],"$defs":{"p":{"type":"integer"},"loop":{"$ref":"#/$defs/loop"}},
		"properties":{"b":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/p"}]},"a":{"type":"array","items":{"enum":["x","y"]}},"c":{"$ref":"#/$defs/loop"}}}`))
	if diff := cmp.Diff([]string{"b", "a", "c"}, s.order); diff != "" {
		t.Error(diff)
	}
	if !s.properties["b"].only("integer") || typeName(s.properties["a"]) != `("x" | "y")[]` {
		t.Errorf("got %+v, %s", s.properties["b"], typeName(s.properties["a"]))
	}
}

func TestResolve(t *testing.T) {
	c := newCatalog(testTools(), &schemas{})
	for written, want := range map[string]string{
		"ping": "ping", " ping\n": "ping", "functions.ping": "ping", "functions.ping:0": "ping", "ping:12": "ping",
		"ping<|channel|>commentary": "ping", "Write-Note": "write_note", "writeNote": "write_note", "get": "get", "get_rate": "get_rate",
		"getrate": "get_rate", "pin": "", "pingpong": "", "": "",
	} {
		got := ""
		if t := c.resolve(written); t != nil {
			got = t.Name
		}
		if got != want {
			t.Errorf("%q resolves to %q, want %q", written, got, want)
		}
	}
	if diff := cmp.Diff([]string{"ping", "uptime", "get"}, c.near("pinng")); diff != "" {
		t.Error(diff)
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

// TestNumbersKeepTheirSpelling has what looks like a number where a string is wanted, or JSON has no such notation: a mode, a
// postal code or a telephone number is not counted with.
func TestNumbersKeepTheirSpelling(t *testing.T) {
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
