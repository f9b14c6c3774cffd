package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"

	"github.com/assent-ls/assent/agent/model"
)

// How many tokens the reply to a probe may have: one that is held to a schema needs few, one with a call may think.
const (
	schemaTokens = 64
	callTokens   = 256
)

// Probe implements [model.Prober].
func (b *Backend) Probe(ctx context.Context, name string) (model.Abilities, error) {
	if _, err := b.Describe(ctx, name); err != nil {
		return model.Abilities{}, err
	}
	b.mu.Lock()
	before, had := b.tried[name]
	a := model.Abilities{Server: b.kind, Model: name, Build: b.build}
	delete(b.tried, name) // a request is written as if nothing was known
	delete(b.lossy, name)
	b.mu.Unlock()
	schemaRefused, err := b.probeSchema(ctx, &a)
	callRefused := false
	if err == nil {
		callRefused, err = b.probeCall(ctx, &a)
	}
	if err == nil && schemaRefused && callRefused { // one that refuses everything tells nothing of what it can do
		_, err = b.short(ctx, model.Request{Model: a.Model, MaxTokens: schemaTokens, Messages: greeting()})
	}
	if err != nil {
		b.mu.Lock()
		delete(b.tried, name)
		b.mu.Unlock()
		if had {
			b.Recall(before)
		}
		return a, err
	}
	b.Recall(a)
	return a, nil
}

// greeting is a question that no model answers by a schema or a call.
func greeting() []model.Message { return []model.Message{{Role: model.RoleUser, Text: "Say hello."}} }

// probeSchema finds the way in which the server holds a reply to a schema. No reply that is not held to it fits it.
// refused says that it refused all of them.
func (b *Backend) probeSchema(ctx context.Context, a *model.Abilities) (refused bool, err error) {
	refused = true
	for _, way := range schemaWays(a.Server) {
		b.mu.Lock()
		b.tried[a.Model] = model.Abilities{Server: a.Server, Model: a.Model, Build: a.Build, Schema: way}
		b.mu.Unlock()
		word := letters()
		schema := fmt.Sprintf(`{"type":"object","properties":{"word":{"type":"string","enum":[%q]}},`+
			`"required":["word"],"additionalProperties":false}`, word)
		reply, err := b.short(ctx, model.Request{
			Model: a.Model, Format: json.RawMessage(schema), MaxTokens: schemaTokens,
			Messages: greeting(),
		})
		if err != nil && !isRefusal(err) {
			return false, err
		}
		refused = refused && err != nil
		var got struct{ Word string }
		if err == nil && json.Unmarshal([]byte(strings.TrimSpace(reply.text)), &got) == nil && got.Word == word {
			a.Schema = way
			return false, nil
		}
	}
	a.Schema = model.NoSchema
	return refused, nil
}

// schemaWays are the ways that a kind of server may know, the best one first. vLLM and SGLang have no field for a
// grammar in GBNF; older versions of llama.cpp's server, and others built on it, have no other one.
func schemaWays(kind string) []model.SchemaWay {
	switch kind {
	case VLLM:
		return []model.SchemaWay{model.ByResponseFormat, model.ByStructuredOutputs}
	case SGLang:
		return []model.SchemaWay{model.ByResponseFormat}
	}
	return []model.SchemaWay{model.ByResponseFormat, model.ByGrammar}
}

// probeCall finds out whether a native call arrives with its arguments.
func (b *Backend) probeCall(ctx context.Context, a *model.Abilities) (refused bool, err error) {
	const tool = "remember_word"
	word := letters()
	reply, err := b.short(ctx, model.Request{
		Model: a.Model, MaxTokens: callTokens,
		Tools: []model.Tool{{
			Name: tool, Description: "Keeps a word for later.", Parameters: json.RawMessage(
				`{"type":"object","properties":{"word":{"type":"string","description":"the word"}},"required":["word"]}`),
		}},
		Messages: []model.Message{{Role: model.RoleUser, Text: fmt.Sprintf(
			"Call the tool %s with the word %q. Say nothing else.", tool, word)}},
	})
	switch {
	case err != nil && !isRefusal(err):
		return false, err
	case err != nil:
		a.Calls, a.CallReason = model.NoCalls, err.Error()
		return true, nil //nolint:nilerr // that it refuses is what was to be found out
	case len(reply.calls) == 0:
		a.Calls, a.CallReason = model.NoCalls, "the reply had no call"
		return false, nil
	}
	var arguments struct{ Word string }
	switch call := reply.calls[0]; {
	case b.isLossy(a.Model): // the call came whole only when the reply did not stream
		a.Calls, a.CallReason = model.LossyCalls, "its arguments were lost in the stream"
	case call.Name != tool || json.Unmarshal(call.Arguments, &arguments) != nil || arguments.Word != word:
		a.Calls, a.CallReason = model.LossyCalls, "it arrived with other arguments than asked for"
	default:
		a.Calls = model.WholeCalls
	}
	return false, nil
}

func (b *Backend) isLossy(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lossy[name]
}

// probed is the reply to a probe.
type probed struct {
	text  string
	calls []model.Call
}

// short asks without thinking and without chance, beside all chats.
func (b *Backend) short(ctx context.Context, req model.Request) (probed, error) {
	zero := 0.0
	req.Temperature, req.Think, req.Beside = &zero, model.ThinkOff, true
	var reply probed
	err := b.Chat(ctx, req, func(c model.Chunk) error {
		reply.text += c.Text
		reply.calls = append(reply.calls, c.Calls...)
		return ctx.Err()
	})
	return reply, err
}

// isRefusal reports whether the server is there and did not do what it was asked for.
func isRefusal(err error) bool {
	cause, ok := errors.AsType[*causeError](err)
	if !ok {
		return false
	}
	switch cause.status {
	case http.StatusOK, http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusInternalServerError,
		http.StatusNotImplemented:
		return true
	}
	return false
}

// letters is a word that no reply has by chance.
func letters() string {
	word := make([]byte, 12)
	for i := range word {
		word[i] = "bcdfghjklmnpqrstvwxz"[rand.IntN(20)]
	}
	return string(word)
}
