package schema

import (
	"encoding/json"
	"testing"
)

func TestLookup(t *testing.T) {
	const issue = `{"type":"object","properties":{"id":{"type":"string"},"state":{"type":"string"}},"required":["id"]}`
	for name, c := range map[string]struct {
		schema string
		said   []string
		bare   bool
		want   string
	}{
		"an identifier is a word that was said": {
			issue,
			[]string{"issue", "103"},
			false,
			`{"type":"object","properties":{"id":{"enum":["issue","103"]},"state":{"type":"string"}},"required":["id"]}`,
		},
		"a number is one of the numbers": {
			`{"properties":{"issue_number":{"type":"integer"}}}`,
			[]string{"issue", "103"},
			false,
			`{"type":"object","properties":{"issue_number":{"enum":[103]}},"required":null}`,
		},
		"bare":                           {issue, nil, true, `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`},
		"nothing was said":               {issue, nil, false, ``},
		"no number was said":             {`{"properties":{"id":{"type":"integer"}}}`, []string{"x"}, false, ``},
		"values that the tool lists":     {`{"properties":{"key":{"type":"string","enum":["a"]}}}`, []string{"x"}, false, ``},
		"what is no identifier":          {`{"properties":{"valid":{"type":"string"},"keyboard":{"type":"string"}}}`, []string{"x"}, false, ``},
		"a schema that cannot be read":   {`7`, []string{"x"}, true, ``},
		"a property that cannot be read": {`{"properties":{"id":7}}`, []string{"x"}, false, ``},
	} {
		if got := string(Lookup(json.RawMessage(c.schema), c.said, c.bare)); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
}
