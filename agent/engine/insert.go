package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-ls/assent/agent/model"
)

const (
	insertTime   = 10 * time.Second // after which nobody waits for it
	insertTokens = 128
)

// Insert has a model write what is between two texts. It waits for nobody: where the model server is busy, and as
// soon as a run or another caller wants its turn, it returns an empty text. An error is a sentence.
func (e *Engine) Insert(ctx context.Context, name, before, after string, o Options) (string, error) {
	inserter, ok := e.backend.(model.Inserter)
	if !ok {
		return "", fmt.Errorf("%s completes no code", e.backend.Name())
	}
	ctx, end, ok := e.background(ctx, name, insertTime)
	defer end()
	if !ok {
		return "", nil
	}
	info, err := e.backend.Describe(ctx, name)
	switch {
	case ctx.Err() != nil:
		return "", nil
	case err != nil:
		return "", err
	case info.Elsewhere() != "":
		return "", fmt.Errorf(
			"%s runs at %s: code is completed only by models of your own model server", name, info.Elsewhere(),
		)
	case !info.Can(model.CanInsert):
		return "", fmt.Errorf("%s cannot complete code: `assent models` shows which model has \"insert\"", name)
	}
	text, err := inserter.Insert(ctx, model.Insertion{
		Model: info.Name, Before: before, After: after, ContextSize: e.ContextSize(o, info),
		MaxTokens: insertTokens, KeepAlive: o.KeepAlive,
	})
	if ctx.Err() != nil {
		return "", nil
	}
	return text, err
}
