package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	script := filepath.Join(t.TempDir(), "hello.script")
	if err := os.WriteFile(script, []byte("turn\nexpect: bye\nsay: hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	done := make(chan error)
	go func() { done <- run(ctx, []string{"--script", script}, in, io.Discard) }()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	body := strings.NewReader(`{"model":"qwen2.5-coder:1.5b"}`)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSpace(address)+"/api/chat", body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusInternalServerError {
		t.Errorf("status %d", response.StatusCode)
	}
	cancel()
	if err := <-done; err == nil || !strings.Contains(err.Error(), `does not contain "bye"`) {
		t.Errorf("got %v", err)
	}
}

func TestRunErrors(t *testing.T) {
	script := filepath.Join(t.TempDir(), "bad.script")
	if err := os.WriteFile(script, []byte("shout"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "--script"},
		{[]string{"--script", script}, "bad.script: script line 1: unknown word"},
		{[]string{"--wrong"}, "wrong"},
	} {
		if err := run(t.Context(), test.args, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v", test.args, err)
		}
	}
}
