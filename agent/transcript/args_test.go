package transcript

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFormatArguments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{`{}`, ""},
		{`{"path":"README.md","start_line":1}`, "path: README.md\nstart_line: 1\n"},
		{`{"b":1.0,"a":1e400}`, "b: 1.0\na: 1e400\n"},
		{`{"a":"1","b":"true","c":"","d":"{x","e":"|","f":" x"}`, "a: \"1\"\nb: \"true\"\nc: \"\"\nd: \"{x\"\ne: \"|\"\nf: \" x\"\n"},
		{`{"a":"one\ntwo\n"}`, "a: |\n  one\n  two\n"},
		{`{"a":"one\ntwo"}`, "a: |-\n  one\n  two\n"},
		{`{"a":"\none\n\n\tb: 1\n\n\n"}`, "a: |\n\n  one\n\n  \tb: 1<U+000A><U+000A>\n"},
		{`{"a":"x \ny\r\n\u202e\n"}`, "a: |\n  x<U+0020>\n  y<U+000D>\n  <U+202E>\n"},
		{`{"a":"\n"}`, "a: \"\\n\"\n"},
		{`{"a":"\u202e\u200b"}`, "a: \"\\u202e\\u200b\"\n"},
		{`{"a":"<U+202E>"}`, "a: \"<U+202E>\"\n"},
		{`{"two words":[1, {"x":"\u202e"}],"":null}`, "\"two words\": [1,{\"x\":\"\\u202e\"}]\n\"\": null\n"},
		{`{"a":"https://x.y/?a=b&c # d: e"}`, "a: https://x.y/?a=b&c # d: e\n"},
		{`{"a":"\ud800"}`, "a: \"\\ud800\"\n"},
	} {
		got, err := FormatArguments(json.RawMessage(tt.in))
		if err != nil || got != tt.want {
			t.Errorf("FormatArguments(%s): %v\n%s", tt.in, err, cmp.Diff(tt.want, got))
		}
	}
	for in, want := range map[string]string{
		``:              "the arguments are not a JSON object",
		`[]`:            "the arguments are not a JSON object",
		`{"a":1,"a":2}`: `the argument "a" is given twice`,
		`{"a":1} x`:     "something follows the JSON object of the arguments",
		`{"a":`:         "the arguments are not valid JSON: EOF",
	} {
		if _, err := FormatArguments(json.RawMessage(in)); err == nil || err.Error() != want {
			t.Errorf("FormatArguments(%s): %v, want %s", in, err, want)
		}
	}
}

// A call that cannot be written as labels is kept as it is, and read back as a call with a problem.
func TestCallThatIsNoObject(t *testing.T) {
	t.Parallel()
	file := Render(Chat{Turns: []Turn{{Role: Assistant, Blocks: []Block{Call{Tool: "a", ID: "b", Arguments: []byte(`{"a":1,"a":2}`)}}}}})
	c := Parse(file)
	call, ok := c.Turns[0].Blocks[0].(Call)
	if !ok || call.Arguments != nil || call.Problem == "" || call.Raw != `{"a":1,"a":2}` {
		t.Errorf("%+v", call)
	}
	if again := Render(*c); again != file {
		t.Error(cmp.Diff(file, again))
	}
}

// Arguments mean the same after they were written and read, and their form is then stable.
func TestArgumentsRoundTrip(t *testing.T) {
	t.Parallel()
	for seed := range fewer(uint64(3_000)) {
		raw := arguments(rand.New(rand.NewPCG(seed, 5)))
		body, err := FormatArguments(raw)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := ParseArguments(body)
		if err != nil {
			t.Fatalf("seed %d: %v in\n%s", seed, err, body)
		}
		checkSame(t, raw, parsed)
		again, err := FormatArguments(parsed)
		if err != nil || again != body {
			t.Fatalf("seed %d: %v %s", seed, err, cmp.Diff(body, again))
		}
	}
}

func checkSame(t *testing.T, a, b json.RawMessage) {
	t.Helper()
	var av, bv any
	if err := json.Unmarshal(a, &av); err != nil {
		return // a number that no float holds
	}
	if err := json.Unmarshal(b, &bv); err != nil {
		t.Fatalf("%q: %v", b, err)
	}
	if diff := cmp.Diff(av, bv); diff != "" {
		t.Fatalf("%q is read back as %q: %s", a, b, diff)
	}
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"a":"x\ny"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		body, err := FormatArguments(json.RawMessage(raw))
		if err != nil {
			return
		}
		parsed, err := ParseArguments(body)
		if err != nil {
			t.Fatalf("%q: %v in\n%s", raw, err, body)
		}
		checkSame(t, json.RawMessage(raw), parsed)
		if again, err := FormatArguments(parsed); err != nil || again != body {
			t.Fatalf("%q: %v %s", raw, err, cmp.Diff(body, again))
		}
	})
}

func FuzzParseArguments(f *testing.F) {
	f.Add("a: |\n  x\n\nb: 1\n")
	f.Fuzz(func(t *testing.T, body string) {
		parsed, err := ParseArguments(body)
		if err == nil && !json.Valid(parsed) {
			t.Fatalf("%q is read as %q, which is not JSON", body, parsed)
		}
	})
}
