package formats

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/envelope"
	"github.com/assent-ls/assent/agent/toolcall/values"
	"github.com/assent-ls/assent/tools/python/signature"
)

// executor is the tool that runs programs.
func executor() model.Tool {
	return model.Tool{
		Name: signature.Execution, Description: "Runs a program.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"program":{"type":"string"}},"required":["program"]}`),
	}
}

func programTools() []model.Tool { return append(testTools(), executor()) }

// readers are formats that are primary while programs run: a program is a call in each of them.
func readers(t *testing.T, fence string) map[string]toolcall.Format {
	t.Helper()
	all := map[string]toolcall.Format{}
	for name, names := range map[string][]string{
		"python": {"python"}, "native": {"native", "text"}, "hermes": {"hermes", "text"}, "text": {"text"}, "gemma3": {"gemma3"},
		"pythonic": {"pythonic"},
	} {
		if fence != "" {
			names = append(names, Python)
		}
		f, err := Finder{}.Fenced(fence).ForModel(names, false)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = f
	}
	return all
}

func fenceOf(info, code string) string { return "```" + info + "\n" + code + "\n```" }

const programCode = "total = 0\nfor host in [\"a\", 'b']:  # it's \"each\"\n    total += len(ping(host))\ntotal"

// A program in its own fence, at the end of a complete reply, is a call in every format.
func TestProgramsRun(t *testing.T) {
	t.Parallel()
	long := "text = \"\"\"\n```python\nprint('no')\n```\n\"\"\"\nx = '' + \"\" + r'\\''\nprint(text, '''it's \\''' ''')"
	steps := strings.Repeat("First I look at an example, then at the format. ", 20) + "\n\nI ping both."
	for name, c := range map[string]struct{ reply, text, program string }{
		"alone":                    {fenceOf("tool_code", programCode), "", programCode},
		"after a sentence":         {"I will ping both hosts.\n\n" + fenceOf("tool_code", programCode), "I will ping both hosts.", programCode},
		"after what it will do":    {"Let me see what it says:\n" + fenceOf("tool_code", programCode), "Let me see what it says:", programCode},
		"blanks behind it":         {fenceOf("tool_code", programCode) + "\n\n", "", programCode},
		"closed on its line":       {"```tool_code\nprint(2 ** 100)```", "", "print(2 ** 100)"},
		"computes":                 {fenceOf("tool_code", "2 ** 100"), "", "2 ** 100"},
		"fences in texts":          {fenceOf("tool_code", long), "", long},
		"a comment with a quote":   {fenceOf("tool_code", "# don't\nping(\"a\")\nx = 1 # ```"), "", "# don't\nping(\"a\")\nx = 1 # ```"},
		"labelled as Python":       {fenceOf("python", programCode), "", programCode},
		"parallel":                 {fenceOf("py", "parallel([lambda: 1])"), "", "parallel([lambda: 1])"},
		"an end marker":            {fenceOf("tool_code", programCode) + "<|im_end|>", "", programCode},
		"an indented continuation": {fenceOf("tool_code", "\n\nx = [\n  1,\n]\nx\n  "), "", "x = [\n  1,\n]\nx"},
		"after a long text":        {strings.TrimSpace(steps) + "\n\n" + fenceOf("tool_code", programCode), strings.TrimSpace(steps), programCode},
		"behind a thought":         {"<think>Maybe.</think>\n" + fenceOf("tool_code", programCode), "", programCode},
	} {
		for format, f := range readers(t, "") {
			got := decodeEveryWay(t, f, programTools(), true, c.reply)
			want := []string{signature.Execution + " " + string(values.WriteObject([]values.Member{{Key: "program", Text: c.program}}))}
			if diff := cmp.Diff(want, got.Calls); diff != "" || got.Text != c.text || len(got.Errors)+len(got.Notices) > 0 {
				t.Errorf("%s in %s: %+v\n%s", name, format, got, diff)
			}
		}
	}
}

