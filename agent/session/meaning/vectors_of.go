package meaning

import (
	"context"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/internal/ranking"
)

// Vectors gives a vector for each text, and the version of the model that made them: others cannot be compared with
// them. The caller keeps them. It waits for nobody: engine.ErrBusy says that the model server is wanted.
func (r *Ranking) Vectors(ctx context.Context, texts []string) (version string, list []ranking.Vector, err error) {
	if r.pauses() {
		return "", nil, engine.ErrBusy
	}
	sent := make([]string, len(texts))
	for i, text := range texts {
		sent[i] = short(text)
	}
	err = r.options.Agent.Embed(ctx, r.options.Model, r.options.Run, func(
		ctx context.Context, e engine.Embedder,
	) (err error) {
		version = e.Version
		list, err = ask(ctx, e, sent, 0)
		return err
	})
	return version, list, err
}
