package interpreter_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/python/interpreter/interpretertest"
)

// reach is how a program gets at the interpreter's own modules, as any program can that knows CPython.
const reach = "import random\nos = random._os\nsys = os.sys\n"

// TestHandWrittenMessages: what a program writes to the pipe itself is at worst a call like any other.
func TestHandWrittenMessages(t *testing.T) {
	for name, c := range map[string]struct {
		written string // bytes in Python
		problem string
		calls   int
	}{
		"a call":              {`b'{"calls":[{"tool":"delete_file","arguments":{"path":"a"},"line":7}]}\n'`, "", 1},
		"a call of nothing":   {`b'{"calls":[{"tool":"","arguments":{},"line":7}]}\n'`, "the program wrote to the pipe", 0},
		"no arguments":        {`b'{"calls":[{"tool":"a"}]}\n'`, "the program wrote to the pipe", 0},
		"arguments as a list": {`b'{"calls":[{"tool":"a","arguments":[]}]}\n'`, "the program wrote to the pipe", 0},
		"no JSON":             {`b'hello\n'`, "the program wrote to the pipe", 0},
		"two in a line":       {`b'{"out":"a"}{"out":"b"}\n'`, "the program wrote to the pipe", 0},
		"an unknown field":    {`b'{"approve":true}\n'`, "the program wrote to the pipe", 0},
		"another type":        {`b'{"calls":7}\n'`, "the program wrote to the pipe", 0},
		"nothing":             {`b'{}\n'`, "the program wrote to the pipe", 0},
		"ready again":         {`b'{"ready":[1,2,3]}\n'`, "the program wrote to the pipe", 0},
		"an end":              {`b'{"end":{"error":"made up","limit":""}}\n'`, "made up", 0},
		"an unknown limit":    {`b'{"end":{"error":"","limit":"approved"}}\n'`, "the program wrote to the pipe", 0},
		"an exit":             {`b'{"exit":{"status":0,"trap":"","memory":false}}\n'`, "the program ended its interpreter", 0},
		"bytes":               {`bytes(range(256)) + b'\n'`, "the program wrote to the pipe", 0},
		"a line without end":  {`b'a' * 9_000_000`, "a line of more than 8 MB", 0},
		"an answer":           {`b'{"answers":[{"value":1}]}\n'`, "the program wrote to the pipe", 0},
	} {
		t.Run(name, func(t *testing.T) {
			host := &scripted{}
			result := run(t, reach+"os.write(1, "+c.written+")\nprint(1)", host)
			if !strings.Contains(result.Error, c.problem) || (result.Error == "") != (c.problem == "") || len(host.calls) != c.calls {
				t.Errorf("%+v, calls %v", result, host.calls)
			}
		})
	}
}

// TestCallsWithoutReadingAnswers: the limits of calls hold for those written by hand, too, and their answers fill nothing.
func TestCallsWithoutReadingAnswers(t *testing.T) {
	host := &scripted{}
	result := run(t, reach+`while True: os.write(1, b'{"calls":[{"tool":"a","arguments":{},"line":7}]}\n')`, host)
	if len(host.calls) > interpreter.Default.Calls || result.Error == "" {
		t.Errorf("%+v, %d calls", result, len(host.calls))
	}
}

