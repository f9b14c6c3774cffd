package main

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

const (
	tokenRate  = 2000
	tokenCount = 10000
)

// measureThroughput compares tokens per second of a fast server in the editor's document with those of a bare HTTP
// client.
func measureThroughput(ctx context.Context, l *setup) ([]row, error) {
	address, stop, err := l.play(
		ctx,
		fmt.Sprintf("model %s loaded=8192\nturn repeat\nrate %d count %d\n", smallModels[0], tokenRate, tokenCount),
	)
	if err != nil {
		return nil, err
	}
	defer stop()
	w, err := l.newProject()
	if err != nil {
		return nil, err
	}
	e, err := l.startEditor(ctx, w, "--ollama-host", address, "--model", smallModels[0], "--tool-format", "native")
	if err != nil {
		return nil, err
	}
	defer e.quit()
	last := fmt.Appendf(nil, "t%d", tokenCount-1)
	var ratios, rates []float64
	const rounds = 5
	for i := range rounds {
		began := time.Now()
		err := direct(
			ctx, address, []byte(`{"model":"`+smallModels[0]+`","options":{"num_ctx":8192},"messages":[]}`),
			func(l line) bool { return !l.Done },
		)
		if err != nil {
			return nil, err
		}
		direct := time.Since(began)

		uri := w.uri(fmt.Sprintf("fast%d.chat.md", i))
		if err := e.open(uri, question); err != nil {
			return nil, err
		}
		shown := e.watch(func(content []byte) bool {
			return bytes.Contains(content[max(0, len(content)-64):], last)
		})
		through, err := e.sendUntil(uri, shown)
		if err != nil {
			return nil, err
		}
		ratios, rates = append(ratios, ratio(direct, through)), append(rates, tokenCount/through.Seconds())
		if err := e.idle(uri); err != nil {
			return nil, err
		}
		e.mu.Lock()
		whole := bytes.Count(e.texts[uri].content, []byte("t")) // every token has one
		e.mu.Unlock()
		if err := e.close(uri); err != nil {
			return nil, err
		}
		if whole < tokenCount {
			return nil, fmt.Errorf("only %d of %d tokens are in the document", whole, tokenCount)
		}
	}
	r := median(ratios)
	return []row{{
		what:   fmt.Sprintf("tokens per second through / straight at %d tokens/s", tokenRate),
		target: "≥ 0.98", ok: r >= 0.98,
		got: fmt.Sprintf("%.3f (%.0f tokens/s in the document)", r, median(rates)),
		how: fmt.Sprintf("A scripted server writes %d tokens at a fixed pace; "+
			"counted from Send to the edit that brings the last token into the document, "+
			"through the real program, edits and change notifications over pipes, against a bare HTTP client. "+
			"Median of %d interleaved pairs.",
			tokenCount, rounds),
	}}, nil
}
