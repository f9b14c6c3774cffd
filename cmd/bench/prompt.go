package main

import (
	"context"
	"encoding/json"
	"fmt"
)

// measurePrompt counts the tokens of the first request with the default tools, system prompt and context.
func measurePrompt(ctx context.Context, l *setup) ([]row, error) {
	host, name := l.host, l.model
	if host == "" {
		address, stop, err := l.play(ctx, "model "+smallModels[0]+"\nturn repeat\nsay Hello.\n")
		if err != nil {
			return nil, err
		}
		defer stop()
		host, name = address, smallModels[0]
	}
	how := "A short question in a workspace of 5 files, with its outline. "
	if l.host != "" {
		how += "As the server counts the prompt (prompt_eval_count)."
	} else {
		how += "Estimated: bytes of messages and tools / 4."
	}
	var rows []row
	for _, format := range []string{"native", "text", "guided"} {
		w, err := l.newProject()
		if err != nil {
			return rows, err
		}
		request, err := l.capture(
			ctx, w, host, question, "--model", name, "--tool-format", format, "--temperature", "0",
		)
		if err != nil {
			return rows, err
		}
		n, err := estimate(request)
		if l.host != "" && err == nil {
			n, _, err = ollamaCounts(ctx, host, request)
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, row{
			what: "first request with the default tools, " + format, target: "≤ 1,500 tokens", got: fmt.Sprintf(
				"%d tokens", n,
			),
			ok: n <= 1500 &&
				n > 0, how: how,
		})
		how = ""
	}
	return rows, nil
}

// estimate takes four bytes of what the model reads for a token.
func estimate(request []byte) (int, error) {
	var body struct {
		Messages []struct{ Content string }
		Tools    json.RawMessage
	}
	if err := json.Unmarshal(request, &body); err != nil {
		return 0, err
	}
	n := len(body.Tools)
	for _, m := range body.Messages {
		n += len(m.Content)
	}
	return n / 4, nil
}
