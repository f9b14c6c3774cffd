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
	"github.com/assent-ls/assent/cmd/eval/runner"
	"github.com/assent-ls/assent/cmd/eval/tasks"
)

const (
	longSet     = "long" // one conversation of thirty turns in a small context
	longContext = 4096   // tokens
)

// longResults is the table of the conversations.
func longResults() table {
	return table{keys: 2, head: "| long conversation with | mode | date | engine | turns | edits made | summaries | " +
		"requests | cut without a word | largest prompt | first turn known at the end | " +
		"prompt tokens read again | minutes |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"}
}

// longAll holds the conversation with each model in each mode.
func longAll(ctx context.Context, o options, backend model.Backend, profiles *model.Profiles) error {
	for _, name := range o.models {
		for _, mode := range o.modes {
			counts := &counting{Backend: backend, meter: model.NewMeter()}
			r := runner.Runner{
				Backend: counts, Profiles: profiles, Model: name, Mode: mode, Limit: o.limit, Keep: o.keep,
				Context: longContext, Programs: itself(),
			}
			out := r.Run(ctx, longTask())
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if out.Err != nil {
				return out.Err
			}
			if err := show(o.out, longResults(), longRow(o, r, out, counts)); err != nil {
				return err
			}
		}
	}
	return nil
}

func longRow(o options, r runner.Runner, out runner.Outcome, counts *counting) row {
	edits, made := 0, 0
	for i, turn := range longTurns() {
		if turn.file == "" {
			continue
		}
		edits++
		if i < len(out.Turns) && strings.Contains(out.Turns[i].After[turn.file], turn.text) {
			made++
		} else {
			fmt.Fprintf(os.Stderr, "  turn %d, %q: not done\n", i+1, turn.says)
		}
	}
	known := "no"
	if len(out.Turns) == len(longTurns()) && strings.Contains(strings.ToLower(out.Answer), firstFact) {
		known = "yes"
	}
	fmt.Fprintf(os.Stderr, "  the last answer: %s\n", tasks.Short(out.Answer))
	summaries := strings.Count(out.Chat, "```context "+compose.SummaryBlock+"\n")
	return row{
		r.Model, r.Mode, time.Now().Format(time.DateOnly), o.engine, fmt.Sprint(len(out.Turns)),
		fmt.Sprintf("%d of %d", made, edits), fmt.Sprint(summaries), fmt.Sprint(counts.requests),
		fmt.Sprint(counts.cut), fmt.Sprintf("%d of %d", counts.largest, longContext), known, counts.rereads.String(),
		fmt.Sprintf("%.0f", out.Took.Minutes()),
	}
}

// counting is a backend that compares what the server counts of each prompt with what was sent.
type counting struct {
	model.Backend

	mu       sync.Mutex
	meter    *model.Meter // guarded by mu
	requests int          // guarded by mu
	cut      int          // guarded by mu: prompts of which less was read than was sent, or that left no room
	largest  int          // guarded by mu: tokens of the largest prompt
	rereads  rereads      // guarded by mu
}

// Chat implements model.Backend.
func (c *counting) Chat(ctx context.Context, req model.Request, each func(model.Chunk) error) error {
	return c.Backend.Chat(ctx, req, func(chunk model.Chunk) error {
		if chunk.Done != nil {
			c.count(req, *chunk.Done)
		}
		return each(chunk)
	})
}

func (c *counting) count(req model.Request, done model.Done) {
	c.mu.Lock()
	defer c.mu.Unlock()
	read := done.PromptTokens
	c.rereads.add(req, done)
	c.requests++
	c.largest = max(c.largest, read)
	e := c.meter.Estimate(req)
	if e.Small(read) || read >= req.ContextSize || req.ContextSize != longContext {
		c.cut++
	}
	c.meter.Learn(req, read)
}
