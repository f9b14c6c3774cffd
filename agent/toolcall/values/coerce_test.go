package values

import (
	"encoding/json"
	"testing"
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
		s := ReadSchema(json.RawMessage(`{"type":` + tt.types + `}`))
		if got := string(CoerceText(tt.text, s)); got != tt.want {
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
		s := ReadSchema(json.RawMessage(`{"type":` + tt.types + `}`))
		if got := string(CoerceValue(json.RawMessage(tt.value), s)); got != tt.want {
			t.Errorf("%s as %s gives %s, want %s", tt.value, tt.types, got, tt.want)
		}
	}
}