// TestProgramsThatBreakTheirInterpreter: one sentence says so.
func TestProgramsThatBreakTheirInterpreter(t *testing.T) {
	for name, c := range map[string]struct{ source, problem string }{
		"exit":            {"os._exit(0)", "the program ended its interpreter before its own end"},
		"exit with 3":     {"os._exit(3)", "the program ended its interpreter before its own end"},
		"abort":           {"os.abort()", "the program "},
		"closed pipes":    {"os.close(1)\nprint(1)", "the program ended its interpreter"},
		"closed input":    {"os.close(0)\nread_file('a')", "OSError"},
		"a deep stack":    {"sys.setrecursionlimit(10**9)\ndef f(): return max([1], key=lambda x: f())\nf()", "RecursionLimit: the program nested calls or values too deeply"},
		"no driver":       {"sys.modules['__main__'].__dict__.clear()\nprint(1)", ""},
		"another answer":  {"sys.modules['__main__']._ask = lambda calls: [{'value': 'made up'}]\nprint(read_file('a'))", ""},
		"without limits":  {"sys.modules['__main__']._output.left = 10**12\nwhile True: print('a' * 1000)", "OutputLimit"},
		"without a limit": {"sys.modules['__main__']._output.left = 10**9\nprint('a' * 1_000_000)", "OutputLimit"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "a deep stack" && raceDetector {
				t.Skip("NOT TESTED: the race detector takes more memory for the stack than a helper may have")
			}
			if result := run(t, reach+c.source, nil); !strings.Contains(result.Error, c.problem) {
				t.Errorf("%+v", result)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	i := own(t)
	for source, problem := range map[string]string{
		"import math\nimport collections.abc\nfrom html.parser import HTMLParser": "",
		"x = 1 +":                         "line 1: SyntaxError: invalid syntax in `x = 1 +`",
		"if True:\nprint(1)":              "line 2: IndentationError: expected an indented block after 'if' statement on line 1 in `print(1)`",
		"return 1":                        "line 1: SyntaxError: 'return' outside function in `return 1`",
		"def f():\n  from os import path": "line 2: a program cannot import os; it may import only math, json, random",
		"from . import a":                 "line 1: a program cannot import .",
		"x = 'a\x00b'":                    "null bytes",
		strings.Repeat("(", 100_000):      "line 1: ",
		"x = " + strings.Repeat("-", 100_000) + "1": "line 1: ",
		strings.Repeat("x", 300_000):                "line 1: the program has 300000 bytes, and may have 262144",
	} {
		got, err := i.Check(t.Context(), source)
		if err != nil || !strings.Contains(got, problem) || (got == "") != (problem == "") {
			t.Errorf("%.40q: %q, %v", source, got, err)
		}
	}
}

// waiting is a host that answers when it is told to, or when its context is done.
type waiting struct {
	asked  chan struct{}
	answer chan struct{}
	ended  error
}

func (w *waiting) Call(ctx context.Context, calls []interpreter.Call) []interpreter.Answer {
	w.asked <- struct{}{}
	select {
	case <-w.answer:
	case <-ctx.Done():
		w.ended = ctx.Err()
	}
	return make([]interpreter.Answer, len(calls))
}

// TestStop: a run that is stopped returns what was printed, and an answer after that goes nowhere.
func TestStop(t *testing.T) {
	i := own(t)
	ctx, stop := context.WithCancel(t.Context())
	host := &waiting{asked: make(chan struct{}), answer: make(chan struct{})}
	go func() {
		<-host.asked
		stop()
	}()
	result, err := i.Run(ctx, interpreter.Program{Source: "print('before')\nread_file('a')\nprint('after')", Functions: functions}, host)
	if !errors.Is(err, context.Canceled) || result.Output != "before\n" || host.ended == nil {
		t.Errorf("%+v, %v; the host: %v", result, err, host.ended)
	}
}

// TestWaitingDoesNotCount: the limit of time is one of computing.
func TestWaitingDoesNotCount(t *testing.T) {
	i := own(t)
	host := &waiting{asked: make(chan struct{}), answer: make(chan struct{})}
	limit := 300 * time.Millisecond
	go func() {
		<-host.asked
		<-time.After(2 * limit)
		close(host.answer)
	}()
	p := interpreter.Program{Source: "read_file('a')\n'done'", Functions: functions, Limits: interpreter.Limits{Time: limit}}
	result, err := i.Run(t.Context(), p, host)
	if err != nil || result.Output != "done\n" || result.Error != "" || result.Took > limit {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestTwoAtOnce: programs do not see each other.
func TestTwoAtOnce(t *testing.T) {
	i := own(t)
	var both sync.WaitGroup
	for _, name := range []string{"one", "two"} {
		both.Go(func() {
			source := "import math\nmath.own = '" + name + "'\nread_file('" + name + "')\nmath.own"
			host := echo()
			result, err := i.Run(t.Context(), interpreter.Program{Source: source, Functions: functions}, host)
			if err != nil || result.Output != name+"\n" || len(host.calls) != 1 {
				t.Errorf("%s: %+v, %v", name, result, err)
			}
		})
	}
	both.Wait()
}

// TestBrokenFiles: a changed or foreign file is never run.
func TestBrokenFiles(t *testing.T) {
	whole := interpretertest.Folder()
	for name, c := range map[string]struct {
		change  func(folder string) error
		problem string
	}{
		"foreign code":      {func(f string) error { return flip(filepath.Join(f, "python.wasm")) }, "its SHA-256 is "},
		"a foreign library": {func(f string) error { return flip(filepath.Join(f, "stdlib.zip")) }, "its SHA-256 is "},
		"cut off":           {func(f string) error { return os.Truncate(filepath.Join(f, "python.wasm"), 1000) }, "has 1000 bytes instead of"},
		"missing":           {func(f string) error { return os.Remove(filepath.Join(f, "stdlib.zip")) }, "no such file"},
		"no manifest":       {func(f string) error { return os.Remove(filepath.Join(f, "manifest.json")) }, "is not installed"},
		"a broken manifest": {func(f string) error { return os.WriteFile(filepath.Join(f, "manifest.json"), []byte("{"), 0o600) }, "manifest.json is no JSON"},
		"an empty manifest": {func(f string) error { return os.WriteFile(filepath.Join(f, "manifest.json"), []byte("{}"), 0o600) }, "does not name"},
	} {
		t.Run(name, func(t *testing.T) {
			interpretertest.Options(t)
			folder := filepath.Join(t.TempDir(), "python")
			if err := errors.Join(os.CopyFS(folder, os.DirFS(whole)), c.change(folder)); err != nil {
				t.Fatal(err)
			}
			t.Setenv("HOME", t.TempDir())
			t.Setenv("XDG_DATA_HOME", "")
			files, err := interpreter.Find(folder)
			if err == nil {
				var i *interpreter.Interpreter
				i, err = interpreter.New(interpreter.Options{Files: files, Helper: interpretertest.Helper(), Cache: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				_, err = i.Run(t.Context(), interpreter.Program{Source: "print(1)"}, nil)
			}
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%v", err)
			}
		})
	}
}

// flip changes a byte in the middle of a file.
func flip(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	content[len(content)/2] ^= 1
	return os.WriteFile(path, content, 0o600)
}

// TestBrokenCache: compiled code that is broken is compiled again.
func TestBrokenCache(t *testing.T) {
	o := interpretertest.Options(t)
	cache := t.TempDir()
	if err := os.CopyFS(cache, os.DirFS(o.Cache)); err != nil {
		t.Fatal(err)
	}
	o.Cache = cache
	broken := 0
	err := filepath.WalkDir(cache, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "done") {
			return err
		}
		broken++
		return flip(path)
	})
	i, err2 := interpreter.New(o)
	if err != nil || err2 != nil || broken == 0 {
		t.Fatal(err, err2, broken)
	}
	defer i.Close()
	result, err := i.Run(t.Context(), interpreter.Program{Source: "1"}, nil)
	if err != nil || result.Output != "1\n" {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestCodeOfAnotherVersion: what another version of the program compiled stays, since that may run at the same time.
func TestCodeOfAnotherVersion(t *testing.T) {
	o := interpretertest.Options(t)
	done, err := filepath.Glob(filepath.Join(o.Cache, "*", "done-*"))
	if err != nil || len(done) == 0 {
		t.Skip("NOT TESTED: no program ran here before")
	}
	o.Cache = t.TempDir()
	folder := filepath.Join(o.Cache, filepath.Base(filepath.Dir(done[0])))
	other := filepath.Join(folder, "wazero-v0.0.1-amd64-linux", "code")
	err = errors.Join(os.MkdirAll(filepath.Dir(other), 0o700), os.WriteFile(other, []byte("code"), 0o600))
	for _, path := range done { // there is code, and not of this version
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, filepath.Base(path)), nil, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	i, err := interpreter.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	out, err := i.Run(t.Context(), interpreter.Program{Source: "1+1"}, nil)
	if err != nil || out.Output != "2\n" {
		t.Fatalf("%+v, %v", out, err)
	}
	if text, err := os.ReadFile(other); err != nil || string(text) != "code" {
		t.Errorf("the other version's code is gone: %v", err)
	}
}
