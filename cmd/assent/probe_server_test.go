package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

// TestProbeOfADeclaredServer: what the server does is found out, said and kept, so that a chat does not try it again.
func TestProbeOfADeclaredServer(t *testing.T) {
	for way, quirks := range map[string][]quirkserver.Quirk{
		"response_format": nil, "grammar": {quirkserver.IgnoresResponseFormat},
		"none": {quirkserver.IgnoresResponseFormat, quirkserver.IgnoresGrammar},
	} {
		t.Run(way, func(t *testing.T) {
			s := newUser(t, "model other:1b\n")
			there := quirkserver.New(quirkserver.LlamaCpp, quirks...)
			there.Context = 16384
			file := filepath.Join(os.Getenv("HOME"), "config", "assent", "servers.json")
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(`{"servers": [{"name": "box", "url": "`+there.Start(t)+`"}]}`), 0o600); err != nil {
				t.Fatal(err)
			}
			// tries are the requests that only find something out, and held those whose reply is held to a schema.
			count := func() (tries, held int) {
				for _, r := range there.Requests("/v1/chat/completions") {
					body := string(r.Body)
					if strings.Contains(body, "remember_word") || strings.Contains(body, `"content":"Say hello."`) {
						tries++
					} else if strings.Contains(body, `"`+way+`":`) {
						held++
					}
				}
				return tries, held
			}
			const name = "box/qwen2.5-coder-7b"
			out, notes, status := s.run("doctor", "--probe", name)
			if status != 0 || !strings.Contains(out, "the server llamacpp: schemas by "+way+"; native calls: whole\n") || !strings.Contains(out, name) {
				t.Fatalf("%d\n%s\n%s", status, out, notes)
			}
			tries, held := count()
			if tries == 0 || tries > 4 || (held == 0) != (way == "none") {
				t.Errorf("%d tries, and %d replies were held by %s", tries, held, way)
			}
			if out, notes, status := s.run("run", "--folder", s.root, "--model", name, "Hello?"); status != 0 || !strings.Contains(out, "Hello.") {
				t.Errorf("%d\n%s\n%s", status, out, notes)
			}
			if later, _ := count(); later != tries {
				t.Errorf("a chat tried it again: %d tries, then %d", tries, later)
			}
		})
	}
}
