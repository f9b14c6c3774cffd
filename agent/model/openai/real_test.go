//go:build e2e

package openai_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/openai"
)

// llamaServer is a real server of llama.cpp with two slots of 2048 tokens, which the test may kill and start again.
type llamaServer struct {
	address string
	cmd     *exec.Cmd
}

func (s *llamaServer) start(t *testing.T, options ...string) {
	t.Helper()
	program, file := os.Getenv("LLAMA_SERVER"), os.Getenv("MODEL_FILE")
	if program == "" || file == "" {
		t.Fatal("set LLAMA_SERVER and MODEL_FILE; editors/e2e/install/llama-server.sh and model.sh print them")
	}
	_, port, err := net.SplitHostPort(s.address)
	if err != nil {
		t.Fatal(err)
	}
	options = append(options, "-m", file, "--host", "127.0.0.1", "--port", port, "-np", "2", "-c", "4096", "-t", "2", "--no-webui")
	s.cmd = exec.CommandContext(t.Context(), program, options...)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

func (s *llamaServer) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed
}

// TestRealModelLlamaServer is the whole way to a real server: what it tells, counts and refuses, and how it dies.
func TestRealModelLlamaServer(t *testing.T) {
	server := &llamaServer{address: freeAddress(t)}
	server.start(t)
	defer func() { server.kill() }()
	b := configured(t, nil, openai.Config{Name: "llama", URL: "http://" + server.address})
	comes(t, b)

	models, err := b.Models(t.Context())
	if err != nil || len(models) != 1 {
		t.Fatalf("%v, %v", models, err)
	}
	name := models[0].Name
	info, err := b.Describe(t.Context(), name)
	if err != nil || info.LoadedContext != 2048 || info.ContextLimit != 2048 || !strings.Contains(info.Template, "<|im_start|>") || strings.Contains(name, "/") {
		t.Errorf("%+v, %v", info, err)
	}
	version, err := b.Version(t.Context())
	if kind, kindErr := b.Kind(t.Context()); kind != openai.LlamaCpp || kindErr != nil || err != nil || !strings.HasPrefix(version, "llama.cpp b") {
		t.Errorf("%s, %s, %v, %v", kind, version, err, kindErr)
	}
	if n := b.Slots(t.Context()); n != 2 {
		t.Errorf("%d slots", n)
	}
	realChat(t, b, name)
	realOverflow(t, b, name)
	realProbe(t, b, name)
	realSlots(t, b, name)

	// It dies in the middle of a reply, and comes back.
	var text strings.Builder
	err = b.Chat(t.Context(), model.Request{Model: name, Messages: question("Count from 1 to 500.")}, func(c model.Chunk) error {
		if text.WriteString(c.Text); text.Len() > 20 && server.cmd.ProcessState == nil {
			server.kill()
		}
		return nil
	})
	failed(t, err, model.Incomplete, "llama")
	if text.Len() == 0 {
		t.Error("nothing of the reply is there")
	}
	_, err = chat(t.Context(), b, model.Request{Model: name})
	failed(t, err, model.Unreachable, "start llama")
	server.start(t)
	comes(t, b)
	if g, err := chat(t.Context(), b, model.Request{Model: name, MaxTokens: 8}); err != nil || g.text == "" {
		t.Errorf("after it came back: %+v, %v", g, err)
	}
}

// comes waits until the server lists its model. Until it takes connections nobody answers; then it loads.
func comes(t *testing.T, b *openai.Backend) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for {
		models, err := b.Models(ctx)
		if err == nil && len(models) > 0 {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the server did not come up: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// realChat: the counts before and after are equal, and a prompt is read once.
func realChat(t *testing.T, b *openai.Backend, name string) {
	t.Helper()
	req := model.Request{Model: name, MaxTokens: 16, Messages: question(strings.Repeat("one two three ", 100) + "\nWhat comes next?"), Tools: []model.Tool{tool("read_file")}}
	count, err := b.Count(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	first, err := chat(t.Context(), b, req)
	if err != nil || first.text == "" || first.done.PromptTokens != count || first.done.OutputTokens == 0 || first.done.PromptTime == 0 {
		t.Fatalf("%d counted, %+v, %+v, %v", count, first, first.done, err)
	}
	if len(first.reading) == 0 || first.reading[len(first.reading)-1] != (model.Reading{Done: count, Total: count}) {
		t.Errorf("of %d tokens it read %v", count, first.reading)
	}
	again, err := chat(t.Context(), b, req)
	if err != nil || !again.done.CacheKnown || again.done.CachedTokens < count-2 {
		t.Errorf("%+v of the same %d tokens, %v", again.done, count, err)
	}
}

func realOverflow(t *testing.T, b *openai.Backend, name string) {
	t.Helper()
	_, err := chat(t.Context(), b, model.Request{Model: name, Messages: question(strings.Repeat("one two three ", 1500))})
	if failure := failed(t, err, model.ContextTooLong, "2048"); failure.Limit != 2048 || failure.Needed < 4000 {
		t.Errorf("%d of %d", failure.Needed, failure.Limit)
	}
}

func realProbe(t *testing.T, b *openai.Backend, name string) {
	t.Helper()
	a, err := b.Probe(t.Context(), name)
	if err != nil || a.Schema != model.ByResponseFormat || a.Build == "" || a.Calls == "" {
		t.Errorf("%+v, %v", a, err)
	}
	t.Logf("%+v", a)
}

// realSlots: a request beside chats does not drop the prompt of the one that was asked last, with a free slot or none.
func realSlots(t *testing.T, b *openai.Backend, name string) {
	t.Helper()
	for _, words := range []string{"red green blue ", "north east south "} {
		long := model.Request{Model: name, MaxTokens: 4, Messages: question(strings.Repeat(words, 150))}
		if _, err := chat(t.Context(), b, long); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			text := fmt.Sprint(i, strings.Repeat(" up down", 50))
			beside := model.Request{Model: name, MaxTokens: 4, Beside: true, Messages: question(text)}
			if _, err := chat(t.Context(), b, beside); err != nil {
				t.Fatal(err)
			}
		}
		g, err := chat(t.Context(), b, long)
		if err != nil || g.done.CachedTokens < g.done.PromptTokens-2 {
			t.Errorf("%+v, %v", g.done, err)
		}
	}
}
