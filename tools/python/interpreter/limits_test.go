package interpreter_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/python/interpreter"
)

// TestLimits: a program that exceeds a limit ends by it, whatever it catches.
func TestLimits(t *testing.T) {
	limits := interpreter.Limits{Time: 1500 * time.Millisecond, Memory: 64 << 20, Output: 10_000, Calls: 20, Recursion: 300}
	i := own(t)
	for name, c := range map[string]struct{ source, limit, problem string }{
		"a loop":                  {"while True: pass", "time", "line 1\n    while True: pass\nTimeLimit: the program may compute for 1.5 s"},
		"a loop in a function":    {"def f():\n  while True:\n    x = 1\nf()", "time", "TimeLimit"},
		"a loop that catches all": {"while True:\n  try:\n    while True: pass\n  except BaseException: pass", "time", "TimeLimit"},
		"a caught TimeLimit":      {"try:\n  while True: pass\nexcept BaseException: pass\nprint('on')", "time", "TimeLimit"},
		"not an Exception":        {"try:\n  while True: pass\nexcept Exception: print('caught')", "time", "TimeLimit"},
		"a regular expression":    {"import re\nre.match('(a+)+$', 'a' * 60 + 'b')", "time", "TimeLimit"},
		"a loop in C":             {"sum(range(10**15))", "time", "TimeLimit"},
		"a large power":           {"x = 7 ** (10 ** 8)", "time", "TimeLimit"},
		"a finally without end":   {"try:\n  while True: pass\nfinally:\n  while True: pass", "time", "TimeLimit"},
		"tools without end":       {"while True:\n  try: read_file('a')\n  except BaseException: pass", "calls", "CallLimit: the program may call tools 20 times"},
		"10,000 calls":            {"for n in range(10_000): read_file(str(n))", "calls", "line 1\n    for n in range(10_000): read_file(str(n))\nCallLimit"},
		"calls together":          {"parallel([(read_file, str(n)) for n in range(21)])", "calls", "CallLimit"},
		"a list of 3 GB":          {"x = [0] * (3 * 2**28)", "memory", "MemoryLimit: the program may use 64 MB"},
		"lists that grow":         {"x = []\nwhile True: x.append('a' * 100_000 + str(len(x)))", "memory", "MemoryLimit"},
		"small objects":           {"x = []\nwhile True: x.append([x] * 500)", "memory", "MemoryLimit"},
		"a large string":          {"'a' * 2**30", "memory", "MemoryLimit"},
		"a caught MemoryError":    {"try:\n  x = bytes(2**30)\nexcept MemoryError: print('caught')", "", ""},
		"1 GB printed":            {"while True: print('a' * 1000)", "output", "OutputLimit: the program may print 10000 bytes"},
		"1 GB at once":            {"print('a' * 20_000_000)", "output", "OutputLimit"},
		"printing that catches":   {"while True:\n  try: print('a' * 1000)\n  except BaseException: pass", "output", "OutputLimit"},
		"the last expression":     {"'a' * 20_000", "output", "OutputLimit"},
		"recursion":               {"def f(): f()\nf()", "recursion", "(the program may nest 300 calls)"},
		"recursion in repr":       {"x = []\nfor n in range(100_000): x = [x]\nrepr(x)", "recursion", "recursion"},
		"recursion in C":          {"class A:\n  def __getattr__(self, n): return getattr(self, n + 'a')\nA().b", "recursion", "recursion"},
		"nested brackets":         {"eval('(' * 100_000 + ')' * 100_000)", "memory", "MemoryLimit"},
		"nested lists in JSON":    {"import json\njson.loads('[' * 100_000 + ']' * 100_000)", "recursion", "recursion"},
		"an error without text":   {"class E(Exception):\n  def __str__(self): raise ValueError\nraise E", "", "its text cannot be shown"},
		"a long error":            {"raise ValueError('a' * 1_000_000)", "", "ValueError: aaaa"},
	} {
		t.Run(name, func(t *testing.T) {
			limits := limits
			if c.limit != "time" {
				limits.Time = time.Minute
			}
			p := interpreter.Program{Source: c.source, Functions: functions, Limits: limits}
			result, err := i.Run(t.Context(), p, &scripted{})
			if err != nil {
				t.Fatal(err)
			}
			if result.Limit != c.limit || !strings.Contains(result.Error, c.problem) || len(result.Error) > 20_000 ||
				len(result.Output) > limits.Output+5_000 {
				t.Errorf("limit %q, %d bytes printed: %.500s", result.Limit, len(result.Output), result.Error)
			}
		})
	}
}
