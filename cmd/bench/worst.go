package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
)

// worstLine is what BenchmarkWorst prints for one format.
var worstLine = regexp.MustCompile(`(?m)^BenchmarkWorst/(\S+?)(?:-\d+)?\s.*?([\d.]+) ms/MB\s+([\d.]+) peak-MB`)

// measureWorst decodes replies that are made to be read again and again, a megabyte of each in every format.
func measureWorst(ctx context.Context, _ *setup) ([]row, error) {
	cmd := exec.CommandContext(
		ctx, "go", "test", "-run", "^$", "-bench", "^BenchmarkWorst$", "-benchtime", "1x", "-timeout", "1h",
		"./agent/toolcall/formats",
	)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go test -bench BenchmarkWorst: %w", err)
	}
	return worstRows(out)
}

// worstRows reads the benchmark's output.
func worstRows(out []byte) ([]row, error) {
	formats, slowest, largest := 0, 0.0, 0.0
	slow, large := "", ""
	for _, m := range worstLine.FindAllSubmatch(out, -1) {
		took, errTime := strconv.ParseFloat(string(m[2]), 64)
		peak, errMemory := strconv.ParseFloat(string(m[3]), 64)
		if errTime != nil || errMemory != nil {
			return nil, fmt.Errorf("the benchmark printed %q", m[0])
		}
		formats++
		if took > slowest {
			slowest, slow = took, string(m[1])
		}
		if peak > largest {
			largest, large = peak, string(m[1])
		}
	}
	if formats == 0 {
		return nil, fmt.Errorf("the benchmark printed no format")
	}
	return []row{
		{
			what:   fmt.Sprintf("decoding 1 MB of anything, the slowest of %d formats", formats),
			target: "≤ 1 s", ok: slowest <= 1000, got: fmt.Sprintf("%.2f s (%s)", slowest/1000, slow),
			how: "Replies of 1 MB that repeat a format's own marks, pairs of them and the characters of JSON, " +
				"Markdown and tags after the beginning of a call: those that once took long, " +
				"and others chosen at random, the same in each run.",
		},
		{
			what: "memory beside the reply, the largest", target: "≤ 64 MB", ok: largest <= 64,
			got: fmt.Sprintf("%.0f MB (%s)", largest, large),
		},
	}, nil
}