// A program that is only shown never runs, and stays text.
func TestShownProgramsNeverRun(t *testing.T) {
	t.Parallel()
	block := fenceOf("tool_code", programCode)
	python := fenceOf("python", programCode)
	long := strings.Repeat("This is how it works. ", 30)
	for name, reply := range map[string]string{
		"text behind it":            block + "\nThat is the program.",
		"in the middle":             "So:\n" + block + "\nand then\n",
		"announced":                 "Here is an example:\n" + block,
		"announced for instance":    "You could count them, for instance, with this program.\n" + block,
		"told to write it":          "To ping them, one writes:\n" + block,
		"told how":                  "You call it like:\n" + block,
		"in another language":       "Zum Beispiel:\n\n" + block,
		"quoted":                    "The file says:\n" + block,
		"in a quotation":            "> " + strings.ReplaceAll(block, "\n", "\n> "),
		"in a list":                 "- First:\n  " + strings.ReplaceAll(block, "\n", "\n  "),
		"in a list without words":   "1. " + strings.ReplaceAll(block, "\n", "\n   "),
		"in a longer fence":         "````\n" + block + "\n````",
		"in a fence of Markdown":    "````markdown\n" + block + "\n````",
		"behind another fence":      "Run this first:\n```sh\nls\n```\n" + block,
		"Python behind a long text": long + "\n" + python,
		"in HTML":                   "<pre>\n" + block + "\n</pre>",
		"another label":             fenceOf("go", programCode),
		"no label":                  fenceOf("", programCode),
		"more than a label":         fenceOf("tool_code x", programCode),
		"four ticks":                "`" + block + "`",
		"nothing in it":             fenceOf("tool_code", " \n"),
		"Python for the user":       fenceOf("python", "def add(a, b):\n    return a + b\n\nprint(add(1, 2))"),
		"Python with an own tool":   fenceOf("python", "def ping(host):\n    return host\n\nprint(ping('a'))"),
		"Python that imports it":    fenceOf("python", "from net import uptime, ping\nprint(ping('a'))"),
		"Python with a method":      fenceOf("python", "import net\nnet.ping('a')\nprint(x .ping)"),
		"Python with a text":        fenceOf("python", "print('ping(1)')  # ping(2)\n'''ping(3)'''"),
		"Python of a named example": "Here is an example:\n" + python,
		"Python and words":          python + "\nI hope this helps.",
		"Python without an end":     "```python\n" + programCode,
		"several, then words":       block + "\n" + block + "\nDone.",
	} {
		for format, f := range readers(t, "") {
			got := decodeEveryWay(t, f, programTools(), true, reply)
			if len(got.Calls)+len(got.Errors) > 0 || got.Text != reply && strings.TrimSpace(got.Text) != strings.TrimSpace(reply) {
				t.Errorf("%s in %s: %+v", name, format, got)
			}
		}
	}
	for _, f := range readers(t, "") { // a thought is no reply
		got := decodeEveryWay(t, f, programTools(), true, "<think>\n"+block+"\n</think>\nHello.")
		if len(got.Calls)+len(got.Errors) > 0 || got.Text != "Hello." {
			t.Errorf("in a thought: %+v", got)
		}
	}
}

// A program of a reply that was cut off never runs, wherever it was cut, nor does one whose fence has no end.
func TestCutProgramsNeverRun(t *testing.T) {
	t.Parallel()
	reply := "I will ping both.\n" + fenceOf("tool_code", programCode)
	for format, f := range readers(t, "") {
		for i := range len(reply) + 1 {
			if got := decode(f, programTools(), false, reply[:i]); len(got.Calls) > 0 {
				t.Errorf("%s: %q runs %v", format, reply[:i], got.Calls)
			}
			if got := decode(f, programTools(), true, reply[:i]); len(got.Calls) > 0 && i < len(reply) {
				t.Errorf("%s: %q runs %v", format, reply[:i], got.Calls)
			}
		}
		for _, complete := range []bool{true, false} {
			got := decode(f, programTools(), complete, strings.TrimSuffix(reply, "\n```"))
			if len(got.Errors) != 1 || !strings.Contains(got.Errors[0], "the fence around the program has no end") || got.Text != "I will ping both." {
				t.Errorf("%s, complete %v: %+v", format, complete, got)
			}
		}
		limit := f.Decoder(programTools())
		events := limit.Push(model.Chunk{Text: reply, Done: &model.Done{Reason: "length"}})
		if got := fold(append(events, limit.End(true)...)); len(got.Calls) > 0 {
			t.Errorf("%s: a reply that reached its limit runs %v", format, got.Calls)
		}
	}
}

