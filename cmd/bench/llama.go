package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"strconv"
	"time"
)

const (
	llamaModel   = "bench"
	llamaContext = 16384 // tokens
	llamaChats   = "/v1/chat/completions"
	llamaStart   = 2 * time.Minute // that it may take to load its model
)

// realLlama is a real server of llama.cpp.
type realLlama struct {
	address string
	cmd     *exec.Cmd
	over    chan struct{} // closed when it has ended
}

// llamaThreads leaves a core to all that is not the server: where a GPU computes, a server leaves all of them.
func llamaThreads() int { return max(1, runtime.NumCPU()-1) }

// startLlama starts a server that the measurement has to itself; stop ends it.
func startLlama(ctx context.Context, program, file string) (s *realLlama, err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err := errors.Join(err, listener.Close()); err != nil {
		return nil, err
	}
	//nolint:gosec // the programs that the user named
	cmd := exec.CommandContext(
		ctx, program, "-m", file, "--alias", llamaModel, "--host", "127.0.0.1", "--port", port, "-np", "1",
		"-c", strconv.Itoa(llamaContext), "-t", strconv.Itoa(llamaThreads()), "--no-webui",
	)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s = &realLlama{address: "http://127.0.0.1:" + port, cmd: cmd, over: make(chan struct{})}
	go func() { _ = cmd.Wait(); close(s.over) }()
	ctx, cancel := context.WithTimeout(ctx, llamaStart)
	defer cancel()
	for {
		if s.healthy(ctx) {
			return s, nil
		}
		select {
		case <-s.over:
			return nil, fmt.Errorf("%s ended at once: start it in a terminal to see why", program)
		case <-ctx.Done():
			s.stop()
			return nil, errors.New("llama.cpp's server did not load its model in time")
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (s *realLlama) stop() { _ = s.cmd.Process.Kill(); <-s.over }

func (s *realLlama) healthy(ctx context.Context) bool {
	response, err := ask(ctx, http.MethodGet, s.address+"/health", nil)
	return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// llamaChunk is a part of a reply of the server, with what it tells in the last one.
type llamaChunk struct {
	Choices []struct {
		Delta struct{ Content string }
	}
	Timings *struct {
		Cached int `json:"cache_n"`
		Read   int `json:"prompt_n"`
	}
}

func (c llamaChunk) text() string {
	if len(c.Choices) == 0 {
		return ""
	}
	return c.Choices[0].Delta.Content
}

// askLlama sends the body of a chat request. each gets every part of the reply until it returns false.
func askLlama(ctx context.Context, address string, body []byte, each func(llamaChunk) bool) error {
	return stream(ctx, address+llamaChats, body, func(line []byte) (bool, error) {
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok || string(data) == "[DONE]" {
			return true, nil
		}
		var c llamaChunk
		if err := json.Unmarshal(data, &c); err != nil {
			return false, err
		}
		return each(c), nil
	})
}

// llamaLimited is the body of a request for a reply of so many tokens at most.
func llamaLimited(body []byte, tokens int) ([]byte, error) {
	var request map[string]json.RawMessage
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	delete(request, "max_completion_tokens")
	request["max_tokens"] = json.RawMessage(strconv.Itoa(tokens))
	return json.Marshal(request)
}

// llamaReads says how long the prompt of a request is, and how much of it the server read, in tokens.
func llamaReads(ctx context.Context, address string, body []byte) (s llamaStep, err error) {
	if body, err = llamaLimited(body, 1); err != nil {
		return s, err
	}
	err = askLlama(ctx, address, body, func(c llamaChunk) bool {
		if c.Timings != nil {
			s = llamaStep{c.Timings.Cached + c.Timings.Read, c.Timings.Read}
		}
		return true
	})
	if err == nil && s.prompt == 0 {
		err = errors.New("llama.cpp's server did not tell what it read")
	}
	return s, err
}

// llamaStep is a request of a run: the tokens of its prompt, and those that the server read.
type llamaStep struct{ prompt, read int }
