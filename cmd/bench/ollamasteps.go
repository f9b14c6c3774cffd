package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

const ollamaChats = "/api/chat"

// measureOllamaSteps counts what a real Ollama reads again in a run of twenty steps.
func measureOllamaSteps(ctx context.Context, l *setup) ([]row, error) {
	if l.host == "" {
		return []row{{what: "twenty steps on Ollama", got: "not measured: OLLAMA_HOST is not set"}}, nil
	}
	w, err := l.newProject()
	if err != nil {
		return nil, err
	}
	p := &stepsProxy{}
	if p.address, p.server, err = serveOllamaSteps(ctx, l.host, p); err != nil {
		return nil, err
	}
	defer p.close()
	r, err := l.measureSteps(ctx, w, p, "Ollama", "--ollama-host", p.address, "--model", l.model)
	return []row{r}, err
}

// serveOllamaSteps is before an Ollama server: it has each prompt of the run read there, and plays the model.
func serveOllamaSteps(ctx context.Context, host string, p *stepsProxy) (string, *http.Server, error) {
	through, err := proxyTo(host)
	if err != nil {
		return "", nil, err
	}
	return serveHere(ctx, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != ollamaChats {
			through.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone
		}
		read, err := ollamaReads(r.Context(), host, body)
		n, ok := p.step(w, read, err)
		if !ok {
			return
		}
		message := map[string]any{"role": "assistant", "content": stepsDone}
		if n < llamaSteps {
			message = map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{
				"function": map[string]any{"name": "read_file", "arguments": map[string]string{"path": noteName(n)}},
			}}}
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		_ = json.NewEncoder(w).Encode(map[string]any{ // the client may be gone
			"model": "bench", "message": message, "done": true, "done_reason": "stop",
			"prompt_eval_count": read.prompt, "prompt_eval_cached_count": read.prompt - read.read, "eval_count": 1,
		})
	})
}

// ollamaReads says how long the prompt of a request is, and how much of it Ollama read, in tokens.
func ollamaReads(ctx context.Context, host string, body []byte) (s llamaStep, err error) {
	var request map[string]any
	if err := json.Unmarshal(body, &request); err != nil {
		return s, err
	}
	options, _ := request["options"].(map[string]any)
	if options == nil {
		options = map[string]any{}
	}
	options["num_predict"], request["options"], request["stream"] = 1, options, false
	if body, err = json.Marshal(request); err != nil {
		return s, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, host+ollamaChats, bytes.NewReader(body))
	if err != nil {
		return s, err
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		return s, err
	}
	defer func() { _ = response.Body.Close() }()
	var told struct {
		Error  string
		Prompt int  `json:"prompt_eval_count"`
		Cached *int `json:"prompt_eval_cached_count"`
	}
	if err := json.NewDecoder(response.Body).Decode(&told); err != nil {
		return s, err
	}
	switch {
	case told.Error != "":
		return s, fmt.Errorf("Ollama: %s", told.Error) //nolint:staticcheck // a name
	case told.Cached == nil:
		return s, errors.New("this Ollama does not tell what it had in its cache: 0.34 does")
	}
	return llamaStep{told.Prompt, told.Prompt - *told.Cached}, nil
}
