package interpreter_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/python/interpreter/interpretertest"
)

func TestMain(m *testing.M) {
	interpretertest.Handle()
	status := m.Run()
	if i := shared.Load(); i != nil {
		i.Close()
	}
	os.Exit(status)
}

// scripted answers calls by a function, and keeps them.
type scripted struct {
	mu     sync.Mutex
	calls  [][]interpreter.Call
	answer func(interpreter.Call) interpreter.Answer
}

func (s *scripted) Call(_ context.Context, calls []interpreter.Call) []interpreter.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, calls)
	answers := make([]interpreter.Answer, len(calls))
	for n, c := range calls {
		if s.answer == nil {
			answers[n] = interpreter.Answer{Value: c.Arguments}
		} else {
			answers[n] = s.answer(c)
		}
	}
	return answers
}

// functions are the tools of the tests.
var functions = []interpreter.Function{
	{
		Name: "read_file", Tool: "read_file", Doc: "Reads a file.",
		Parameters: []interpreter.Parameter{{"path", "path", "str", true}, {"first", "first", "int", false}},
	},
	{Name: "mcp_look_up", Tool: "mcp.look-up", Parameters: []interpreter.Parameter{{"from_", "from", "str", true}, {"max_results", "max-results", "int", false}}},
}

// shared is the interpreter of the tests that need none of their own.
var shared atomic.Pointer[interpreter.Interpreter]

func own(t testing.TB) *interpreter.Interpreter {
	t.Helper()
	if i := shared.Load(); i != nil {
		return i
	}
	i, err := interpreter.New(interpretertest.Options(t))
	if err != nil {
		t.Fatal(err)
	}
	shared.Store(i)
	return i
}

func run(t *testing.T, source string, host *scripted) interpreter.Result {
	t.Helper()
	if host == nil {
		host = &scripted{}
	}
	result, err := own(t).Run(t.Context(), interpreter.Program{Source: source, Functions: functions}, host)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestOutput(t *testing.T) {
	for name, c := range map[string]struct{ source, output, problem string }{
		"printed":               {"print('a', 1)\nprint('ü')", "a 1\nü\n", ""},
		"the last expression":   {"x = 3\nx * 2", "6\n", ""},
		"a string as it is":     {"'a\\nb'", "a\nb\n", ""},
		"others by repr":        {"['a']", "['a']\n", ""},
		"None is not shown":     {"None", "", ""},
		"after what has no end": {"print('a', end='')\n1", "a\n1\n", ""},
		"as a script":           {"def main():\n  print(1)\nif __name__ == '__main__':\n  main()", "1\n", ""},
		"an end of its own":     {"print(1)\nexit()\nprint(2)", "1\n", ""},
		"no file":               {"open('a')", "", "read_file(path)"},
		"no input":              {"input()", "", "EOFError: a program has no input"},
		"a lone surrogate":      {"'a\\ud800b'", "a\uFFFDb\n", ""},
		"an assertion":          {"assert 1 == 2, 'no'", "", "AssertionError: no"},
		"a time":                {"import datetime\ndatetime.datetime.now().year > 2024", "True\n", ""},
		"parsing a time":        {"from datetime import datetime\ndatetime.strptime('2024-05-06', '%Y-%m-%d').day", "6\n", ""},
		"syntax":                {"x = (\n", "", "line 1: SyntaxError: '(' was never closed"},
		"a module":              {"import os", "", "a program cannot import os; it may import only math, json"},
		"a traceback": {
			"def f(n):\n  return 1 / n\n\nf(0)", "",
			"Traceback (most recent call last):\n  line 4\n    f(0)\n  line 2, in f\n    return 1 / n\nZeroDivisionError: division by zero",
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := run(t, c.source, nil)
			if result.Output != c.output || result.Limit != "" || !strings.Contains(result.Error, c.problem) || (result.Error == "") != (c.problem == "") {
				t.Errorf("%+v", result)
			}
		})
	}
}

func TestCalls(t *testing.T) {
	host := &scripted{answer: func(c interpreter.Call) interpreter.Answer {
		if strings.Contains(string(c.Arguments), "missing") {
			return interpreter.Answer{Error: "there is no such file"}
		}
		return interpreter.Answer{Value: json.RawMessage(`{"text": "x\ny", "n": [1, 2.5, null, true]}`)}
	}}
	result := run(t, `
r = read_file("a", first=2)
print(r["text"].splitlines(), r["n"])
try:
    read_file(path="missing")
except ToolError as e:
    print("failed:", e)
mcp_look_up(from_="x", max_results=3)
read_file("missing")
`, host)
	if result.Output != "['x', 'y'] [1, 2.5, None, True]\nfailed: there is no such file\n" ||
		!strings.HasSuffix(result.Error, "line 9\n    read_file(\"missing\")\nToolError: there is no such file") {
		t.Errorf("%+v", result)
	}
	raw, err := json.Marshal(host.calls)
	want := `[[{"Tool":"read_file","Arguments":{"path":"a","first":2},"Line":2}],[{"Tool":"read_file","Arguments":{"path":"missing"},"Line":5}],` +
		`[{"Tool":"mcp.look-up","Arguments":{"from":"x","max-results":3},"Line":8}],[{"Tool":"read_file","Arguments":{"path":"missing"},"Line":9}]]`
	if err != nil || string(raw) != want {
		t.Errorf("%v: %s", err, raw)
	}
}
