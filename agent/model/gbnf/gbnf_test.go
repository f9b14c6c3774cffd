package gbnf_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assent-ls/assent/agent/model/gbnf"
)

// written is the grammar of a schema, as the tests read it.
func written(t *testing.T, schema string) (gbnf.Grammar, grammar) {
	t.Helper()
	g, err := gbnf.FromSchema(json.RawMessage(schema))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	again, err := gbnf.FromSchema(json.RawMessage(schema))
	if err != nil || again.Text != g.Text {
		t.Errorf("%s gives another grammar each time, %v", schema, err)
	}
	return g, parse(t, g.Text)
}

// resolved is a schema that says what is wrong with a value.
func resolved(t *testing.T, schema string) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	whole, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return whole
}

// inventedFit is the property: each text that the grammar allows is JSON, and fits the schema if all of it is held.
func inventedFit(t *testing.T, r *rand.Rand, schema string, count int) {
	t.Helper()
	g, rules := written(t, schema)
	var whole *jsonschema.Resolved // nil: not all of it is held
	if len(g.Unheld) == 0 {
		whole = resolved(t, schema)
	}
	for i := range count {
		text := rules.invent(r, rules["root"], 0)
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			t.Fatalf("%s\nallows %q, which is no JSON, by\n%s", schema, text, g.Text)
		}
		if i%20 == 0 && len(text) < 500 && !rules.accepts(text) { // which takes long
			t.Fatalf("%s\nallows and does not allow %q, by\n%s", schema, text, g.Text)
		}
		if whole == nil {
			continue
		}
		if err := whole.Validate(value); err != nil {
			t.Fatalf("%s\nallows %q: %v, by\n%s", schema, text, err, g.Text)
		}
	}
}

