package servers_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

// TestWhoPulls: the server that is named, else the first that is Ollama in the order of the file, whatever was asked
// before. The question and the pull mean the same one.
func TestWhoPulls(t *testing.T) {
	one, first := agenttest.Start(t, "model big:7b\nmissing new:1b")
	two, second := agenttest.Start(t, "model other:1b\nmissing new:1b")
	s, _, _ := set(t, `{"servers": [
		{"name": "gate", "url": "`+quirkserver.New(quirkserver.Gateway).Start(t)+`", "kind": "openai"},
		{"name": "one", "url": "`+first.String()+`", "kind": "ollama"},
		{"name": "two", "url": "`+second.String()+`"}
	]}`)
	from := s.Source("new:1b")
	if want := (model.Source{Name: "one/new:1b", Host: "registry.ollama.ai", Server: "one at " + first.String()}); from != want {
		t.Errorf("%+v", from)
	}
	if len(one.Requests()) > 0 {
		t.Error("something was asked")
	}
	for _, name := range []string{"gate/new:1b", "two/new:1b"} { // what two is nobody knows yet
		if from := s.Source(name); from != (model.Source{}) {
			t.Errorf("%+v", from)
		}
	}
	if _, err := s.Describe(t.Context(), "other:1b"); err != nil {
		t.Fatal(err)
	}
	if from := s.Source("new:1b"); from.Name != "one/new:1b" {
		t.Errorf("once two was asked: %+v", from)
	}
	if from := s.Source("two/new:1b"); from.Name != "two/new:1b" || from.Server != "two at "+second.String() {
		t.Errorf("%+v", from)
	}
	pulls := func(of *agenttest.Server) (n int) {
		for _, r := range of.Requests() {
			if strings.HasSuffix(r.Path, "/api/pull") {
				n++
			}
		}
		return n
	}
	for _, name := range []string{"new:1b", "two/new:1b"} {
		if err := s.Pull(t.Context(), s.Source(name).Name, func(model.Pulled) {}); err != nil {
			t.Error(err)
		}
	}
	if pulls(one) != 1 || pulls(two) != 1 {
		t.Errorf("%d and %d pulls", pulls(one), pulls(two))
	}
	alone, usual, _ := set(t, "")
	if from := alone.Source("new:1b"); from.Name != "new:1b" || !strings.HasPrefix(from.Server, "Ollama at 127.0.0.1:") || len(usual.Requests()) > 0 {
		t.Errorf("%+v", from)
	}
}
