package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
)

const (
	llamaSteps = 20
	stepsAsk   = "Read all notes, one after the other, and say when you are done."
	stepsDone  = "I have read all of them."
)

// stepsProxy is before a model server, and plays the model of an agent that reads a note in each step: the server reads
// these prompts, and what it would answer is left out.
type stepsProxy struct {
	proxy

	steps []llamaStep // guarded by mu
	err   error       // guarded by mu
}

// stepsServer is how a kind of server is asked what it read for a request, and how it would say the reply of a step.
type stepsServer struct {
	path  string // of chats
	reads func(ctx context.Context, host string, body []byte) (llamaStep, error)
	reply func(w http.ResponseWriter, n int, read llamaStep)
}

func newStepsProxy(ctx context.Context, host string, s stepsServer) (*stepsProxy, error) {
	p := &stepsProxy{}
	return p, p.serve(ctx, host, s.path, nil, func(w http.ResponseWriter, r *http.Request, body []byte) *http.Request {
		if !bytes.Contains(body, []byte(stepsAsk)) {
			return r
		}
		read, err := s.reads(r.Context(), host, body)
		p.mu.Lock()
		n := len(p.steps)
		p.steps, p.err = append(p.steps, read), err
		p.mu.Unlock()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		} else {
			s.reply(w, n, read)
		}
		return nil
	})
}

// llamaReply answers with the call of the next note, as llama.cpp's server does.
func llamaReply(w http.ResponseWriter, n int, read llamaStep) {
	delta := map[string]any{"content": stepsDone}
	if n < llamaSteps {
		delta = map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": fmt.Sprintf("note%d", n), "type": "function",
			"function": map[string]any{"name": "read_file", "arguments": fmt.Sprintf(`{"path": %q}`, noteName(n))},
		}}}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, chunk := range []map[string]any{
		{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": nil}}},
		{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": "stop"}}},
		{"choices": []any{}, "usage": map[string]any{"prompt_tokens": read.prompt, "completion_tokens": 1}},
	} {
		line, _ := json.Marshal(chunk)              // of texts and numbers
		_, _ = fmt.Fprintf(w, "data: %s\n\n", line) // the client may be gone
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func noteName(n int) string { return fmt.Sprintf("notes/%02d.txt", n) }

// measureSteps runs an agent of twenty steps, with flags that lead it to a proxy, and counts what of each prompt the
// server read though it had read it.
func (l *setup) measureSteps(
	ctx context.Context, w *project, p *stepsProxy, server string, flags ...string,
) (row, error) {
	for n := range llamaSteps {
		text := fmt.Sprintf("Note %d.\n", n) +
			"The shelf in the hall holds the maps of last year, sorted by county.\n" +
			fmt.Sprintf("Number %d is missing since March; ask at the desk.\n", 100+7*n)
		if err := write(w.dir+"/"+noteName(n), text); err != nil {
			return row{}, err
		}
	}
	//nolint:gosec // the program under measurement
	cmd := exec.CommandContext(
		ctx, l.program, append([]string{"run", "--tool-format", "native", "--temperature", "0", stepsAsk}, flags...)...,
	)
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.CombinedOutput()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.err != nil:
		return row{}, p.err
	case err != nil || len(p.steps) != llamaSteps+1:
		return row{}, fmt.Errorf("a run of %d steps ended after %d: %w\n%s", llamaSteps, len(p.steps), err, out)
	}
	return readAgain(p.steps, server), nil
}

// readAgain adds up what was read beyond what is new in each prompt. The reply before, which a script wrote in the
// model's place, is new to the server.
func readAgain(steps []llamaStep, server string) row {
	again, all, most := 0, 0, 0
	for i, s := range steps[1:] {
		beyond := max(s.read-(s.prompt-steps[i].prompt), 0)
		again, all, most = again+beyond, all+s.prompt, max(most, beyond)
	}
	percent := 100 * float64(again) / float64(max(all, 1))
	return row{
		what:   fmt.Sprintf("prompt tokens read again, a run of %d steps on %s", len(steps)-1, server),
		target: "≤ 1 %", ok: percent <= againLimit,
		got: fmt.Sprintf(
			"%.2f %% (%d of %d tokens, %d in a step at most; the last prompt has %d)", percent, again, all, most,
			steps[len(steps)-1].prompt,
		),
		how: "A script writes the replies, a call in each, so that the run always has as many steps; the real server " +
			"reads each prompt and tells how many of its tokens it read. New is what the prompt has beyond the " +
			"one before.",
	}
}
