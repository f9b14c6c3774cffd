package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model"
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
		if r, err := get(ctx, s.address+"/health"); err == nil && r == http.StatusOK {
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

func get(ctx context.Context, address string) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// llamaChunk is a part of a reply of the server, with what it tells in the last one.
type llamaChunk struct {
	Choices []struct {
		Delta struct{ Content string }
	}
	Usage   json.RawMessage
	Timings *struct {
		Cached int `json:"cache_n"`
		Read   int `json:"prompt_n"`
	}
}

func (c llamaChunk) chunk() (out model.Chunk) {
	if len(c.Choices) > 0 {
		out.Text = c.Choices[0].Delta.Content
	}
	return out
}

// askLlama sends the body of a chat request. each gets every part of the reply until it returns false.
func askLlama(ctx context.Context, address string, body []byte, each func(llamaChunk) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+llamaChats, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10)) // what came until then says enough
		return fmt.Errorf("llama.cpp's server: status %d: %s", response.StatusCode, said)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var c llamaChunk
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			return err
		}
		if !each(c) {
			return nil
		}
	}
	return lines.Err()
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
	return s, cmp.Or(err, s.wrong())
}

// llamaStep is a request of a run: the tokens of its prompt, and those that the server read.
type llamaStep struct{ prompt, read int }

func (s llamaStep) wrong() error {
	if s.prompt == 0 {
		return errors.New("llama.cpp's server did not tell what it read")
	}
	return nil
}

// llamaPlace is the server that LLAMA_SERVER and MODEL_FILE name; ok is false where they do not.
func llamaPlace() (program, file string, ok bool) {
	program, file = os.Getenv("LLAMA_SERVER"), os.Getenv("MODEL_FILE")
	return program, file, program != "" && file != ""
}
