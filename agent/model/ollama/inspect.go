package ollama

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/assent-ls/assent/agent/model"
)

// Body implements [model.Inspector]: Chat itself writes the request, to a transport that keeps it.
func (b *Backend) Body(ctx context.Context, req model.Request) ([]byte, error) {
	var kept keepBody
	err := New(b.base, &kept).Chat(ctx, req, func(model.Chunk) error { return nil })
	return kept, err
}

// PreloadBody implements [model.Inspector].
func (b *Backend) PreloadBody(
	ctx context.Context, name string, contextSize int, keepAlive time.Duration,
) ([]byte, error) {
	var kept keepBody
	err := New(b.base, &kept).Preload(ctx, name, contextSize, keepAlive)
	return kept, err
}

// keepBody keeps the body of a request and answers it with an empty reply.
type keepBody []byte

// RoundTrip implements http.RoundTripper.
func (k *keepBody) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	*k = body
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"done":true}`)),
		Request: r,
	}, nil
}

// RenderOnly implements [model.Inspector]; servers without that function answer with an error.
func (b *Backend) RenderOnly(ctx context.Context, req model.Request) (string, error) {
	r, err := chatRequest(req)
	if err != nil {
		return "", &model.Error{Kind: model.Refused, Sentence: err.Error(), Cause: err}
	}
	r.Stream, r.DebugRenderOnly = new(false), true
	var rendered *string
	err = b.client.Chat(ctx, r, func(line api.ChatResponse) error {
		if line.DebugInfo != nil {
			rendered = &line.DebugInfo.RenderedTemplate
		}
		return errDone
	})
	if err != nil && !errors.Is(err, errDone) {
		return "", b.failure(ctx, req.Model, err)
	}
	if rendered == nil {
		return "", &model.Error{
			Kind: model.Refused, Sentence: b.Name() + " cannot show a prompt without running it: update Ollama.",
		}
	}
	return *rendered, nil
}
