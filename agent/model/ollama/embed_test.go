package ollama_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent/model"
)

func TestEmbed(t *testing.T) {
	server, b := backend(t, "model small capabilities=embedding\nmeans car automobile\n")
	list, err := b.Embed(t.Context(), model.Embedding{Model: "small", Texts: []string{"car", "automobile", "mail"}, ContextSize: 512, KeepAlive: time.Minute, MainMemory: true})
	if err != nil || len(list) != 3 || len(list[0]) != 256 {
		t.Fatalf("%v, %v", list, err)
	}
	for i := range list[0] {
		if list[0][i] != list[1][i] {
			t.Fatal("what means the same differs")
		}
	}
	if _, err := b.Embed(t.Context(), model.Embedding{Model: "small", Texts: []string{"x"}}); err != nil {
		t.Error(err)
	}
	all := server.Requests()
	for i, want := range []string{
		`{"model":"small","input":["car","automobile","mail"],"keep_alive":"1m0s","truncate":true,"options":{"num_ctx":512,"num_gpu":0}}`,
		`{"model":"small","input":["x"],"truncate":true,"options":{}}`,
	} {
		if got := strings.TrimSpace(string(all[i].Body)); got != want {
			t.Errorf("sent %s, not %s", got, want)
		}
	}
	if info, err := b.Describe(t.Context(), "small"); err != nil || len(info.Digest) != 64 || !info.Loaded() {
		t.Errorf("%+v, %v", info, err)
	}
}
