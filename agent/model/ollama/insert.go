package ollama

import (
	"context"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/transport"
)

var _ model.Inserter = (*Backend)(nil)

// Insert implements [model.Inserter].
func (b *Backend) Insert(ctx context.Context, req model.Insertion) (string, error) {
	r := &api.GenerateRequest{
		Model: req.Model, Prompt: req.Before, Suffix: req.After, KeepAlive: duration(req.KeepAlive),
		Options: sized(req.ContextSize),
	}
	r.Options["num_predict"], r.Options["temperature"] = req.MaxTokens, 0
	return b.generate(ctx, r)
}

// generate sends a request whose answer comes at once, and returns its text.
func (b *Backend) generate(ctx context.Context, req *api.GenerateRequest) (string, error) {
	req.Stream = new(false)
	var text strings.Builder
	var over bool
	err := b.newClient(&over).Generate(ctx, req, func(line api.GenerateResponse) error {
		text.WriteString(line.Response)
		return nil
	})
	if over {
		err = transport.TooLarge(maxList)
	}
	return text.String(), b.failure(ctx, req.Model, err)
}
