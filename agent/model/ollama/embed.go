package ollama

import (
	"context"

	"github.com/ollama/ollama/api"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/transport"
)

var _ model.Embedder = (*Backend)(nil)

// Embed implements [model.Embedder].
func (b *Backend) Embed(ctx context.Context, req model.Embedding) ([][]float32, error) {
	r := &api.EmbedRequest{
		Model: req.Model, Input: req.Texts, Truncate: new(true), KeepAlive: duration(req.KeepAlive),
		Options: sized(req.ContextSize),
	}
	if req.MainMemory {
		r.Options["num_gpu"] = 0
	}
	var over bool
	resp, err := b.newClient(&over).Embed(ctx, r)
	if over {
		err = transport.TooLarge(maxVectors)
	}
	if err != nil {
		return nil, b.failure(ctx, req.Model, err)
	}
	return resp.Embeddings, nil
}
