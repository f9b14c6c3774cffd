package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// compared is what the program in ollamaparsers prints, one object per line.
type compared struct {
	Format, Theirs string
	Whole          bool    // markers were fed whole: cut into pieces, Ollama's parser loses the call
	Lost           string  // what Ollama's parser made of the call, if it lost it even so
	Ratio          float64 // their time / ours
	Ours, Other    float64 // µs
	RatioLong      float64 // at Sizes[1]
	// Of our decoder alone, by the size of the argument in bytes.
	Sizes       []int
	NsPerByte   []float64
	AllocsChunk []float64
}

// measureDecoder runs the comparison with Ollama's parsers, which lives in a module of its own.
func measureDecoder(ctx context.Context, _ *setup) ([]row, error) {
	cmd := exec.CommandContext(ctx, "go", "run", "-mod=mod", ".")
	cmd.Dir, cmd.Stderr = "cmd/bench/ollamaparsers", os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("cmd/bench/ollamaparsers: %w", err)
	}
	var rows []row
	how := "A call with a string of 4.3 kB, cut into chunks of 4 bytes, decoded as it streams; " +
		"the decoders alternate in one process, and the fastest of 200 passes of each counts. " +
		"Ollama's parsers are those of the module in go.mod."
	decoder := json.NewDecoder(bytes.NewReader(out))
	for decoder.More() {
		var c compared
		if err := decoder.Decode(&c); err != nil {
			return rows, err
		}
		rows = append(rows, c.ratio(how)...)
		rows = append(rows, linear(c), constant(c))
		how = ""
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("nothing was compared")
	}
	return rows, nil
}

// ratio is the comparison itself.
func (c compared) ratio(how string) []row {
	what := fmt.Sprintf("decoding a call, %s, Ollama's parser %s / ours", c.Format, c.Theirs)
	if c.Lost != "" {
		return []row{{what: what, got: "Ollama's parser loses the call, whole markers or not: " + c.Lost, how: how}}
	}
	if c.Whole {
		what += " (markers whole: Ollama's parser loses the call if they are cut)"
	}
	return []row{
		{
			what: what, target: "≥ 5", ok: c.Ratio >= 5,
			got: fmt.Sprintf("%.1f (%.0f µs / %.0f µs)", c.Ratio, c.Other, c.Ours), how: how,
		},
		{what: fmt.Sprintf("the same with a string of 64 kB, %s", c.Format), got: fmt.Sprintf("%.1f", c.RatioLong)},
	}
}

func linear(c compared) row {
	last := len(c.Sizes) - 1
	growth := c.NsPerByte[last] / c.NsPerByte[1]
	return row{
		what: "time per byte, " + c.Format + ", 1 MB / 64 kB", target: "≤ 1.25 (linear)", ok: growth <= 1.25,
		got: fmt.Sprintf("%.2f (%.1f ns, %.1f ns)", growth, c.NsPerByte[last], c.NsPerByte[1]),
	}
}

func constant(c compared) row {
	last := len(c.Sizes) - 1
	return row{
		what: "allocations per chunk, " + c.Format + ", at 1 MB", target: "as at 64 kB",
		ok: c.AllocsChunk[last] <= c.AllocsChunk[1]*1.05+
			0.01,
		got: fmt.Sprintf("%.3f (%.3f at 64 kB)", c.AllocsChunk[last], c.AllocsChunk[1]),
	}
}
