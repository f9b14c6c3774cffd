package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	p, err := newStepsProxy(ctx, l.host, stepsServer{ollamaChats, ollamaReads, ollamaReply})
	if err != nil {
		return nil, err
	}
	defer p.close()
	r, err := l.measureSteps(ctx, w, p, "Ollama", "--ollama-host", p.address, "--model", l.model)
	return []row{r}, err
}

// ollamaReply answers with the call of the next note, as Ollama does.
func ollamaReply(w http.ResponseWriter, n int, read llamaStep) {
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
}

// ollamaReads says how long the prompt of a request is, and how much of it Ollama read, in tokens.
func ollamaReads(ctx context.Context, host string, body []byte) (s llamaStep, err error) {
	prompt, cached, err := ollamaCounts(ctx, host, body)
	if err != nil {
		return s, err
	}
	if cached == nil {
		return s, errors.New("this Ollama does not tell what it had in its cache: 0.34 does")
	}
	return llamaStep{prompt, prompt - *cached}, nil
}

// ollamaCounts has Ollama write one token for a request: the tokens of its prompt, and those of them that were in the
// cache, where it tells.
func ollamaCounts(ctx context.Context, host string, body []byte) (prompt int, cached *int, err error) {
	var request map[string]any
	if err := json.Unmarshal(body, &request); err != nil {
		return 0, nil, err
	}
	options, _ := request["options"].(map[string]any)
	if options == nil {
		options = map[string]any{}
	}
	options["num_predict"], request["options"], request["stream"] = 1, options, false
	if body, err = json.Marshal(request); err != nil {
		return 0, nil, err
	}
	var told struct {
		Error  string
		Prompt int  `json:"prompt_eval_count"`
		Cached *int `json:"prompt_eval_cached_count"`
	}
	err = askJSON(ctx, http.MethodPost, host+ollamaChats, body, &told)
	if err == nil && told.Error != "" {
		err = fmt.Errorf("Ollama: %s", told.Error) //nolint:staticcheck // a name
	}
	return told.Prompt, told.Cached, err
}
