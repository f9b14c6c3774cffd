package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
)

const (
	longSet     = "long" // one conversation of thirty turns in a small context
	longContext = 4096   // tokens
)

// longResults is the table of the conversations.
func longResults() table {
	return table{keys: 2, head: "| long conversation with | mode | date | engine | turns | edits made | summaries | " +
		"requests | cut without a word | largest prompt | first turn known at the end | minutes |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|---|\n"}
}

// longAll holds the conversation with each model in each mode.
func longAll(ctx context.Context, o options, backend model.Backend, profiles *model.Profiles) error {
	for _, name := range o.models {
		for _, mode := range o.modes {
			counts := &counting{Backend: backend, meter: model.NewMeter()}
			r := runner{
				backend: counts, profiles: profiles, model: name, mode: mode, limit: o.limit, keep: o.keep,
				context: longContext,
			}
			out := r.run(ctx, longTask())
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if out.err != nil {
				return out.err
			}
			found := longRow(o, r, out, counts)
			fmt.Println(found.markdown())
			if o.out == "" {
				continue
			}
			if err := putRow(o.out, longResults(), found); err != nil {
				return err
			}
		}
	}
	return nil
}

func longRow(o options, r runner, out outcome, counts *counting) row {
	edits, made := 0, 0
	for i, turn := range longTurns() {
		if turn.file == "" {
			continue
		}
		edits++
		if i < len(out.turns) && strings.Contains(out.turns[i].after[turn.file], turn.text) {
			made++
		} else {
			fmt.Fprintf(os.Stderr, "  turn %d, %q: not done\n", i+1, turn.says)
		}
	}
	known := "no"
	if len(out.turns) == len(longTurns()) && strings.Contains(strings.ToLower(out.answer), firstFact) {
		known = "yes"
	}
	fmt.Fprintf(os.Stderr, "  the last answer: %s\n", short(out.answer))
	return row{[]string{
		r.model, r.mode, time.Now().Format(time.DateOnly), o.engine, fmt.Sprint(len(out.turns)), fmt.Sprintf(
			"%d of %d", made, edits,
		),
		fmt.Sprint(
			strings.Count(out.chat, "```context "+compose.SummaryBlock+"\n"),
		), fmt.Sprint(counts.requests), fmt.Sprint(counts.cut),
		fmt.Sprintf("%d of %d", counts.largest, longContext), known, fmt.Sprintf("%.0f", out.took.Minutes()),
	}}
}

// counting is a backend that compares what the server counts of each prompt with what was sent.
type counting struct {
	model.Backend

	mu       sync.Mutex
	meter    *model.Meter // guarded by mu
	requests int          // guarded by mu
	cut      int          // guarded by mu: prompts of which less was read than was sent, or that left no room
	largest  int          // guarded by mu: tokens of the largest prompt
}

// Chat implements model.Backend.
func (c *counting) Chat(ctx context.Context, req model.Request, each func(model.Chunk) error) error {
	return c.Backend.Chat(ctx, req, func(chunk model.Chunk) error {
		if chunk.Done != nil {
			c.count(req, chunk.Done.PromptTokens)
		}
		return each(chunk)
	})
}

func (c *counting) count(req model.Request, read int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	c.largest = max(c.largest, read)
	e := c.meter.Estimate(req)
	if e.Small(read) || read >= req.ContextSize || req.ContextSize != longContext {
		c.cut++
	}
	c.meter.Learn(req, read)
}
