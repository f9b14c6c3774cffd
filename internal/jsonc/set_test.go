package jsonc_test

import (
	"testing"

	"github.com/assent-ls/assent/internal/jsonc"
)

func TestSet(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "{\n  \"k\": \"v\"\n}\n",
		"{}\n":                                "{\n  \"k\": \"v\"\n}\n",
		"{\n  // mine\n  \"a\": 1,\n}\n":      "{\n  \"k\": \"v\",\n  // mine\n  \"a\": 1,\n}\n",
		"{ // mine\n}":                        "{\n  \"k\": \"v\"\n // mine\n}",
		"{\"a\": {\"k\": 1}, \"k\": [1, 2]}":  "{\"a\": {\"k\": 1}, \"k\": \"v\"}",
		"// first\n{\"k\":\"old\"} // last\n": "// first\n{\"k\":\"v\"} // last\n",
	} {
		got, err := jsonc.Set([]byte(text), "k", "v")
		if err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		if _, err := jsonc.Parse(got); err != nil {
			t.Errorf("%q cannot be read: %v", got, err)
		}
	}
	for _, wrong := range []string{"[]", "{", "{\"k\":1,\"k\":2}", "\xff"} {
		if got, err := jsonc.Set([]byte(wrong), "k", "v"); err == nil {
			t.Errorf("%q became %q", wrong, got)
		}
	}
}
