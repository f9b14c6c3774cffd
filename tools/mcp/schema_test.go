package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools/mcp"
)

func schema(t *testing.T, text string) any {
	t.Helper()
	var out any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// A schema that would make the validator recurse without end is refused, in whatever case its keys are written: the
// process would die.
func TestASchemaWithoutEndIsRefused(t *testing.T) {
	for _, text := range []string{
		`{"type":"object","$dynamicRef":"#"}`,
		`{"type":"object","properties":{"a":{"$dynamicRef":"#/properties/a"}}}`,
		`{"type":"object","$recursiveRef":"#"}`,
		`{"type":"object","$DYNAMICREF":"#"}`,
		`{"type":"object","allOf":[{"$Ref":"#"}]}`,
		`{"type":"object","$ref":"#"}`,
	} {
		empty := map[string]any{"type": "object"}
		if _, err := mcp.Define(&sdk.Tool{Name: "in", InputSchema: schema(t, text)}); err == nil {
			t.Errorf("%s is taken for arguments", text)
		}
		if _, err := mcp.Define(&sdk.Tool{Name: "out", InputSchema: empty, OutputSchema: schema(t, text)}); err == nil {
			t.Errorf("%s is taken for results", text)
		}
	}
}

// What references repeat is bounded, too.
func TestReferencesToALongTextAreBounded(t *testing.T) {
	var names []string
	for n := range 600 {
		names = append(names, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/long"}`, n))
	}
	text := `{"type":"object","properties":{` + strings.Join(names, ",") + `},"$defs":{"long":{"description":"` + strings.Repeat("x", 20_000) + `"}}}`
	if got, err := mcp.Define(&sdk.Tool{Name: "long", InputSchema: schema(t, text)}); err == nil || !strings.Contains(err.Error(), "it is too large") {
		t.Errorf("%d bytes: %v", len(got), err)
	}
}

// A reference may lead through a list, and be written as an address writes it.
func TestReferencesThroughLists(t *testing.T) {
	got, err := mcp.Define(&sdk.Tool{Name: "x", InputSchema: schema(t, `{"type":"object","properties":{
		"a":{"anyOf":[{"type":"string"},{"type":"integer"}]},"b":{"$ref":"#/properties/a/anyOf/1"},
		"c":{"$ref":"#/$defs/a%20b~1c"}},"$defs":{"a b/c":{"type":"boolean"}}}`)})
	if err != nil || !strings.Contains(got, `"b":{"type":"integer"}`) || !strings.Contains(got, `"c":{"type":"boolean"}`) {
		t.Errorf("%s, %v", got, err)
	}
	for _, ref := range []string{"#/properties/a/anyOf/2", "#/properties/a/anyOf/-1", "#/%zz", "#a"} {
		if _, err := mcp.Define(&sdk.Tool{Name: "x", InputSchema: map[string]any{"type": "object", "properties": map[string]any{
			"a": map[string]any{"anyOf": []any{true}}, "b": map[string]any{"$ref": ref},
		}}}); err == nil {
			t.Errorf("%s leads somewhere", ref)
		}
	}
}