func TestFromSchema(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		schema string
		unheld string
		yes    []string
		no     []string
	}{
		{`true`, "", []string{`{"a": [1, -2.5e+10, "x\n", true, false, null]}`, `""`, `[]`, `{}`}, []string{`{"a":  1}`, `01`, `1e999`, "\"\n\"", `'a'`}},
		{`{"type":"string"}`, "", []string{`"a"`, `"é 😀 \u00e9"`}, []string{`a`, `1`}},
		{`{"type":"string","format":"date","description":"when"}`, "", []string{`"a"`}, nil},
		{`{"type":"integer"}`, "", []string{`0`, `-7`, `12345`}, []string{`1.5`, `1e3`, `-`, `00`}},
		{`{"type":"integer","minimum":1}`, "", []string{`1`, `10`}, []string{`0`, `-1`}},
		{`{"type":"integer","exclusiveMinimum":0}`, "", []string{`1`}, []string{`0`}},
		{`{"type":"integer","minimum":0.5}`, "", []string{`1`}, []string{`0`}},
		{`{"type":"integer","minimum":-1,"maximum":2}`, "", []string{`-1`, `2`}, []string{`3`, `-2`, `12`}},
		{`{"type":"integer","minimum":7}`, "minimum", []string{`9`}, []string{`0`}},
		{`{"type":"integer","maximum":1000}`, "maximum", []string{`9`, `1001`}, []string{`"9"`}},
		{`{"type":"number","minimum":0}`, "", []string{`0.5`, `3`}, []string{`-0.5`}},
		{`{"type":"number","exclusiveMinimum":0}`, "minimum", []string{`0.5`}, []string{`-0.5`}},
		{`{"type":["string","null"]}`, "", []string{`null`, `"null"`}, []string{`1`}},
		{`{"enum":["<a> & \"b\"","é",1,null,{"a":[1]}]}`, "", []string{`"<a> & \"b\""`, `"é"`, `1`, `null`, `{"a":[1]}`}, []string{`"1"`, `2`}},
		{`{"type":"integer","enum":[1,"1"]}`, "", []string{`1`}, []string{`"1"`}},
		{`{"const":"talk"}`, "", []string{`"talk"`}, []string{`"Talk"`, `"talk" `}},
		{`{"type":"object"}`, "", []string{`{}`, `{"a":1, "b":{"c":[]}}`}, []string{`[]`}},
		{`{"type":"object","properties":{}}`, "", []string{`{}`}, []string{`{"a":1}`}},
		{`{"type":"object","additionalProperties":{"type":"integer"}}`, "", []string{`{}`, `{"a":1,"b": 2}`}, []string{`{"a":"b"}`}},
		{
			`{"properties":{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":"integer"}},"required":["b"],"additionalProperties":false}`, "",
			[]string{`{"b":1}`, `{"a":1, "b":2}`, `{"b":2,"c":3}`, `{"a": 1,"b":2,"c":3}`},
			[]string{`{}`, `{"a":1}`, `{"b":1,"a":2}`, `{"b":1,}`, `{"b":1,"d":2}`, `{,"b":1}`},
		},
		{
			`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":null}`, "",
			[]string{`{}`, `{"a":1}`, `{"b":1}`, `{"a":1,"b":2}`},
			[]string{`{"a":1"b":2}`, `{,"b":2}`, `{"a":1,}`},
		},
		{`{"type":"object","required":["x"]}`, "", []string{`{"x":[1]}`}, []string{`{}`}},
		{`{"type":"object","properties":{"never":false,"a":true}}`, "", []string{`{"a":1}`, `{}`}, []string{`{"never":1}`}},
		{`{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":3}`, "", []string{`[1,2]`, `[1, 2, 3]`}, []string{`[1]`, `[1,2,3,4]`, `[]`}},
		{`{"type":"array","items":{"type":"integer"},"maxItems":0}`, "", []string{`[]`}, []string{`[1]`}},
		{`{"type":"array","items":false}`, "", []string{`[]`}, []string{`[1]`}},
		{`{"items":{"enum":["a"]},"minItems":1000}`, "minItems", nil, []string{`["a"]`}},
		{`{"type":"string","minLength":2,"maxLength":3}`, "", []string{`"ab"`, `"a\n"`, `"😀😀😀"`}, []string{`"a"`, `"abcd"`}},
		{`{"type":"string","maxLength":5000}`, "maxLength", []string{`"ab"`}, nil},
		{`{"type":["string","array"],"minItems":2,"maxLength":1}`, "", []string{`"a"`, `[1,2]`}, []string{`"ab"`, `[1]`}},
		{`{"anyOf":[{"type":"integer"},{"const":"x"}]}`, "", []string{`1`, `"x"`}, []string{`"y"`}},
		{`{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}`, "", []string{`{"a":1}`, `{"b":1}`}, []string{`{}`}},
		{`{"type":"string","anyOf":[{"type":["string","null"]},{"maxLength":1}]}`, "type", []string{`"ab"`}, nil},
		{`{"oneOf":[{"type":"integer"},{"type":"string"}]}`, "oneOf", []string{`1`, `"x"`}, []string{`null`}},
		{`{"allOf":[{"type":"integer"}]}`, "", []string{`1`}, []string{`"x"`}},
		{`{"type":"object","properties":{"a":{"type":"integer"}},"allOf":[{"required":["a"]}]}`, "allOf", []string{`{}`, `{"a":1}`}, []string{`{"b":1}`}},
		{`{"type":"object","patternProperties":{"^x":{"type":"integer"}},"properties":{"a":{}}}`, "patternProperties", []string{`{"a":1}`}, []string{`{"b":1}`}},
		{`{"type":"array","uniqueItems":true}`, "uniqueItems", []string{`[1,1]`}, nil},
		{`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"integer"}}}`, "", []string{`1`}, []string{`"x"`}},
		{
			`{"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","properties":{"of":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"additionalProperties":false}}}`, "",
			[]string{`{"of":[{}, {"of":[]}]}`},
			[]string{`{"of":[1]}`},
		},
		{`{"$ref":"#"}`, "$ref", []string{`1`}, nil},
		{`{"$ref":"https://example.com/x"}`, "$ref", []string{`1`}, nil},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}}}`, "$ref", []string{`null`}, nil},
		{`{"type":"any"}`, "type", []string{`1`}, nil},
		{`{"type":"object","properties":{"a":{"not":{}}}}`, "not", []string{`{"a":1}`}, []string{`{"b":1}`}},
	} {
		inventedFit(t, r, test.schema, 60)
		g, rules := written(t, test.schema)
		if got := strings.Join(g.Unheld, " "); got != test.unheld || strings.HasPrefix(g.Text, "# not held: "+test.unheld) != (got != "") {
			t.Errorf("%s: not held is %q, want %q", test.schema, got, test.unheld)
		}
		for _, text := range test.yes {
			if !rules.accepts(text) {
				t.Errorf("%s does not allow %s, by\n%s", test.schema, text, g.Text)
			}
		}
		for _, text := range test.no {
			if rules.accepts(text) {
				t.Errorf("%s allows %s, by\n%s", test.schema, text, g.Text)
			}
		}
	}
}

func TestPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, test := range []struct {
		pattern string
		held    bool
		yes, no []string
	}{
		{`^a|b$`, false, nil, nil}, // one way is open at its end, the other one at its beginning
		{`^(a|b)$`, true, []string{"a", "b"}, []string{"ab", ""}},
		{`^a$|^bc$`, true, []string{"a", "bc"}, []string{"abc"}},
		{`a`, true, []string{"a", "xay"}, []string{"b", ""}},
		{`^a`, true, []string{"ab"}, []string{"ba"}},
		{`a$`, true, []string{"ba"}, []string{"ab"}},
		{`^$`, true, []string{""}, []string{"a"}},
		{`^[^/\"]+$`, true, []string{"a\\b", "ab c"}, []string{"a/b", `a"b`, ""}},
		{`^"\\$`, true, []string{`"\`}, []string{`"`}},
		{`^\d{2,4}-\w+$`, true, []string{"12-a_b", "1234-x"}, []string{"1-a", "12345-a"}},
		{`^(ab){0,3}$`, true, []string{"", "ababab"}, []string{"abababab", "aba"}},
		{`^(ab){2,}$`, true, []string{"abab", "ababab"}, []string{"ab"}},
		{`^.$`, true, []string{"é", "😀", `"`}, []string{"\n", "ab"}},
		{`^(?s:.)$`, true, []string{"\n", `"`}, []string{"ab"}},
		{`^[\s\S]{1,2}$`, true, []string{"\n\n", "a"}, []string{"abc"}},
		{`^\s+x$`, true, []string{" \t\nx"}, []string{"x"}},
		{`^[\]\[^-]+$`, true, []string{"[]^-"}, []string{"a"}},
		{`(?i)^abc$`, false, nil, nil},
		{`^\bword$`, false, nil, nil},
		{`^(a*)*$`, false, nil, nil},
		{`^a(?=b)`, false, nil, nil},
		{`^a{500}$`, false, nil, nil},
		{`a^b`, false, nil, nil},
		{`^[^\x00-\x{10FFFF}]$`, false, nil, nil},
		{`(`, false, nil, nil},
	} {
		quoted, _ := json.Marshal(test.pattern) // of a text
		schema := `{"type":"string","pattern":` + string(quoted) + `}`
		g, rules := written(t, schema)
		if (len(g.Unheld) == 0) != test.held {
			t.Errorf("%s: not held is %q", test.pattern, g.Unheld)
		}
		if test.held {
			inventedFit(t, r, schema, 60)
		}
		for _, text := range test.yes {
			raw, _ := json.Marshal(text) // of a text
			if !rules.accepts(string(raw)) {
				t.Errorf("%s does not allow %s, by\n%s", test.pattern, raw, g.Text)
			}
		}
		for _, text := range test.no {
			raw, _ := json.Marshal(text) // of a text
			if rules.accepts(string(raw)) {
				t.Errorf("%s allows %s, by\n%s", test.pattern, raw, g.Text)
			}
		}
	}
}

