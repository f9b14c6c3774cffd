package jsonc_test

import (
	"testing"

	"github.com/assent-ls/assent/internal/jsonc"
)

// What a person wrote around the list and in it stays, whatever is added or taken out.
func TestSetInList(t *testing.T) {
	for text, want := range map[string]struct{ in, out string }{
		"":                      {"{\n  \"k\": [\"v\"]\n}\n", ""},
		"{\"a\": 1} // mine\n":  {"{\n  \"k\": [\"v\"],\"a\": 1} // mine\n", "{\"a\": 1} // mine\n"},
		`{"k": null}`:           {`{"k": ["v"]}`, `{"k": null}`},
		`{"k": []}`:             {`{"k": ["v"]}`, `{"k": []}`},
		"{\"k\": [ // none\n]}": {"{\"k\": [\"v\" // none\n]}", "{\"k\": [ // none\n]}"},
		`{"k": ["v"]}`:          {`{"k": ["v"]}`, `{"k": []}`},
		`{"k": ["a", "v"]}`:     {`{"k": ["a", "v"]}`, `{"k": ["a"]}`},
		`{"k": ["a", "v",]}`:    {`{"k": ["a", "v",]}`, `{"k": ["a",]}`},
		`{"k": ["v", "a"]}`:     {`{"k": ["v", "a"]}`, `{"k": ["a"]}`},
		`{"k": ["\u0076"]}`:     {`{"k": ["\u0076"]}`, `{"k": []}`},
		`{"k": ["a", 1,]}`:      {`{"k": ["a", 1, "v",]}`, `{"k": ["a", 1,]}`},
		"{\"k\": [\n  \"a\", // why a\n  \"v\"\n]}": {"{\"k\": [\n  \"a\", // why a\n  \"v\"\n]}", "{\"k\": [\n  \"a\", // why a\n  \n]}"},
	} {
		for in, want := range map[bool]string{true: want.in, false: want.out} {
			got, err := jsonc.SetInList([]byte(text), "k", "v", in)
			if err != nil || string(got) != want {
				t.Errorf("%q, in it %v: %q, %v", text, in, got, err)
			}
			if _, err := jsonc.Parse(got); err != nil && len(got) > 0 {
				t.Errorf("%q cannot be read: %v", got, err)
			}
		}
	}
	for _, wrong := range []string{"[]", "{", `{"k": "v"}`, `{"k": {"v": 1}}`, `{"k": [], "k": []}`, "\xff"} {
		for _, in := range []bool{true, false} {
			if got, err := jsonc.SetInList([]byte(wrong), "k", "v", in); err == nil {
				t.Errorf("%q became %q", wrong, got)
			}
		}
	}
}
