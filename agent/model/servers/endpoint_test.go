package servers_test

import (
	"net/url"
	"strconv"
	"testing"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
	"github.com/assent-ls/assent/agent/model/servers"
)

// TestEndpoints: a trace names the kind and the address of the server that answers, and no secret.
func TestEndpoints(t *testing.T) {
	there := quirkserver.New(quirkserver.LlamaCpp)
	there.Key = "hunter2hunter2"
	address := there.Start(t)
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	s, _, _ := set(t, `{"servers": [
		{"name": "box", "url": "`+address+`/v1", "key": "hunter2hunter2"},
		{"name": "sock", "socket": "~/llama.sock", "kind": "llamacpp"}
	]}`)
	port, _ := strconv.Atoi(at.Port())
	info, err := s.Describe(t.Context(), "box/"+there.Models[0])
	if want := (model.Endpoint{Kind: "llamacpp", Address: "127.0.0.1", Port: port}); err != nil || info.Endpoint != want {
		t.Errorf("%+v, %v", info.Endpoint, err)
	}
	info, err = s.Describe(t.Context(), "ollama/qwen:1b")
	if err != nil || info.Endpoint.Kind != "ollama" || info.Endpoint.Address != "127.0.0.1" || info.Endpoint.Port == port {
		t.Errorf("%+v, %v", info.Endpoint, err)
	}
	info, err = servers.InfoOf(s, "sock", model.Info{Name: "m", Endpoint: model.Endpoint{Kind: "llamacpp", Address: "localhost", Port: 80}})
	if err != nil || info.Endpoint != (model.Endpoint{Kind: "llamacpp", Address: "~/llama.sock"}) {
		t.Errorf("%+v, %v", info.Endpoint, err)
	}
	for text, want := range map[string]model.Endpoint{
		"https://llm.example.com/v1": {Kind: "openai", Address: "llm.example.com", Port: 443}, "http://[::1]:8080": {Kind: "openai", Address: "::1", Port: 8080},
	} {
		at, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := model.NewEndpoint("openai", at); got != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
