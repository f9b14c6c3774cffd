package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

// TestAKeyIsInNoProcess: while a command of the model runs, no process of the machine has a server's key or header
// among its words, and the command gets neither in its environment.
// Promise 9.
func TestAKeyIsInNoProcess(t *testing.T) {
	const key, token, waits = "sk-never-4712", "hunter3hunter3", "4712.25"
	s := newUser(t, "model other:1b\n")
	t.Setenv("BOX_TOKEN", token)
	t.Setenv("BOX_KEY", key)
	given := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(given, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "servers.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, reference := range map[string]string{
		"a variable": `"key": "${env:BOX_KEY}"`, "a program": `"keyCommand": ["cat", "` + given + `"]`,
	} {
		there := quirkserver.New(quirkserver.VLLM)
		there.Key, there.Context = key, 16384
		url := there.Start(t)
		text := `{"servers": [{"name": "box", "url": "` + url + `", ` + reference +
			`, "headers": {"X-Token": "${env:BOX_TOKEN}"}}]}`
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, notes, code := s.run("doctor", "--probe", "box/qwen2.5-coder-7b"); code != 0 {
			t.Fatal(notes)
		}
		probed := len(there.Requests("/v1/chat/completions"))
		there.Play(quirkserver.Reply{Events: []string{callOf("run_command", "sleep "+waits+"; env"), "[DONE]"}})
		looking, stop := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		waiting.Go(func() { lookAtProcesses(looking, t, waits, key, token) })
		out, notes, code := s.run("run", "--folder", s.root, "--model", "box/qwen2.5-coder-7b", "--tool-format", "native",
			"--approve", "run_command", "Which variables are set?")
		stop()
		waiting.Wait()
		chats := there.Requests("/v1/chat/completions")
		if code != 0 || len(chats) < probed+2 {
			t.Fatalf("%s: %d chats, status %d:\n%s%s", name, len(chats), code, out, notes)
		}
		told := string(chats[probed+1].Body)
		if !strings.Contains(told, "PATH=") || strings.Contains(told, key) || strings.Contains(told, token) {
			t.Errorf("%s: the command printed\n%s", name, told)
		}
	}
}

// callOf is an event in which the model calls a tool with a command.
func callOf(tool, command string) string {
	arguments, _ := json.Marshal(map[string]string{"command": command}) // strings have a form in JSON
	event, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{
		"index": 0, "finish_reason": "tool_calls", "delta": map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": "1", "type": "function",
			"function": map[string]any{"name": tool, "arguments": string(arguments)},
		}}},
	}}})
	return string(event)
}

// lookAtProcesses reads the words of all processes until one of them is the command that waits, which it ends. None may
// have a secret among them.
func lookAtProcesses(ctx context.Context, t *testing.T, waits string, secrets ...string) {
	t.Helper()
	for found := false; ctx.Err() == nil && !found; time.Sleep(time.Millisecond) {
		lists, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Error(err)
			return
		}
		for _, list := range lists {
			words, err := os.ReadFile(list)
			if err != nil {
				continue // it has ended
			}
			for _, secret := range secrets {
				if bytes.Contains(words, []byte(secret)) {
					t.Errorf("a process is called with %s: %q", secret, words)
				}
			}
			if string(words) == "sleep\x00"+waits+"\x00" {
				pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(list))) // the pattern has digits alone
				found = true
				defer func() { _ = syscall.Kill(pid, syscall.SIGTERM) }()
			}
		}
	}
	if ctx.Err() != nil {
		t.Error(fmt.Errorf("the command was never seen: %w", ctx.Err()))
	}
}
