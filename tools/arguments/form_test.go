package arguments_test

import (
	"encoding/json"
	"testing"

	"github.com/assent-ls/assent/tools/arguments"
)

// TestAFormThatLeadsBackToItself would end the program by an overflow of its stack.
func TestAFormThatLeadsBackToItself(t *testing.T) {
	for _, schema := range []string{`{"$ref":"#"}`, `{"allOf":[{"$ref":"#"}]}`, `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`, `{"$dynamicRef":"#"}`, `{"allOf":[{"\u0024ref":"#"}]}`} {
		if err := arguments.CheckForm(json.RawMessage(schema), json.RawMessage(`{}`)); err == nil {
			t.Errorf("%s is taken", schema)
		}
	}
	if err := arguments.CheckForm(json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`), json.RawMessage(`{"a":"b"}`)); err != nil {
		t.Error(err)
	}
}