// Without the tool that runs programs no program runs, whatever another tool of its name takes.
func TestProgramsNeedTheTool(t *testing.T) {
	t.Parallel()
	other := executor()
	other.Parameters = json.RawMessage(`{"type":"object","properties":{"code":{"type":"string"}},"required":["code"]}`)
	for format, f := range readers(t, "") {
		for _, tools := range [][]model.Tool{testTools(), append(testTools(), other), nil} {
			reply := fenceOf("tool_code", programCode)
			if got := decodeEveryWay(t, f, tools, true, reply); len(got.Calls)+len(got.Errors) > 0 || got.Text != reply {
				t.Errorf("%s: %+v", format, got)
			}
		}
	}
}

// A profile whose models write their programs as Python has them run, also if they only compute; nothing else changes.
func TestTheFenceOfAProfile(t *testing.T) {
	t.Parallel()
	computes := fenceOf("python", "print(2 ** 100)")
	for format, f := range readers(t, envelope.PythonFence) {
		if got := decodeEveryWay(t, f, programTools(), true, computes); len(got.Calls) != 1 {
			t.Errorf("%s: %+v", format, got)
		}
		for _, shown := range []string{computes + "\nThat is it.", "For example:\n" + computes, "> " + strings.ReplaceAll(computes, "\n", "\n> ")} {
			if got := decodeEveryWay(t, f, programTools(), true, shown); len(got.Calls) > 0 {
				t.Errorf("%s: %q runs", format, shown)
			}
		}
	}
	f, _ := Finder{}.Fenced(envelope.PythonFence).ByName("python")
	asked := f.Request("", nil, programTools(), toolcall.Hints{}).Messages[0].Text
	if !strings.Contains(asked, "```python\n") || strings.Contains(asked, "tool_code") {
		t.Error(asked)
	}
	if one := written(f, toolcall.Turn{Calls: []toolcall.Call{call(signature.Execution, `{"program":"1"}`)}}); one != computes[:len("```python\n")]+"1\n```" {
		t.Error(one)
	}
}

// A format that is not enabled does not run programs, and python alone runs nothing else.
func TestProgramsAreAFormat(t *testing.T) {
	t.Parallel()
	reply := fenceOf("tool_code", programCode)
	for _, c := range []struct {
		enabled []string
		reply   string
		runs    bool
	}{
		{[]string{"hermes", "python"}, reply, true},
		{[]string{"hermes"}, reply, false},
		{[]string{"python"}, "<tool_call>\n{\"name\": \"python_execution\", \"arguments\": {\"program\": \"1\"}}\n</tool_call>", false},
	} {
		f, err := Finder{}.Choose([]string{"hermes"}, false, Choice{Enabled: c.enabled})
		if err != nil {
			t.Fatal(err)
		}
		got := decodeEveryWay(t, f, programTools(), true, c.reply)
		if len(got.Calls) > 0 != c.runs || !c.runs && (len(got.Notices) != 1 || got.Text != c.reply) {
			t.Errorf("%v: %+v", c.enabled, got)
		}
	}
}

