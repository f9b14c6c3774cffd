package jsonc_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/assent-ls/assent/internal/jsonc"
)

func TestParse(t *testing.T) {
	text := `// mine
{
  "deny": [ /* none yet */ {"tool": "edit_file",}, ],
}
`
	v, err := jsonc.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	rule := v.Members[0].Value.Elements[0]
	if got := text[rule.Offset : rule.Offset+rule.Length]; got != `{"tool": "edit_file",}` {
		t.Errorf("the rule is %q", got)
	}
	if string(rule.Raw) != `{"tool":"edit_file"}` || rule.Members[0].Value.Text() != "edit_file" {
		t.Errorf("%+v", rule)
	}
}

// S26: 14 texts that a lenient reader would take for something.
func TestParseIsStrict(t *testing.T) {
	for text, want := range map[string]struct {
		at     string // the text begins here that the error is at
		reason string
	}{
		`{"deny":[],"deny":[]}`:                {`"deny":[]}`, "twice"},
		"{\"a\":{\n\"b\":1,\"b\":2}}":          {`"b":2}}`, "twice"},
		"{\"deny\"\u003a[],\"\\u0064eny\":[]}": {`"\u0064eny"`, "twice"},
		"{\n  \"deny\": [,]\n}":                {",]", "not JSON"},
		`{"deny":[]} x`:                        {"x", "not JSON"},
		"":                                     {"", "not JSON"},
		`{'deny':[]}`:                          {"'", "not JSON"},
		`{deny:[]}`:                            {"deny", "not JSON"},
		`{"deny":[]`:                           {"", "not JSON"},
		"{\"a\":\"\xff\"}":                     {"", "not JSON"},
		"// \"\n" + strings.Repeat("[", 65) + "\"": {"[\"", "lie in each other"},
		"/* \" */" + strings.Repeat("[", 65):       {"", "lie in each other"},
		strings.Repeat("[", 1_000_000):             {strings.Repeat("[", 1_000_000-64), "lie in each other"},
		strings.Repeat(" ", 1<<20) + "{}":          {"", "larger"},
	} {
		short := text[:min(len(text), 40)]
		_, err := jsonc.Parse([]byte(text))
		problem, ok := errors.AsType[*jsonc.Error](err)
		if !ok {
			t.Errorf("%q: %v", short, err)
			continue
		}
		if !strings.Contains(problem.Reason, want.reason) || problem.Offset < 0 || problem.Offset+problem.Length > len(text) {
			t.Errorf("%q: %+v", short, problem)
		}
		if want.at != "" && !strings.HasPrefix(text[problem.Offset:], want.at) {
			t.Errorf("%q: the error is at %q", short, text[problem.Offset:min(len(text), problem.Offset+20)])
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"deny":[{"tool":"*"}]} // x`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := jsonc.Parse(data)
		if problem, ok := errors.AsType[*jsonc.Error](err); err != nil && (!ok || problem.Offset < 0 || problem.Offset+problem.Length > len(data)) {
			t.Errorf("%q: %v", data, err)
		}
		if err == nil && v.Offset+v.Length > len(data) {
			t.Errorf("%q: %+v", data, v)
		}
	})
}
