package meaning

import (
	"context"
	"strconv"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/internal/ranking"
)

// Vectors gives a vector for each of some texts, or of the first ones, as many as come in time, and the version of the
// model that made them: others cannot be compared with them. The caller keeps them. It waits for nobody: engine.ErrBusy
// says that the model server is wanted.
func (r *Ranking) Vectors(ctx context.Context, texts []string) (version string, list []ranking.Vector, err error) {
	if r.pauses() {
		return "", nil, engine.ErrBusy
	}
	keys, sent := make([]string, len(texts)), map[string]string{}
	for i, text := range texts {
		keys[i] = strconv.Itoa(i)
		sent[keys[i]] = short(text)
	}
	err = r.options.Agent.Embed(ctx, r.options.Model, r.options.Run, func(
		ctx context.Context, e engine.Embedder,
	) (err error) {
		version = e.Version
		vectors, err := r.embed(ctx, e, keys, sent, 0)
		for _, key := range keys[:len(vectors)] {
			list = append(list, vectors[key])
		}
		return err
	})
	if len(list) > 0 {
		err = nil // the others come with a later call
	}
	return version, list, err
}
