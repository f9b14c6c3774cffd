package signature_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/python/signature"
)

func one(t *testing.T, parameters string) signature.Function {
	t.Helper()
	if !json.Valid([]byte(parameters)) {
		t.Fatal("no JSON: " + parameters)
	}
	return signature.Of([]signature.Tool{{Name: "f", Parameters: json.RawMessage(parameters)}})[0]
}

func TestTypes(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"string"}`:  "str",
		`{"type":"integer"}`: "int",
		`{"type":"number"}`:  "float",
		`{"type":"boolean"}`: "bool",
		`{"type":"object"}`:  "dict",
		`{"type":"null"}`:    "None",
		`{}`:                 "Any",
		`true`:               "Any",
		`{"type":"date"}`:    "Any",
		`{"type":"array"}`:   "list",
		`{"type":"array","items":{"type":"array","items":{"type":"integer"}}}`: "list[list[int]]",
		`{"type":["null","integer"]}`:                                          "int | None",
		`{"type":["string","date"]}`:                                           "Any",
		`{"anyOf":[{"type":"null"},{"type":"string"},{"type":"integer"}]}`:     "str | int | None",
		`{"oneOf":[{"type":"string"},{"type":"string"}]}`:                      "str",
		`{"oneOf":[{"type":"string"},{}]}`:                                     "Any",
		`{"allOf":[{"description":"x"},{"type":"string"}]}`:                    "str",
		`{"enum":["a","b"]}`:                                                   `Literal["a", "b"]`,
		`{"enum":["a | None","b, c]"]}`:                                        `Literal["a | None", "b, c]"]`,
		`{"enum":["ä\"<\n",1,true,null],"type":"string"}`:                      `Literal["ä\"<\n", 1, True] | None`,
		`{"const":"x"}`: `Literal["x"]`,
		`{"type":"string","enum":["` + strings.Repeat("long", 20) + `"]}`: "str",
		`{"type":"number","enum":[0.5]}`:                                  "float",
		`{"$ref":"#/$defs/point"}`:                                        "dict",
		`{"$ref":"#/$defs/a~1b"}`:                                         "bool",
		`{"$ref":"#/$defs/loop"}`:                                         "Any",
		`{"$ref":"#/$defs/none"}`:                                         "Any",
		`{"$ref":"https://example.org/schema"}`:                           "Any",
		`{"$ref":"#/$defs/tree"}`:                                         "list[list[list[list[list[list[list]]]]]]",
	} {
		f := one(t, `{"$defs":{"point":{"type":"object"},"a/b":{"type":"boolean"},"loop":{"$ref":"#/$defs/loop"},
			"tree":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"properties":{"x":`+schema+`}}`)
		if len(f.Parameters) != 1 || f.Parameters[0].Type != want {
			t.Errorf("%s: got %+v, want %s", schema, f.Parameters, want)
		}
	}
}

func TestSignatures(t *testing.T) {
	f := one(t, `{"type":"object","properties":{
		"limit":{"type":["integer","null"]},"path":{"type":"string","description":"of  the\n file"},"any":{},
		"kind":{"enum":["a","b"]},"lines":{"type":"array","items":{"type":"integer"}}},"required":["lines","path"]}`)
	want := `f(path: str, lines: list[int], limit: int | None = None, any: Any = None, ` +
		`kind: Literal["a", "b"] | None = None) -> str`
	if f.String() != want || f.Doc != "path: of the file" {
		t.Errorf("%s\n%q", f, f.Doc)
	}
	for _, empty := range []string{`{}`, `[]`, `null`, `7`, `{"properties":[]}`, `{"properties":{},"required":"x"}`} {
		if got := one(t, empty); got.String() != "f() -> str" {
			t.Errorf("%s: %s", empty, got)
		}
	}
}

func TestNames(t *testing.T) {
	var specs []signature.Tool
	for _, name := range []string{
		"read_file", "read-file", "read.file", "print", "json", "class", "3d", "größe", "ﬁle", "__import__", "!", "?", "tool", "parallel",
	} {
		specs = append(specs, signature.Tool{Name: name})
	}
	var names, called []string
	for _, f := range signature.Of(specs) {
		names, called = append(names, f.Name), append(called, f.Tool)
	}
	want := []string{
		"read_file", "read_file_2", "read_file_3", "print_", "json_", "class_", "_3d", "größe", "file", "_import__", "tool_2",
		"tool_3", "tool", "parallel_",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if called[1] != "read-file" || called[10] != "!" {
		t.Errorf("they call %q", called)
	}
	f := one(t, `{"properties":{"from":{"type":"string"},"from_":{},"max-size":{},"id":{}},"required":["from"]}`)
	if got := f.String(); got != "f(from_2: str, from_: Any = None, max_size: Any = None, id: Any = None) -> str" {
		t.Error(got)
	}
	if f.Parameters[0].Argument != "from" || f.Parameters[2].Argument != "max-size" {
		t.Errorf("%+v", f.Parameters)
	}
}

// Each built-in tool is a function of its own name, and each of its arguments a parameter of its own name.
func TestBuiltInTools(t *testing.T) {
	var specs []signature.Tool
	for _, tool := range builtin.Tools(nil, builtin.Options{}) {
		s := tool.Spec()
		specs = append(specs, signature.Tool{Name: s.Name, Description: s.Description, Parameters: s.Parameters})
	}
	identifier := regexp.MustCompile(`^[a-z][a-z_]*$`)
	for i, f := range signature.Of(specs) {
		if f.Name != specs[i].Name || f.Tool != specs[i].Name || !strings.HasPrefix(f.Doc, specs[i].Description) {
			t.Errorf("%s: %+v", specs[i].Name, f)
		}
		for _, p := range f.Parameters {
			if p.Name != p.Argument || !identifier.MatchString(p.Name) || p.Type == "Any" {
				t.Errorf("%s: %+v", f.Name, p)
			}
		}
	}
	if len(specs) == 0 {
		t.Error("there are no tools")
	}
}

func TestLinesAndStubs(t *testing.T) {
	spec := signature.Tool{
		Name: "grep", Description: "Find  lines. Shows \"PATH\".",
		Parameters: json.RawMessage(`{"properties":{"pattern":{"type":"string","description":"say \\d or \"\"\""}},"required":["pattern"]}`),
	}
	f := signature.Of([]signature.Tool{spec})[0]
	if got := f.Line(); got != "grep(pattern: str) -> str  # Find lines." {
		t.Error(got)
	}
	want := "def grep(pattern: str) -> str:\n    \"\"\"Find  lines. Shows \\\"PATH\\\".\n    pattern: say \\\\d or \\\"\\\"\\\"\"\"\""
	if got := signature.Stubs([]signature.Function{f, one(t, `{}`)}); got != want+"\ndef f() -> str: ..." {
		t.Error(got)
	}
	spec.Description, spec.Parameters = `It is "x"`, nil
	if got := signature.Of([]signature.Tool{spec})[0].Stub(); got != "def grep() -> str:\n    \"\"\"It is \\\"x\\\"\"\"\"" {
		t.Error(got)
	}
}

// Whatever a server calls its tools and arguments, functions and parameters have names of their own, each for
// one name of the schema.
func FuzzOf(f *testing.F) {
	f.Add("a-b", "a_b", []byte(`{"properties":{"x":{"type":"string"},"x ":{"enum":[null]}},"required":["x"]}`))
	f.Add("class", "", []byte(`{"properties":{"":{},"\u0000":{"anyOf":[{}]}}}`))
	f.Fuzz(func(t *testing.T, first, second string, parameters []byte) {
		list := signature.Of([]signature.Tool{{Name: first, Parameters: parameters}, {Name: second, Parameters: parameters}})
		if list[0].Name == list[1].Name {
			t.Errorf("two functions are called %q", list[0].Name)
		}
		for _, fn := range list {
			named, sent := map[string]bool{}, map[string]bool{}
			for _, p := range fn.Parameters {
				if named[p.Name] || sent[p.Argument] || p.Name == "" || p.Type == "" {
					t.Fatalf("%+v", fn)
				}
				named[p.Name], sent[p.Argument] = true, true
			}
		}
	})
}

func TestDescription(t *testing.T) {
	modules := []string{"math", "json"}
	for name, c := range map[string]struct {
		calls, search bool
		has, lacks    []string
	}{
		"computes":        {false, true, []string{"only computes", "Modules: math json."}, []string{"parallel", "tool_search", "functions"}},
		"calls":           {true, false, []string{"Tools are functions", "parallel([", "last expression"}, []string{"tool_search", "only computes"}},
		"calls and finds": {true, true, []string{"tool_search(query) finds more", "parallel([", "what it prints"}, []string{"only computes"}},
	} {
		got := signature.Description(modules, c.calls, c.search)
		for _, part := range c.has {
			if !strings.Contains(got, part) {
				t.Errorf("%s lacks %q: %s", name, part, got)
			}
		}
		for _, part := range c.lacks {
			if strings.Contains(got, part) {
				t.Errorf("%s has %q: %s", name, part, got)
			}
		}
	}
}
