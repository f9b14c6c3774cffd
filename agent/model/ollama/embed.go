package ollama

import (
	"context"
	"fmt"

	"github.com/ollama/ollama/api"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/transport"
)

var _ model.Embedder = (*Backend)(nil)

// Embed implements [model.Embedder].
func (b *Backend) Embed(ctx context.Context, req model.Embedding) ([][]float32, error) {
	cut := true
	r := &api.EmbedRequest{
		Model: req.Model, Input: req.Texts, Truncate: &cut, KeepAlive: duration(req.KeepAlive),
		Options: map[string]any{},
	}
	if req.ContextSize > 0 {
		r.Options["num_ctx"] = req.ContextSize
	}
	if req.MainMemory {
		r.Options["num_gpu"] = 0
	}
	var over bool
	resp, err := b.newClient(&over).Embed(ctx, r)
	if over {
		err = transport.TooLargeError(fmt.Sprintf("more than %d MiB", maxVectors>>20))
	}
	if err != nil {
		return nil, b.failure(ctx, req.Model, err)
	}
	return resp.Embeddings, nil
}
