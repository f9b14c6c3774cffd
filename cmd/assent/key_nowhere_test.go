package main

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

// TestAKeyIsWrittenNowhere: a server repeats key and header in whatever it says, and neither is in what is printed, in
// a trace with content, or in any file.
// Promise 9.
func TestAKeyIsWrittenNowhere(t *testing.T) {
	const key, token = "sk-never-4711", "hunter2hunter2"
	s := newUser(t, "model other:1b\n")
	var mu sync.Mutex
	var traced strings.Builder // guarded by mu
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body) // the test sees what is missing
		mu.Lock()
		defer mu.Unlock()
		traced.Write(text)
	}))
	t.Cleanup(collector.Close)
	given := filepath.Join(t.TempDir(), "key")
	file := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "servers.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BOX_TOKEN", token)
	if err := os.WriteFile(given, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	var shown strings.Builder
	asked := 0
	for _, answer := range []string{"401 %s", "400 {\"error\":{\"message\":%q}}", "503 %s", "200 data: {\"error\":{\"message\":%q}}\n\n", "200 %s", ""} {
		there := quirkserver.New(quirkserver.VLLM)
		there.Key, there.Context = key, 16384
		if answer != "" {
			there.Handle("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
				asked++
				said := fmt.Sprintf("no user has %s and %s", r.Header.Get("Authorization"), r.Header.Get("X-Token"))
				status := 0
				_, _ = fmt.Sscan(answer[:3], &status) // it is a number
				w.WriteHeader(status)
				_, _ = fmt.Fprintf(w, answer[4:], said)
			})
		}
		text := `{"servers": [{"name": "box", "url": "` + there.Start(t) + `", "key": "${file:` + given + `}", "headers": {"X-Token": "${env:BOX_TOKEN}"}}]}`
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, words := range [][]string{
			{"run", "--folder", s.root, "--trace-endpoint", collector.URL, "--trace-content", "--model", "box/qwen2.5-coder-7b", "Hello?"},
			{"doctor"},
			{"doctor", "--egress"},
			{"models"},
			{"log", "--tokens"},
		} {
			out, notes, _ := s.run(words...)
			shown.WriteString(out + notes)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if asked < 5 || !strings.Contains(traced.String(), "invoke_agent") || !strings.Contains(shown.String(), "no user has Bearer … and …") {
		t.Fatalf("%d chats; traced was %d bytes, shown was\n%s", asked, traced.Len(), shown.String())
	}
	for _, secret := range []string{key, token} {
		if strings.Contains(shown.String(), secret) {
			t.Errorf("%s is printed:\n%s", secret, shown.String())
		}
		if strings.Contains(traced.String(), secret) {
			t.Errorf("%s is in a trace", secret)
		}
	}
	files := 0
	for _, folder := range []string{os.Getenv("HOME"), os.Getenv("XDG_STATE_HOME"), os.Getenv("XDG_CONFIG_HOME"), s.root} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if files++; strings.Contains(string(text), key) || strings.Contains(string(text), token) {
				t.Errorf("it is in %s", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if files < 5 {
		t.Errorf("only %d files are there", files)
	}
}