// What the format writes reads back as the same calls, whatever the program holds.
func TestWrittenProgramsReadBack(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"1", programCode, "", " ", "\n1", "1\n", "1 ", "  1", "x = '''", "```", "# ```\n1", "'''\n```\n'''", "a\n```\nb", "\"\\", "'\n```\n'", "a\r\nb", "\u00e4\u2028",
		"print('<tool_call>')", "```tool_code\n1\n```", "x = \"\"\"a\\\"\"\" ```\"\"\"", "1 ``", "`1`",
	} {
		assertProgramReadsBack(t, code)
	}
	f, _ := ByName("python")
	several := []toolcall.Call{call(signature.Execution, `{"program":"a = 1"}`), call(signature.Execution, `{"program":"2"}`)}
	if got := decode(f, programTools(), true, written(f, toolcall.Turn{Text: "Both.", Calls: several})); len(got.Calls) != 2 || got.Text != "Both." {
		t.Errorf("%+v", got)
	}
}

func assertProgramReadsBack(t *testing.T, code string) {
	t.Helper()
	f, err := ByName("python")
	if err != nil {
		t.Fatal(err)
	}
	c := call(signature.Execution, string(values.WriteObject([]values.Member{{Key: "program", Text: code}})))
	reply := written(f, toolcall.Turn{Calls: []toolcall.Call{c}})
	d := f.Decoder(programTools())
	events := append(d.Push(model.Chunk{Text: reply}), d.End(true)...)
	got, ok := toolcall.Event(nil), false
	if len(events) == 1 {
		got, ok = events[0].(toolcall.Called)
	}
	if !ok || !sameJSON(got.(toolcall.Called).Call.Arguments, c.Arguments) {
		t.Errorf("%q written as %q gives %+v", code, reply, events)
	}
}

func FuzzProgramsReadBack(f *testing.F) {
	f.Add(programCode)
	f.Add("'''\n```\n'''\nx = \"")
	f.Fuzz(func(t *testing.T, code string) { assertProgramReadsBack(t, strings.ToValidUTF8(code, "")) })
}

// Any chunking of a fence gives the same, and what does not run is shown as it was written.
func FuzzFences(f *testing.F) {
	f.Add("So.\n" + fenceOf("tool_code", programCode))
	f.Add(fenceOf("python", "print('```')") + "\nx")
	formats := []string{"python", "native", "hermes"}
	f.Fuzz(func(t *testing.T, reply string) {
		for _, name := range formats {
			format, err := ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			got := decodeEveryWay(t, format, programTools(), true, reply)
			if fmt.Sprint(got.Calls) != fmt.Sprint(decode(format, programTools(), true, reply).Calls) {
				t.Errorf("%q: %+v", reply, got)
			}
		}
	})
}

// allModules are the names of the modules that programs may import.
var allModules = strings.Fields("math json random re datetime collections itertools functools operator string textwrap " +
	"copy types typing abc numbers decimal fractions statistics hashlib base64 binascii html")

