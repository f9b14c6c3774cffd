package lsp_test

import (
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools/userstate"
)

// TestScenarios plays whole stories: a fake editor, the real server, and a scripted model that speaks Ollama's
// protocol.
func TestScenarios(t *testing.T) {
	lsptest.RunScenarios(t, "testdata/*.txtar", func(t *testing.T, dir string, script []byte) lsptest.Serve {
		t.Helper()
		if script == nil {
			script = []byte("turn\nhang\n")
		}
		_, transport := agenttest.StartInMemory(t, string(script))
		state, err := userstate.OpenState(dir + "-state")
		if err != nil {
			t.Fatal(err)
		}
		return serveWith(t, state, dir+"-config", transport, withServer(t, dir), withModelServers(t, dir))
	})
}
