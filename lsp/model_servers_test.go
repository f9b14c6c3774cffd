package lsp_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
	modelservers "github.com/assent-ls/assent/agent/model/servers"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/lsp"
)

// foundPort is where a scenario's server listens that nobody declared: nothing real does.
const foundPort = "1"

// withModelServers gives the server of a scenario the model servers of its file servers.json, and one that nobody
// declared, besides the scripted one. Both are llama.cpp's, the first at box:8080.
func withModelServers(t *testing.T, dir string) func(*lsp.Options) {
	t.Helper()
	given, file := filepath.Join(dir, "servers.json"), filepath.Join(t.TempDir(), modelservers.File)
	if data, err := os.ReadFile(given); err != nil {
		return func(*lsp.Options) {}
	} else if err := errors.Join(os.Remove(given), os.WriteFile(file, data, 0o600)); err != nil {
		t.Fatal(err)
	}
	declared, found := memoryServer(t, "qwen2.5-coder-7b"), memoryServer(t, "found-7b")
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		switch address {
		case "127.0.0.1:8080":
			return declared.Dial(ctx, network, address)
		case "127.0.0.1:" + foundPort:
			return found.Dial(ctx, network, address)
		}
		return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("nothing is there")}
	}
	return func(o *lsp.Options) {
		makes := o.Agent
		o.Agent = func(now settings.Settings) (*agent.Agent, error) {
			a, err := makes(now)
			if err != nil {
				return nil, err
			}
			set := modelservers.New(modelservers.Options{
				File: file, Usual: a.Backend().(*ollama.Backend), Approved: session.ApprovedServers(o.State), //nolint:forcetypeassert // serveWith makes it
				Ports: []string{foundPort}, Dial: dial, Network: network.New(false, nil),
			})
			return agent.New(set, a.Profiles.Load()), nil
		}
	}
}

// memoryServer plays llama.cpp's server in memory, with one model.
func memoryServer(t *testing.T, name string) *agenttest.Listener {
	t.Helper()
	plays := quirkserver.New(quirkserver.LlamaCpp)
	plays.Models, plays.Context = []string{name}, 16384
	listener := agenttest.NewListener()
	server := &http.Server{Handler: plays} //nolint:gosec // a test server needs no protection from slow clients
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener) // always ErrServerClosed here
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-served
	})
	return listener
}
