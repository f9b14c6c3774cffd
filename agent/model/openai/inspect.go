package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/transport"
)

// Body implements [model.Inspector].
func (b *Backend) Body(_ context.Context, req model.Request) ([]byte, error) {
	body, err := b.targetOf(req.Model).body(req)
	if err != nil {
		return nil, unwritten(err)
	}
	return body, nil
}

// unwritten is that a request cannot be written.
func unwritten(err error) error {
	return &model.Error{Kind: model.Refused, Sentence: transport.Sentence(err), Cause: err}
}

// PreloadBody implements [model.Inspector].
func (b *Backend) PreloadBody(ctx context.Context, name string, _ int, _ time.Duration) ([]byte, error) {
	return b.Body(ctx, preloadRequest(name))
}

// RenderOnly implements [model.Inspector]; only llama.cpp's server can.
func (b *Backend) RenderOnly(ctx context.Context, req model.Request) (string, error) {
	if err := b.ready(ctx, req.Model, noWait); err != nil {
		return "", b.failure(ctx, req.Model, false, err)
	}
	if b.knownKind() != LlamaCpp {
		return "", &model.Error{
			Kind:     model.Refused,
			Sentence: b.Name() + " cannot show a prompt without running it: only llama.cpp's server can.",
		}
	}
	prompt, err := b.render(ctx, req)
	return prompt, b.failure(ctx, req.Model, false, err)
}

// render has llama.cpp's server write the prompt of a request.
func (b *Backend) render(ctx context.Context, req model.Request) (string, error) {
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	body, err := b.targetOf(req.Model).body(req)
	if err != nil {
		return "", err
	}
	var prompt struct {
		Prompt string `json:"prompt"`
	}
	err = b.askPath(limited, "/apply-template", body, &prompt)
	return prompt.Prompt, err
}

// askPath sends a body to a path of the server, and reads its answer.
func (b *Backend) askPath(ctx context.Context, path string, body []byte, answer any) error {
	text, err := b.ask(ctx, http.MethodPost, b.root+path, body)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

// Count implements [model.Counter]: llama.cpp's server and vLLM can, as long as there is no image.
func (b *Backend) Count(ctx context.Context, req model.Request) (int, error) {
	if err := b.ready(ctx, req.Model, noWait); err != nil {
		return 0, b.failure(ctx, req.Model, false, err)
	}
	if slices.ContainsFunc(req.Messages, func(m model.Message) bool { return len(m.Images) > 0 }) {
		return 0, nil
	}
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var count int
	var err error
	switch b.knownKind() {
	case LlamaCpp:
		count, err = b.countRendered(limited, req)
	case VLLM:
		count, err = b.countMessages(limited, req)
	}
	return count, b.failure(ctx, req.Model, false, err)
}

func (b *Backend) countRendered(ctx context.Context, req model.Request) (int, error) {
	prompt, err := b.render(ctx, req)
	if err != nil || prompt == "" { // of an answer of another shape nothing is known
		return 0, err
	}
	body, err := encode(fields{
		"model": b.targetOf(req.Model).id, "content": prompt, "add_special": true, "parse_special": true,
	})
	if err != nil {
		return 0, err
	}
	var tokens struct {
		Tokens []json.RawMessage `json:"tokens"`
	}
	err = b.askPath(ctx, "/tokenize", body, &tokens)
	return len(tokens.Tokens), err
}

func (b *Backend) countMessages(ctx context.Context, req model.Request) (int, error) {
	to := b.targetOf(req.Model)
	f := fields{"model": to.id, "messages": to.messages(req.Messages), "add_generation_prompt": true}
	if err := to.constrain(f, model.Request{Tools: req.Tools}); err != nil {
		return 0, err
	}
	body, err := encode(f)
	if err != nil {
		return 0, err
	}
	var count struct {
		Count int `json:"count"`
	}
	err = b.askPath(ctx, "/tokenize", body, &count)
	return count.Count, err
}
