package servers_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/agent/model/servers"
	"github.com/assent-ls/assent/agent/model/transport"
	"github.com/assent-ls/assent/internal/network"
)

// A server on this machine may have models that answer elsewhere, and would fetch others from elsewhere.
// Promise 9.
func TestOfflineAsksNoModelElsewhere(t *testing.T) {
	const models = "model local:1b\nmodel harmless:1b remote-host=https://ollama.com:443 remote-model=gpt-oss:120b\nmodel gpt-oss:120b-cloud\n"
	for _, offline := range []bool{false, true} {
		server, base := agenttest.Start(t, models+"turn repeat\nsay Hello.\n")
		n := network.New(offline, nil)
		s := servers.New(servers.Options{
			File: filepath.Join(t.TempDir(), "servers.json"), Usual: ollama.New(base, transport.New(n, nil)), Network: n,
		})
		list, err := s.Models(t.Context())
		if err != nil || len(list) != map[bool]int{false: 3, true: 1}[offline] {
			t.Errorf("offline %t: %v, %v", offline, names(list), err)
		}
		for _, name := range []string{"local:1b", "harmless:1b", "gpt-oss:120b-cloud"} {
			chats := len(server.Chats())
			_, err := s.Describe(t.Context(), name)
			sent := s.Chat(t.Context(), model.Request{Model: name, Messages: []model.Message{{Role: model.RoleUser, Text: "Hi."}}}, func(model.Chunk) error { return nil })
			refused := offline && name != "local:1b"
			if errors.Is(err, network.ErrOffline) != refused || errors.Is(sent, network.ErrOffline) != refused || (len(server.Chats()) > chats) == refused {
				t.Errorf("offline %t, %s: %v, %v, and %d chats", offline, name, err, sent, len(server.Chats())-chats)
			}
			if refused && !strings.Contains(err.Error(), "choose a model of this machine") {
				t.Error(err)
			}
		}
		if source := s.Source("other:1b"); (source.Host == "") != offline {
			t.Errorf("offline %t: %+v is a source", offline, source)
		}
		if offline {
			if err := s.Pull(t.Context(), "other:1b", func(model.Pulled) {}); !errors.Is(err, network.ErrOffline) {
				t.Error(err)
			}
		}
	}
}