// TestGuidedReplies: the schemas of requests as the guided format makes them are held as a whole.
func TestGuidedReplies(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		schema, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		g, rules := written(t, string(schema))
		if len(g.Unheld) > 0 {
			t.Errorf("%s: not held are %q", file, g.Unheld)
		}
		inventedFit(t, rand.New(rand.NewPCG(5, 6)), string(schema), 50)
		if !rules.accepts(`{"do": "talk", "answer": "Yes: \"done\"."}`) || rules.accepts(`{"do":"talk"}`) || rules.accepts(`Yes.`) {
			t.Errorf("%s: of talk it allows the wrong things, by\n%s", file, g.Text)
		}
	}
}

// random is a schema by chance, of what a grammar can say.
func random(r *rand.Rand, depth int) string {
	pick := r.IntN(12)
	if depth > 3 {
		pick = r.IntN(7)
	}
	switch pick {
	case 0:
		return `{"type":"string"}`
	case 1:
		return fmt.Sprintf(`{"type":"string","minLength":%d,"maxLength":%d}`, r.IntN(3), 3+r.IntN(3))
	case 2:
		patterns := []string{`^[a-c]{1,3}$`, `^(x|yz)*[^a]?$`, `q`, `^\\w+( \\w+){0,3}$`}
		return `{"type":"string","pattern":"` + patterns[r.IntN(len(patterns))] + `"}`
	case 3:
		return fmt.Sprintf(`{"type":"integer","minimum":%d,"maximum":%d}`, -r.IntN(5), r.IntN(9))
	case 4:
		return `{"enum":["a","b\"",1.5,true,null]}`
	case 5:
		return `{"type":["boolean","null"]}`
	case 6:
		return `true`
	case 7, 8:
		return fmt.Sprintf(`{"type":"array","items":%s,"minItems":%d}`, random(r, depth+1), r.IntN(3))
	case 9:
		return fmt.Sprintf(`{"anyOf":[%s,%s]}`, random(r, depth+1), random(r, depth+1))
	}
	var properties, required []string
	for _, name := range []string{"a", "b b", `"c`, "é"}[:1+r.IntN(4)] {
		raw, _ := json.Marshal(name) // of a text
		properties = append(properties, string(raw)+":"+random(r, depth+1))
		if r.IntN(2) == 0 {
			required = append(required, string(raw))
		}
	}
	return `{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required, ",") +
		`],"additionalProperties":false}`
}

func TestRandomSchemas(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 150 {
		schema := random(r, 0)
		if g, _ := written(t, schema); len(g.Unheld) > 0 {
			t.Fatalf("%s: not held are %q", schema, g.Unheld)
		}
		inventedFit(t, r, schema, 10)
	}
}

func TestWhatHasNoGrammar(t *testing.T) {
	for _, schema := range []string{``, `{`, `false`, `{"enum":[]}`, `{"type":"string","const":1}`, `{"type":"object","properties":{"a":false},"required":["a"]}`, `{"type":"array","items":false,"minItems":1}`} {
		if g, err := gbnf.FromSchema(json.RawMessage(schema)); err == nil {
			t.Errorf("%s: %s", schema, g.Text)
		}
	}
	deep := strings.Repeat(`{"items":`, 5000) + `{}` + strings.Repeat(`}`, 5000)
	if g, err := gbnf.FromSchema(json.RawMessage(deep)); err != nil || !slices.Equal(g.Unheld, []string{"what is deeper"}) {
		t.Errorf("%v, %v", g.Unheld, err)
	}
}

// FuzzFromSchema: whatever a schema is, the grammar can be read, and what it allows is JSON.
func FuzzFromSchema(f *testing.F) {
	for _, schema := range []string{`{}`, `{"type":"object","properties":{"a":{"type":"string","pattern":"^[a-z]+$"}},"required":["a"]}`, `{"$ref":"#/x","x":{"anyOf":[{"const":1},true]}}`} {
		f.Add(schema, uint64(1))
	}
	f.Fuzz(func(t *testing.T, schema string, seed uint64) {
		g, err := gbnf.FromSchema(json.RawMessage(schema))
		if err != nil {
			return
		}
		rules := parse(t, g.Text)
		if text := rules.invent(rand.New(rand.NewPCG(seed, 1)), rules["root"], 0); !json.Valid([]byte(text)) {
			t.Errorf("%s allows %q, by\n%s", schema, text, g.Text)
		}
	})
}
