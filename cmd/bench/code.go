package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/assent-ls/assent/tools/python/interpreter"
)

const pythonWord = "python"

// values is a host that answers each call at once.
type values struct{}

func (values) Call(_ context.Context, calls []interpreter.Call) []interpreter.Answer {
	answers := make([]interpreter.Answer, len(calls))
	for i := range answers {
		answers[i].Value = json.RawMessage(`"a line"`)
	}
	return answers
}

// measureCode times programs of models, and measures what they leave in memory.
func measureCode(ctx context.Context, _ *setup) ([]row, error) {
	cache, err := testCache()
	if err != nil {
		return nil, err
	}
	files, err := interpreter.Find(filepath.Join(cache, "python"))
	if err != nil {
		return nil, err
	}
	const starts, calls, runs = 10, 100, 100
	program := interpreter.Program{Source: "1", Functions: []interpreter.Function{{
		Name: "read_file", Tool: "read_file",
		Parameters: []interpreter.Parameter{{Name: "path", Argument: "path", Type: "str", Required: true}},
	}}}
	var warm, pooled []time.Duration
	for range starts + 1 {
		i, err := interpreter.New(interpreter.Options{Files: files, Helper: []string{pythonWord}})
		if err != nil {
			return nil, err
		}
		for _, took := range []*[]time.Duration{&warm, &pooled} {
			began := time.Now()
			if _, err := i.Run(ctx, program, values{}); err != nil {
				return nil, err
			}
			*took = append(*took, time.Since(began))
			time.Sleep(300 * time.Millisecond) // the next helper starts meanwhile
		}
		i.Close()
	}
	warm, pooled = warm[1:], pooled[1:] // the first start compiles
	i, err := interpreter.New(interpreter.Options{Files: files, Helper: []string{pythonWord}})
	if err != nil {
		return nil, err
	}
	defer i.Close()
	program.Source = fmt.Sprintf("for n in range(%d): read_file('a')", calls)
	result, err := i.Run(ctx, program, values{})
	if err != nil {
		return nil, err
	}
	before, err := residentSize(ctx, os.Getpid())
	if err != nil {
		return nil, err
	}
	program.Source = "len(bytearray(30_000_000))"
	for range runs {
		if _, err := i.Run(ctx, program, values{}); err != nil {
			return nil, err
		}
	}
	after, err := residentSize(ctx, os.Getpid())
	if err != nil {
		return nil, err
	}
	w, p, c := median(warm), median(pooled), result.Took/calls
	return []row{
		{
			what: "a Python program: warm start", target: "≤ 150 ms", got: ms(w), ok: w <= 150*time.Millisecond,
			how: fmt.Sprintf("From Run to the result of the program `1`, with compiled code in the cache; median of %d.", starts),
		},
		{
			what: "a Python program: start with a helper that waits", target: "≤ 15 ms", got: ms(p), ok: p <= 15*time.Millisecond,
		},
		{
			what: "a call of a Python program", target: "≤ 1 ms", got: ms(c), ok: c <= time.Millisecond,
			how: fmt.Sprintf("What a call adds to its tool: %d calls that are answered at once.", calls),
		},
		{
			what: "memory after 100 Python programs of 30 MB each", target: "≤ 10 MB more",
			got: fmt.Sprintf("%.1f MB more", after-before), ok: after-before <= 10,
			how: "RSS of the process that started them, before and after.",
		},
	}, nil
}
