package main

import (
	"path/filepath"

	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/agent/model/servers"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/internal/settings"
)

// backend is the model servers: those that the user declared, and Ollama where the settings say.
func (p *parts) backend(s settings.Settings) (*servers.Set, error) {
	usual, err := ollama.Open(p.network, s.OllamaHost, s.OllamaProxy)
	if err != nil {
		return nil, err
	}
	return servers.New(servers.Options{
		File: filepath.Join(p.config, servers.File), Usual: usual, Approved: session.ApprovedServers(p.state),
		Ports: s.ServerPorts.All(), Tell: p.tell, Network: p.network,
	}), nil
}
