package interpreter_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/python/interpreter"
)

// echo answers with the path that was asked for, and fails where it is "missing".
func echo() *scripted {
	return &scripted{answer: func(c interpreter.Call) interpreter.Answer {
		var asked struct{ Path string }
		if err := json.Unmarshal(c.Arguments, &asked); err != nil {
			return interpreter.Answer{Error: err.Error()}
		}
		if strings.HasPrefix(asked.Path, "missing") {
			return interpreter.Answer{Error: "no file " + asked.Path}
		}
		value, _ := json.Marshal("text of " + asked.Path)
		return interpreter.Answer{Value: value}
	}}
}

func TestParallel(t *testing.T) {
	for name, c := range map[string]struct {
		source, output, problem string
		batches                 string // the paths of each batch
	}{
		"lambdas":      {`parallel([lambda: read_file("a"), lambda: read_file("b").upper()])`, "['text of a', 'TEXT OF B']\n", "", "a b"},
		"tuples":       {`parallel([(read_file, "a"), (read_file, "b", 2)])`, "['text of a', 'text of b']\n", "", "a b"},
		"partial":      {"import functools\nparallel([functools.partial(read_file, p) for p in 'ab'])", "['text of a', 'text of b']\n", "", "a b"},
		"results":      {`parallel([read_file("a"), read_file("b")])`, "['text of a', 'text of b']\n", "", "a|b"},
		"a generator":  {`parallel((read_file, p) for p in "ab")`, "['text of a', 'text of b']\n", "", "a b"},
		"nothing":      {`parallel([])`, "[]\n", "", ""},
		"several each": {`parallel([lambda: read_file(read_file("a")), lambda: read_file("b")])`, "['text of text of a', 'text of b']\n", "", "a b|text of a"},
		"one fails":    {`[type(r).__name__ + ": " + str(r) for r in parallel([(read_file, "missing"), (read_file, "b")])]`, "['ToolError: no file missing', 'str: text of b']\n", "", "missing b"},
		"all fail":     {`[str(r) for r in parallel([(read_file, "missing1"), (read_file, "missing2")])]`, "['no file missing1', 'no file missing2']\n", "", "missing1 missing2"},
		"failures inside": {
			"def f(p):\n  try: return read_file(p)\n  except ToolError: return read_file('b')\nparallel([lambda: f('missing'), lambda: f('a')])",
			"['text of b', 'text of a']\n", "", "missing a|b",
		},
		"catching all": {
			"def f(p):\n  try: return read_file(p)\n  except: return 'caught'\nparallel([lambda: f('a'), lambda: f('b')])",
			"['text of a', 'text of b']\n", "", "a b",
		},
		"printing once":  {"def f(p):\n  print('begin', p)\n  x = read_file(p)\n  print('end', p)\n  return x\nlen(parallel([lambda: f('a'), lambda: f('b')]))", "begin a\nend a\nbegin b\nend b\n2\n", "", "a b"},
		"inside another": {`parallel([lambda: parallel([(read_file, "a"), (read_file, "b")]), lambda: read_file("c")])`, "[['text of a', 'text of b'], 'text of c']\n", "", "a c|b"},
		"a mistake":      {`parallel([lambda: read_file("a"), lambda: 1 / 0])`, "", "ZeroDivisionError: division by zero", ""},
		"other calls again": {
			"n = [0]\ndef f():\n  n[0] += 1\n  return read_file(str(n[0]))\nparallel([f])",
			"", "it has to make the same calls each time", "1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			host := echo()
			result := run(t, c.source, host)
			var batches []string
			for _, calls := range host.calls {
				var paths []string
				for _, call := range calls {
					var asked struct{ Path string }
					if err := json.Unmarshal(call.Arguments, &asked); err != nil {
						t.Error(err)
					}
					paths = append(paths, asked.Path)
				}
				batches = append(batches, strings.Join(paths, " "))
			}
			if result.Output != c.output || !strings.Contains(result.Error, c.problem) || (result.Error == "") != (c.problem == "") ||
				strings.Join(batches, "|") != c.batches {
				t.Errorf("%+v, calls %q", result, batches)
			}
		})
	}
}

// TestWrongArguments: no call is made, and the program is told how the function is called.
func TestWrongArguments(t *testing.T) {
	for source, problem := range map[string]string{
		`read_file()`:                       "TypeError: read_file() needs path; call it as read_file(path: str, first: int = None)",
		`read_file("a", 1, 2)`:              "TypeError: read_file() takes 2 arguments and got 3; call it as",
		`read_file(file="a")`:               "TypeError: read_file() has no parameter file; call it as",
		`read_file("a", path="a")`:          "TypeError: read_file() got path twice; call it as",
		`read_file({1})`:                    "TypeError: read_file() cannot take this path: a value of the type set has no JSON form; call it as",
		`read_file(b"a")`:                   "the type bytes has no JSON form",
		`read_file(lambda: 1)`:              "the type function has no JSON form",
		`read_file(float("nan"))`:           "cannot take this path: Out of range float values are not JSON compliant",
		"x = []\nx.append(x)\nread_file(x)": "cannot take this path: ",
		`mcp_look_up()`:                     "needs from_; call it as mcp_look_up(from_: str, max_results: int = None)",
	} {
		host := &scripted{}
		if result := run(t, source, host); !strings.Contains(result.Error, problem) || len(host.calls) > 0 {
			t.Errorf("%s: %+v, %d calls", source, result, len(host.calls))
		}
	}
}

// TestArguments: what a program may write for an argument, and what the host gets.
func TestArguments(t *testing.T) {
	for source, want := range map[string]string{
		`read_file("ü\n\"")`:                     `{"path":"ü\n\""}`,
		`read_file("a", None)`:                   `{"path":"a"}`,
		`read_file(path="a", first=10**30)`:      `{"path":"a","first":1000000000000000000000000000000}`,
		`read_file((1, 2.5, [True, None]))`:      `{"path":[1,2.5,[true,null]]}`,
		`read_file({"a": {"b": 1}, 2: 3})`:       `{"path":{"a":{"b":1},"2":3}}`,
		`mcp_look_up(**{"from": "x"})`:           `{"from":"x"}`,
		`mcp_look_up("x", **{"max-results": 1})`: `{"from":"x","max-results":1}`,
	} {
		host := &scripted{}
		result := run(t, source, host)
		var got, wanted any
		if len(host.calls) != 1 {
			t.Errorf("%s: %+v", source, result)
			continue
		}
		err := json.Unmarshal(host.calls[0][0].Arguments, &got)
		if err2 := json.Unmarshal([]byte(want), &wanted); err != nil || err2 != nil || fmt.Sprint(got) != fmt.Sprint(wanted) {
			t.Errorf("%s: %s", source, host.calls[0][0].Arguments)
		}
	}
}

// TestWhatAFunctionSays: a program can look at how a tool is called.
func TestWhatAFunctionSays(t *testing.T) {
	result := run(t, "print(read_file.__name__, read_file.__annotations__)\nread_file.__doc__", nil)
	want := "read_file {'path': 'str', 'first': 'int'}\nread_file(path: str, first: int = None)\n\nReads a file.\n"
	if result.Output != want {
		t.Errorf("%+v", result)
	}
}
