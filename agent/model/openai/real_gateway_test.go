//go:build e2e

package openai_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/openai"
)

const gatewayKey = "sk-of-this-test"

// freeAddress is one of this machine where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // of a test
	return listener.Addr().String()
}

// startLiteLLM starts LiteLLM's proxy in front of a server, as its pages say, and gives its URL.
func startLiteLLM(t *testing.T, behind string) (url string) {
	t.Helper()
	program := os.Getenv("LITELLM")
	if program == "" {
		t.Fatal("set LITELLM; editors/e2e/install/litellm.sh prints it")
	}
	dir, address := t.TempDir(), freeAddress(t)
	config := fmt.Sprintf(`model_list:
  - model_name: team-coder
    litellm_params: {model: openai/coder, api_base: "http://%s/v1", api_key: none}
general_settings: {master_key: %s}
`, behind, gatewayKey)
	file := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "--config", file, "--host", host, "--port", port)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LITELLM_LOCAL_MODEL_COST_MAP=True"}
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = log, log, &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait() // it was killed
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("LiteLLM said:\n%s", text[max(0, len(text)-4000):])
		}
		_ = log.Close()
	})
	return "http://" + address
}

// TestRealModelLiteLLM is the way through a gateway as other people run it: LiteLLM's proxy in front of llama.cpp's
// server.
func TestRealModelLiteLLM(t *testing.T) {
	server := &llamaServer{address: freeAddress(t)}
	server.start(t, "--alias", "coder")
	defer server.kill()
	url := startLiteLLM(t, server.address)
	key := func(key string) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { return key, nil }
	}
	direct := configured(t, nil, openai.Config{Name: "llama", URL: "http://" + server.address})
	b := configured(t, nil, openai.Config{Name: "work", URL: url, Key: key(gatewayKey)})
	comes(t, direct)
	comes(t, b)

	info, err := b.Describe(t.Context(), "team-coder")
	if err != nil || info.LoadedContext != 0 {
		t.Errorf("%+v, %v", info, err)
	}
	if kind, err := b.Kind(t.Context()); kind != openai.Other || err != nil {
		t.Errorf("%s, %v", kind, err)
	}
	_, err = configured(t, nil, openai.Config{Name: "work", URL: url, Key: key("sk-another")}).Models(t.Context())
	failed(t, err, model.Refused, "does not accept the key")
	_, err = configured(t, nil, openai.Config{Name: "work", URL: url}).Models(t.Context())
	failed(t, err, model.Refused, "wants a key")

	zero := 0.0
	req := model.Request{Model: "team-coder", MaxTokens: 32, Messages: question("Count from 1 to 10, with commas.")}
	req.Temperature = &zero
	through, err := chat(t.Context(), b, req)
	if err != nil {
		t.Fatal(err)
	}
	req.Model = "coder"
	straight, err := chat(t.Context(), direct, req)
	if err != nil || through.text != straight.text || through.done.PromptTokens != straight.done.PromptTokens || through.done.OutputTokens != straight.done.OutputTokens || through.done.AtOnce {
		t.Errorf("through the gateway %q, %+v; without %q, %+v; %v", through.text, through.done, straight.text, straight.done, err)
	}
	_, err = chat(t.Context(), b, model.Request{Model: "team-coder", Messages: question(strings.Repeat("one two three ", 1500))})
	if failure := failed(t, err, model.ContextTooLong, "2048"); failure.Limit != 2048 || failure.Needed < 4000 {
		t.Errorf("%d of %d", failure.Needed, failure.Limit)
	}
	a, err := b.Probe(t.Context(), "team-coder")
	own, ownErr := direct.Probe(t.Context(), "coder")
	if err != nil || ownErr != nil || a.Schema != own.Schema || a.Calls != own.Calls {
		t.Errorf("through the gateway %+v, %v; without %+v, %v", a, err, own, ownErr)
	}
	fieldsOfAGateway(t, url, "http://"+server.address)
}

// fieldsOfAGateway compares the answers to one request with the gateway and without it. quirks.md has the result.
func fieldsOfAGateway(t *testing.T, through, without string) {
	t.Helper()
	models := [2]map[string]bool{fieldsIn(t, through, "/v1/models", ""), fieldsIn(t, without, "/v1/models", "")}
	const ask = `{"model":%q,"stream":true,"stream_options":{"include_usage":true},"return_progress":true,"max_tokens":4,"messages":[{"role":"user","content":"Hi."}]}`
	chats := [2]map[string]bool{
		fieldsIn(t, through, "/v1/chat/completions", fmt.Sprintf(ask, "team-coder")), fieldsIn(t, without, "/v1/chat/completions", fmt.Sprintf(ask, "coder")),
	}
	got := []string{}
	for name, pair := range map[string][2]map[string]bool{"models": models, "chat": chats} {
		for field := range pair[1] {
			if lacks := missing(pair[0], field); lacks != "" {
				got = append(got, name+" drops "+lacks)
			}
		}
		for field := range pair[0] {
			if lacks := missing(pair[1], field); lacks != "" {
				got = append(got, name+" adds "+lacks)
			}
		}
	}
	slices.Sort(got)
	got = slices.Compact(got)
	want := []string{
		"chat adds usage.completion_tokens_details", "chat drops timings",
		"models drops data.aliases", "models drops data.architecture", "models drops data.meta", "models drops models",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the gateway changes other fields than quirks.md says (-want +got):\n%s", diff)
	}
}

// missing is the shortest beginning of a field's path that no field has; empty: the field is there.
func missing(fields map[string]bool, field string) string {
	if fields[field] {
		return ""
	}
	steps := strings.Split(field, ".")
	for i := range steps {
		part := strings.Join(steps[:i+1], ".")
		under := func(have string) bool { return have == part || strings.HasPrefix(have, part+".") }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(fields)), under) {
			return part
		}
	}
	return field
}

// fieldsIn are the paths of all fields in an answer or in the events of one.
func fieldsIn(t *testing.T, base, path, body string) map[string]bool {
	t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(t.Context(), method, base+path, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+gatewayKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // of a test
	found := map[string]bool{}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var value any
		if json.Unmarshal(bytes.TrimPrefix(lines.Bytes(), []byte("data:")), &value) == nil {
			maps.Copy(found, paths("", value))
		}
	}
	if err := lines.Err(); err != nil || response.StatusCode != http.StatusOK || len(found) == 0 {
		t.Fatalf("status %d of %s, %d fields, %v", response.StatusCode, path, len(found), err)
	}
	return found
}

func paths(at string, value any) map[string]bool {
	found := map[string]bool{}
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			maps.Copy(found, paths(strings.TrimPrefix(at+"."+key, "."), inner))
		}
	case []any:
		for _, inner := range value {
			maps.Copy(found, paths(at, inner))
		}
	default:
		if value != nil { // an empty field tells nothing
			found[at] = true
		}
	}
	return found
}
