package formats

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// markers are those of a format: of its grammar, and the tags and words of a call that it wrote.
func markers(f toolcall.Format) []string {
	var all []string
	add := func(list ...string) {
		for _, m := range list {
			if m != "" && !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	g := grammarOf(f)
	for _, b := range g.Blocks {
		add(b.Open...)
		add(b.Closers...)
	}
	for _, t := range g.Thoughts {
		add(t.Open...)
		add(t.Close...)
	}
	add(g.Noise...)
	add(tokenPattern.FindAllString(written(f, toolcall.Turn{Calls: []toolcall.Call{call("write_note", `{"title":"a","meta":{"b":[1]},"text":"c"}`)}}), -1)...)
	return all
}

var tokenPattern = regexp.MustCompile(`(?s)<[^<>\n]*>?|\[[A-Z_]+\]|[\w:]+|[^\w<]`)

// hostileStrings are values that formats were seen to change, and the marks of the format in every place.
func hostileStrings(f toolcall.Format) []string {
	all := []string{
		"", " ", "\n", "\n\n", "a\n", "\na", "\na\n", "\n\na\n\n", "\r\na\r\n", "a\r", "\t", "010", "0644", "0x1F", "1_000", "+5", "-0", "1e5", ".5", "5.", "00", "5", "5.0",
		"true", "True", "null", "None", "NaN", `"a"`, `"`, `'`, `''`, `"null"`, `"\"5\""`, `"5"`, `\`, `\\`, `\"`, `\n`, `a\`, "&lt;a&gt; &amp;amp; &quot;", "&", "a<b && c>d", "\x00", "\x00a\x1f", "é😀 ｜▁",
		"{}", "[]", `{"a":1}`, `[1,`, "{'a': 'b'}", "<![CDATA[a]]>", "]]>", "```", "```json\n{}\n```", "`", "</", "<", ">", "</parameter>", "</value>", "<value>", "<other>x</other>", "a, b", "(a)", "x=1", "call:keep{}",
		"[[a]]", "{{a}}", "}", "]", "<!-- -->", "  a  ", "# a", "> a", "-", ":", "=", "a: b", "\u2028", "~~~",
		written(f, toolcall.Turn{Calls: []toolcall.Call{call("keep", `{"value":"x"}`)}}), written(f, toolcall.Turn{Text: "So.", Calls: []toolcall.Call{call("keep", `{"value":"x","other":"y"}`), call("keep", `{"value":"z"}`)}}),
	}
	for _, m := range markers(f) {
		all = append(all, m, "a"+m+"b", m+"\n", "\n"+m+m)
	}
	return all
}

// keepTool takes one value of a schema.
func keepTool(schema string) []model.Tool {
	return []model.Tool{{Name: "keep", Parameters: json.RawMessage(`{"type":"object","properties":{"value":` + schema + `,"other":{"type":"string"}},"required":["value"]}`)}}
}

// rendered is how a format sends a call of an earlier turn that it did not write itself.
func rendered(f toolcall.Format, tools []model.Tool, c toolcall.Call) string {
	messages := f.Request("", []toolcall.Turn{{Role: model.RoleAssistant, Calls: []toolcall.Call{c}}}, tools, toolcall.Hints{}).Messages
	m := messages[len(messages)-1]
	if len(m.Calls) > 0 {
		return Described().Request("", []toolcall.Turn{{Role: model.RoleAssistant, Calls: []toolcall.Call{c}}}, nil, toolcall.Hints{}).Messages[0].Text
	}
	return m.Text
}

// sameJSON compares values; lone surrogates are no characters and compared as they are spelt.
func sameJSON(a, b []byte) bool {
	if strings.Count(string(a), `\ud8`) != strings.Count(string(b), `\ud8`) {
		return false
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// readsBack reports what becomes of a call that a format wrote; "" if it is the same.
func readsBack(f toolcall.Format, tools []model.Tool, arguments string) (reply, problem string) {
	reply = rendered(f, tools, call("keep", arguments))
	want := grammar.NewReader(tools).Event(grammar.Draft{Name: "keep", Arguments: json.RawMessage(arguments), Unchecked: true})
	d := f.Decoder(tools)
	events := append(d.Push(model.Chunk{Text: reply}), d.End(true)...)
	if len(events) == 1 {
		if got, ok := events[0].(toolcall.Called); ok && sameJSON(got.Call.Arguments, want.(toolcall.Called).Call.Arguments) {
			return reply, ""
		}
	}
	return reply, strings.TrimSpace(strings.Join(strings.Fields(string(mustJSON(fold(events)))), " "))
}

func mustJSON(v any) []byte {
	text, _ := json.Marshal(v)
	return text
}

// holding gives arguments that hold text where a schema wants it.
func holding(text string) map[string][]string {
	q := string(values.Quote(text))
	return map[string][]string{
		`{"type":"string"}`:             {`{"value":` + q + `}`, `{"value":"a","other":` + q + `}`, `{"other":` + q + `,"value":` + q + `}`},
		`{"type":["string","null"]}`:    {`{"value":` + q + `}`},
		`{"type":["string","integer"]}`: {`{"value":` + q + `}`},
		`{}`:                            {`{"value":` + q + `}`},
		`{"type":"array"}`:              {`{"value":[` + q + `]}`, `{"value":["a",[` + q + `],` + q + `]}`},
		`{"type":"array","items":{"type":"string"}}`: {`{"value":[` + q + `,` + q + `]}`},
		`{"type":"object"}`:                          {`{"value":{"k":` + q + `}}`, `{"value":{"k":{"m":[` + q + `,1,null,true]},"l":` + q + `}}`, `{"value":{` + q + `:1}}`},
	}
}

// TestWhatIsWrittenReadsBack renders hostile values (see sampleOf) with every format and decodes them: they are the
// same.
// Promise 10. Invariant 23.
func TestWhatIsWrittenReadsBack(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		for i, text := range sample(f.Name(), hostileStrings(f)) {
			all := holding(text)
			schemas := slices.Sorted(maps.Keys(all))
			some := []string{`{"type":"string"}`, schemas[i%len(schemas)], schemas[(i+3)%len(schemas)]} // the fuzz target has all of them
			slices.Sort(some)
			for _, schema := range slices.Compact(some) {
				for _, arguments := range all[schema] {
					if reply, problem := readsBack(f, keepTool(schema), arguments); problem != "" {
						t.Errorf("%s %.80s written as %.300q gives %.300s", schema, arguments, reply, problem)
					}
				}
			}
		}
		for _, long := range sample(f.Name(), []string{"a", "\n", "<", "</parameter>\n", "&lt;\"\\"}) {
			arguments := `{"value":` + string(values.Quote(strings.Repeat(long, 1<<16/len(long)))) + `}`
			if _, problem := readsBack(f, keepTool(`{"type":"string"}`), arguments); problem != "" {
				t.Errorf("64 kB of %q gives %.300s", long, problem)
			}
		}
		for schema, all := range map[string][]string{
			`{"type":"integer"}`: {"0", "-1", "10", "123456789012345678901234567890", "5.0", `"5"`, `"010"`, `"x"`}, `{"type":"number"}`: {"0", "-0.5", "1e5", "1E-7", `"2.50"`, "10"},
			`{"type":"boolean"}`: {"true", "false", `"true"`}, `{"type":["integer","null"]}`: {"null", "7"}, `{}`: {"null", "true", "10", "1e5", "[]", "{}", "[null,0]"},
			`{"type":"object"}`: {"{}", `{"a":{}}`, `{"a":[]}`, `{"a":[[],[{}]]}`}, `{"type":"array"}`: {"[]", "[[]]", "[1]", "[{}]", `[{"a":1},{"a":2}]`}, `{"type":"string"}`: {`"\ud800"`, `"a\udfffb"`, `"\ud83d\ude00"`, "10", "true"},
		} {
			for _, value := range all {
				arguments := `{"value":` + value + `}`
				if reply, problem := readsBack(f, keepTool(schema), arguments); problem != "" {
					t.Errorf("%s %.80s written as %.300q gives %.300s", schema, arguments, reply, problem)
				}
			}
		}
	})
}

// FuzzWrittenReadsBack is TestWhatIsWrittenReadsBack for any string.
func FuzzWrittenReadsBack(f *testing.F) {
	names := everyName()
	for i, name := range names {
		format, err := byEveryName(name)
		if err != nil {
			f.Fatal(err)
		}
		for j, m := range sample(name, markers(format)) {
			f.Add(m+"\n"+m, byte(i), byte(j))
		}
	}
	f.Fuzz(func(t *testing.T, text string, which, kind byte) {
		format, err := byEveryName(names[int(which)%len(names)])
		if err != nil {
			t.Fatal(err)
		}
		all := holding(text)
		schema := slices.Sorted(maps.Keys(all))[int(kind)%len(all)]
		for _, arguments := range all[schema] {
			if reply, problem := readsBack(format, keepTool(schema), arguments); problem != "" {
				t.Errorf("%s: %s %.80q written as %.300q gives %.300s", format.Name(), schema, arguments, reply, problem)
			}
		}
	})
}
