package values

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLadder takes each step alone: what it changes, and what it must leave alone.
func TestLadder(t *testing.T) {
	steps := map[string]func(string) (string, bool){}
	for _, s := range repairSteps() {
		steps[s.name] = s.fix
	}
	tests := []struct{ step, text, want string }{
		{"take off a code fence", "```json\n{\"a\": 1}\n```", `{"a": 1}`},
		{"take off a code fence", `{"a": "` + "```" + `"}`, ""},
		{"cut text after the value", `{"a": "}"} and more`, `{"a": "}"}`},
		{"cut text after the value", `{"a": 1}`, ""},
		{"read a string that holds JSON", `"{\"a\": 1}"`, `{"a": 1}`},
		{"drop literal newlines between tokens", `{\n"a": "x\ny"\n}`, `{"a": "x\ny"}`},
		{"drop literal newlines between tokens", `{"a": "\\n"}`, ""},
		{"escape control characters in strings", "{\n\"a\": \"x\ny\tz\"}", "{\n\"a\": \"x\\ny\\tz\"}"},
		{"escape control characters in strings", "{\n\"a\": 1}", ""},
		{"drop trailing commas", `{"a": [1, 2,], "b": ",]",}`, `{"a": [1, 2], "b": ",]"}`},
		{"drop trailing commas", `{"a": [1, 2]}`, ""},
		{"drop surplus closers", `{"a": 1}}`, `{"a": 1}`},
		{"drop surplus closers", `{"a": [1}]}`, `{"a": [1]}`},
		{"drop surplus closers", `{"a": "}}"}`, ""},
		{"close what is open", `{"a": [1, {"b": "2"`, `{"a": [1, {"b": "2"}]}`},
		{"close what is open", `{"a": 12`, ""},
		{"close what is open", `{"a": "x", `, ""},
		{"close what is open", `{`, ""},
		{"close what is open", `{"a": "half a str`, ""},
		{"read Python literals", `{'a': 'it\'s', "b": "it's", 'c': (True, None, 1_000)}`, `{"a":"it's","b":"it's","c":[true,null,1000]}`},
		{"read Python literals", `{a: 1}`, ""},
		{"drop leaked quote tokens", `{"a": <|"|>x<|"|>}`, `{"a": "x"}`},
		{"drop doubled braces", `{{"a": 1}}`, `{"a": 1}`},
		{"drop doubled braces", `{"a": {"b": 1}}`, ""},
		{"quote bare words", `{a: x, "b": 2}`, `{"a":"x","b":2}`},
	}
	seen := map[string]bool{}
	for _, tt := range tests {
		seen[tt.step] = true
		got, changed := steps[tt.step](tt.text)
		if !changed {
			got = ""
		}
		if got != tt.want {
			t.Errorf("%s: %q gives %q, want %q", tt.step, tt.text, got, tt.want)
		}
	}
	for name := range steps {
		if !seen[name] {
			t.Errorf("the step %q has no test", name)
		}
	}
}

func TestRepair(t *testing.T) {
	tests := []struct {
		text  string
		final bool
		want  string // empty: cannot be repaired
	}{
		{`{"a": "it's"}`, true, `{"a": "it's"}`},
		{"```json\n{'a': 'x',}\n```", true, `{"a":"x"}`},
		{`{"a": "1"`, false, ""},
		{`{"a": "1"`, true, `{"a": "1"}`},
		{`{"a": "x`, true, ""},
		{`{"content": "rm -rf /tmp/`, true, ""},
		{"", true, ""},
		{"null", true, ""},
		{"{", true, ""},
	}
	for _, tt := range tests {
		got, _ := Repair(tt.text, tt.final)
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("%q final=%v: %s", tt.text, tt.final, diff)
		}
	}
}

func TestInnerQuotes(t *testing.T) {
	text := `{"name": "write_note", "arguments": {"title": "t", "text": "say "hi", then {"x": 1}` + "\n" + `end"}}`
	got, ok := EscapeInnerQuotes(text, "text")
	want := `{"name": "write_note", "arguments": {"title": "t", "text": "say \"hi\", then {\"x\": 1}\nend"}}`
	if !ok || got != want {
		t.Errorf("got %s", got)
	}
	if got, ok := EscapeInnerQuotes(`{"text": "a "b" c`, "text"); ok {
		t.Errorf("a string without an end became %s", got)
	}
}

func FuzzRepair(f *testing.F) {
	f.Add(`{'a': "b", c: [1,]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := Repair(text, true); ok && !IsContainer(string(got)) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
