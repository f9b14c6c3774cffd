package openai

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/assent-ls/assent/agent/model"
)

const mostSlots = 64 // that are used of what a server says

// Kind is what the server is, found out from its own answers where Config.Kind was [Auto]: one of the other kinds. A
// server that is Ollama is an error that says how to declare it.
func (b *Backend) Kind(ctx context.Context) (string, error) {
	if kind := b.knownKind(); kind != "" {
		return kind, nil
	}
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	kind, err := b.discover(limited)
	return kind, b.failure(ctx, "", false, err)
}

func (b *Backend) knownKind() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.kind
}

// discover asks what the server is. Unknown routes may answer with success and an error inside, so it is the answers
// that count.
func (b *Backend) discover(ctx context.Context) (string, error) {
	if kind := b.knownKind(); kind != "" {
		return kind, nil
	}
	rows, err := b.rows(ctx)
	refused, _ := errors.AsType[*serverError](err)
	if refused != nil && refused.loading() { // only llama.cpp's says so; it is asked again once it has loaded
		return LlamaCpp, nil
	}
	if err != nil && (refused == nil || !refused.noRoute()) {
		return "", err
	}
	kind := kindOf(rows)
	for _, try := range []struct {
		kind string
		is   func(context.Context) bool
	}{
		{LlamaCpp, b.isLlamaCpp},
		{ollama, b.isOllama},
		{LMStudio, b.isLMStudio},
		{SGLang, b.isSGLang},
		{VLLM, b.isVLLM},
	} {
		if kind == "" && try.is(ctx) {
			kind = try.kind
		}
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case kind == ollama:
		return "", errOllama
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kind = cmp.Or(kind, Other)
	return b.kind, nil
}

const ollama = "ollama" // no kind of ours

// kindOf reads who owns the models.
func kindOf(rows []row) string {
	for _, r := range rows {
		switch {
		case r.Owner == "llamacpp" || r.Meta.Context > 0 || r.Meta.Vocabulary > 0:
			return LlamaCpp
		case r.Owner == "vllm":
			return VLLM
		case r.Owner == "sglang":
			return SGLang
		case r.Owner == "organization_owner":
			return LMStudio
		case r.Owner == "library":
			return ollama
		}
	}
	return ""
}

// noRoute reports whether there is nothing at an address of a server that is there.
func (e *serverError) noRoute() bool {
	switch e.status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return !e.html
	case http.StatusOK: // LM Studio
		return strings.Contains(e.text, "endpoint")
	}
	return false
}

// Version implements [model.Backend]: what the server is, with its build as far as it tells. It takes at most two
// seconds.
func (b *Backend) Version(ctx context.Context) (string, error) {
	limited, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	kind, err := b.discover(limited)
	if err == nil {
		_, err = b.rows(limited)
	}
	if refused, ok := errors.AsType[*serverError](err); ok {
		switch {
		case refused.loading():
			return "llama.cpp, loading its model", nil
		case refused.noRoute() && kind != "":
			err = nil
		}
	}
	if err != nil {
		return "", b.failure(ctx, "", false, err)
	}
	said := map[string]string{
		LlamaCpp: "llama.cpp", VLLM: "vLLM", SGLang: "SGLang", LMStudio: "LM Studio", Other: "OpenAI's protocol",
	}[kind]
	return strings.TrimSpace(said + " " + b.buildOf(limited, kind)), nil
}

// buildOf asks for the build of the server; empty: it does not tell.
func (b *Backend) buildOf(ctx context.Context, kind string) string {
	build, slots := "", 0
	switch kind {
	case LlamaCpp:
		p, err := b.props(ctx, "")
		if err != nil {
			return ""
		}
		build, slots = p.Build, p.Slots
	case VLLM:
		build = b.version(ctx)
	case SGLang:
		info := b.serverInfo(ctx)
		build, slots = info.Version, info.Slots
	}
	b.remember(build, slots)
	return build
}

func (b *Backend) remember(build string, slots int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.build, b.asked = cmp.Or(build, b.build), true
	if slots > 0 {
		b.slots = min(slots, mostSlots)
	}
}

// Slots is how many requests the server takes at once: what it tells, else Config.Slots, else one.
func (b *Backend) Slots(ctx context.Context) int {
	b.mu.Lock()
	asked := b.asked
	b.mu.Unlock()
	if !asked {
		limited, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		if kind, err := b.discover(limited); err == nil {
			b.buildOf(limited, kind)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(cmp.Or(b.slots, b.config.Slots), 1)
}

// Recall implements [model.Prober].
func (b *Backend) Recall(a model.Abilities) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tried[a.Model] = a
	if a.Calls == model.LossyCalls {
		b.lossy[a.Model] = true
	}
}

// Abilities implements [model.Prober].
func (b *Backend) Abilities(name string) (model.Abilities, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a, ok := b.tried[name]
	return a, ok && (a.Server == b.kind || b.kind == "") && (a.Build == b.build || b.build == "")
}