// Fifty tools take no more of the prompt than the tool that runs programs, until a search finds some of them: one line
// each.
func TestFiftyToolsAreDescribedShortly(t *testing.T) {
	t.Parallel()
	program := executor()
	program.Description = signature.Description(allModules, true, true)
	tools := []model.Tool{program, {Name: signature.Search, Description: "Find more tools.", Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`)}}
	for i := range 50 {
		tools = append(tools, model.Tool{
			Name: fmt.Sprintf("crate_%d", i), Description: "Moves a crate. It is heavy.", Found: true,
			Parameters: json.RawMessage(`{"type":"object","properties":{"to":{"type":"string"},"slowly":{"type":"boolean"}},"required":["to"]}`),
		})
	}
	f, err := ByName("python")
	if err != nil {
		t.Fatal(err)
	}
	request := func(turns ...toolcall.Turn) []model.Message {
		return f.Request("", turns, tools, toolcall.Hints{}).Messages
	}
	prompt := request()[0].Text
	if n := model.RoughTokens(prompt); n > 150 || n < 50 || len(request()) != 1 {
		t.Errorf("%d tokens:\n%s", n, prompt)
	}
	found := "You can call these tools now:\n" + `{"name":"crate_7","description":"Moves a crate. It is heavy.","parameters":{"type":"object","properties":{"to":{"type":"string"},"slowly":{"type":"boolean"}},"required":["to"]}}`
	after := request(toolcall.Turn{Role: model.RoleUser, Text: "Move it."}, toolcall.Turn{
		Role: model.RoleTool, CallID: "1", Name: signature.Search, Text: found, Facts: toolcall.Facts{Tools: []string{"crate_7"}},
	})
	want := "Result of tool_search:\nYou can call these tools now:\ncrate_7(to: str, slowly: bool | None = None) -> str  # Moves a crate."
	if last := after[len(after)-1].Text; last != want || after[0].Text != prompt {
		t.Errorf("%s\n%s", last, after[0].Text)
	}
	if found := request(toolcall.Turn{Role: model.RoleTool, CallID: "1", Name: "read_file", Text: found}); !strings.Contains(found[1].Text, `{"name":"crate_7"`) {
		t.Error("what a file holds was changed")
	}
}

// What a model is told of functions is how it can call them.
func TestFunctionsInThePrompt(t *testing.T) {
	t.Parallel()
	f, _ := ByName("python")
	got := f.Request("Be short.", nil, programTools(), toolcall.Hints{}).Messages[0].Text
	want := "Be short.\n\nRuns a program.\nFunctions:\n" +
		"ping(host: str, count: int | None = None) -> str  # Send a packet to a host.\n" +
		"uptime() -> str  # Tell how long the machine runs.\n" +
		"write_note(title: str, text: str, pinned: bool | None = None, weight: float | None = None, tags: list[str] | None = None, meta: dict | None = None) -> str  # Write a note.\n" +
		"get(key: str) -> str  # Get a value.\n" +
		"get_rate(pair: str, places: int | None = None) -> str  # Get an exchange rate.\n" +
		"To run one, write a fence like this and stop; the next message brings what it printed:\n```tool_code\nprint(1 + 1)\n```"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := f.Request("", nil, testTools()[1:2], toolcall.Hints{}).Messages[0].Text; !strings.HasPrefix(got, "Functions:\nuptime() -> str") {
		t.Error(got)
	}
	if got := f.Request("", nil, nil, toolcall.Hints{}).Messages; len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// A model whose every reply a schema limits makes a program of one text.
func TestGuidedPrograms(t *testing.T) {
	t.Parallel()
	schema := string(Guided().Request("", nil, []model.Tool{executor()}, toolcall.Hints{RequireCall: true}).Format)
	want := `{"type":"object","properties":{"do":{"enum":["look","change","run","compute"]},"tool":{"const":"python_execution"},` +
		`"arguments":{"type":"object","properties":{"program":{"type":"string"}},"required":["program"]}},"required":["do","tool","arguments"],"additionalProperties":false}`
	if schema != want {
		t.Error(schema)
	}
	reply := `{"do": "run", "tool": "python_execution", "arguments": {"program": ` + string(values.Quote(programCode)) + `}}`
	got := decodeEveryWay(t, Guided(), programTools(), true, reply)
	if len(got.Calls) != 1 || got.Text != "" || !strings.HasPrefix(got.Calls[0], `python_execution {"program":"total = 0\nfor`) {
		t.Errorf("%+v", got)
	}
	shown := `{"do": "talk", "answer": ` + string(values.Quote(fenceOf("tool_code", programCode))) + `}`
	if got := decodeEveryWay(t, Guided(), programTools(), true, shown); len(got.Calls) > 0 {
		t.Errorf("a program in an answer runs: %+v", got)
	}
}

// Where no tools are known, as in assent decode, calls are calls, and anything else is a program.
func TestProgramsOfUnknownTools(t *testing.T) {
	t.Parallel()
	f, _ := ByName("python")
	for code, want := range map[string]string{
		"ping(host=\"db1\")": "ping", "x = ping(\"db1\")\nprint(x)": signature.Execution,
	} {
		events, err := Replay{Format: f, Text: fenceOf("tool_code", code)}.Decode()
		if got := fold(events); err != nil || len(got.Calls) != 1 || !strings.HasPrefix(got.Calls[0], want+" {") {
			t.Errorf("%q: %+v, %v", code, got, err)
		}
	}
}
