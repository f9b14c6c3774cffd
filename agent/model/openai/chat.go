package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model"
)

const (
	loadingPoll  = 500 * time.Millisecond // from one question whether the model is loaded to the next
	longestAfter = 30 * time.Second       // of what a server says to wait; a longer one is not waited for
)

// retryDelays come before each further try of a request that the server did not accept.
var retryDelays = []time.Duration{500 * time.Millisecond, 2 * time.Second}

// Chat implements [model.Backend]. A request is repeated at most twice, and only if the server did not accept it; while
// the server loads its model, it is waited for without a limit.
func (b *Backend) Chat(ctx context.Context, req model.Request, each func(model.Chunk) error) error {
	var stopped error // what each returned while the model was loaded
	loading := false
	wait := func() error {
		if !loading {
			loading = true
			stopped = each(model.Chunk{Loading: true})
		}
		return stopped
	}
	if err := b.ready(ctx, req.Model, wait); err != nil {
		return cmp.Or(stopped, b.failure(ctx, req.Model, false, err))
	}
	r, err := b.converse(ctx, req, each, wait)
	if err == nil && b.lost(req, r) {
		b.mu.Lock()
		b.lossy[req.Model] = true
		b.mu.Unlock()
		if !r.said && !r.thought { // nothing was shown yet
			if again, failed := b.converse(ctx, req, each, wait); again != nil { // else the first one is all there is
				r, err = again, failed
			}
		}
	}
	switch {
	case stopped != nil:
		return stopped
	case r != nil && r.stopped != nil:
		return r.stopped
	case err != nil:
		return b.failure(ctx, req.Model, r != nil, err)
	}
	if r.field != "" {
		b.mu.Lock()
		b.field = r.field
		b.mu.Unlock()
	}
	if err := each(r.end()); err != nil {
		return err
	}
	return b.swallowed(ctx, r)
}

// converse sends a request and reads the reply. The reader is nil if the server did not accept the request.
func (b *Backend) converse(
	ctx context.Context, req model.Request, each func(model.Chunk) error, wait func() error,
) (*reader, error) {
	beside := b.besideSlot(ctx, req)
	resp, err := b.post(ctx, req, beside, wait)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	r := &reader{each: each, streams: !b.targetOf(req.Model).whole, sent: time.Now()}
	err = r.read(resp.Body)
	b.usedBeside(ctx, req, beside)
	return r, err
}

// post sends a request until the server accepts it, within the rules of Chat. A field that the server refuses and can
// do without is left out from then on. beside is the slot for a request of no chat; negative: the server's choice.
func (b *Backend) post(
	ctx context.Context, req model.Request, beside int, wait func() error,
) (*http.Response, error) {
	for tries := 0; ; {
		to := b.targetOf(req.Model)
		to.beside = beside
		body, err := to.body(req)
		if err != nil {
			return nil, unwritten(err)
		}
		resp, err := b.do(ctx, http.MethodPost, b.api+chatPath, body)
		if err == nil && resp.StatusCode < http.StatusBadRequest {
			return resp, nil
		}
		var refused *serverError
		if err == nil {
			refused = b.refusal(resp)
			_ = resp.Body.Close()
			err = refused
		}
		delay := time.Duration(0)
		switch {
		case refused != nil && refused.loading():
			delay = loadingPoll
			if err := wait(); err != nil {
				return nil, err
			}
		case refused != nil && limited(req) && refused.overflow() && refused.needed < refused.limit:
			req.MaxTokens, req.Sampling.LongestReply = 0, nil // the prompt fits, but not with such a long reply
		case refused != nil && b.without(refused, body):
		case tries < len(retryDelays) && (refused.later() || isRefusedConnection(err)):
			delay = retryDelays[tries]
			if refused != nil {
				delay = max(delay, refused.after)
			}
			tries++
		default:
			return nil, err
		}
		if err := sleep(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// limited reports whether a request says how long the reply may be.
func limited(req model.Request) bool { return req.MaxTokens > 0 || req.Sampling.LongestReply != nil }

// isRefusedConnection reports whether nobody took the connection, so that nothing was sent.
func isRefusedConnection(err error) bool {
	var dial *net.OpError
	return errors.As(err, &dial) && dial.Op == "dial" && !dial.Timeout() && !errors.As(err, new(*net.DNSError))
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// without notes a field that the server refused to know, if the request has it and can do without.
func (b *Backend) without(e *serverError, body []byte) bool {
	if e.status != http.StatusBadRequest && e.status != http.StatusUnprocessableEntity || e.overflow() {
		return false
	}
	var sent map[string]json.RawMessage
	_ = json.Unmarshal(body, &sent) // it was written here
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, field := range optional {
		if _, has := sent[field]; has && strings.Contains(e.text, field) && !b.refused[field] {
			b.refused[field] = true
			return true
		}
	}
	return false
}

// lost reports whether a call lost its arguments in the stream: it has none although its tool needs some, or they are
// no JSON although the reply was not cut.
func (b *Backend) lost(req model.Request, r *reader) bool {
	if !r.streams || r.reason == "length" {
		return false
	}
	for _, call := range r.calls.whole() {
		if text := strings.TrimSpace(string(call.Arguments)); text == "" || text == "{}" {
			if needsArguments(req.Tools, call.Name) {
				return true
			}
		} else if !json.Valid([]byte(text)) {
			return true
		}
	}
	return false
}

func needsArguments(tools []model.Tool, name string) bool {
	return slices.ContainsFunc(tools, func(t model.Tool) bool {
		var schema struct {
			Required []string `json:"required"`
		}
		return t.Name == name && json.Unmarshal(t.Parameters, &schema) == nil && len(schema.Required) > 0
	})
}

// swallowed is an error if a server took the whole answer for thinking, as one does that was started with a parser of
// thoughts for a model that has none.
func (b *Backend) swallowed(ctx context.Context, r *reader) error {
	kind := b.knownKind()
	answered := r.said || len(r.calls.calls) > 0 || !r.thought
	if ctx.Err() != nil || kind != SGLang && kind != VLLM || answered || r.reason != "stop" {
		return nil //nolint:nilerr // whoever cancelled knows
	}
	return &model.Error{
		Kind: model.Incomplete, Cause: &causeError{"no answer but thinking", http.StatusOK},
		Sentence: b.Name() + " took the whole reply for thinking: start it without --reasoning-parser if the model " +
			"does not think, or send again.",
	}
}
