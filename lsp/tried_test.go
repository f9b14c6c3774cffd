//go:build linux && (amd64 || arm64)

package lsp_test

import (
	"path/filepath"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/lsp"
	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// The scenarios whose commands run in a sandbox.
// Promise 1, 4, 7, 10.
func TestConfinedScenarios(t *testing.T) {
	t.Parallel()
	lsptest.RunScenarios(t, "testdata/confined/*.txtar", confined)
}

// Those in which a command goes on running in the background.
// Promise 1, 4.
func TestBackgroundScenarios(t *testing.T) {
	t.Parallel()
	lsptest.RunScenariosByTheClock(t, "testdata/background/*.txtar", confined)
}

// confined is a server whose commands run in a sandbox.
func confined(t *testing.T, dir string, script []byte) lsptest.Serve {
	t.Helper()
	_, transport := agenttest.StartInMemory(t, string(script))
	state, err := userstate.OpenState(dir + "-state")
	if err != nil {
		t.Fatal(err)
	}
	s := sandbox.New(sandbox.Options{Helper: sandboxtest.Helper(), Root: dir, Cache: filepath.Join(dir + "-cache")})
	if state := s.State(t.Context()); !state.Proven {
		t.Skipf("NOT TESTED: no sandbox here: %v", state.Details)
	}
	return serveWith(t, state, dir+"-config", transport, func(o *lsp.Options) {
		o.Sandbox = func(*workspace.Workspace) runcommand.Sandbox { return s }
		o.Network = network.New(false, func(c network.Contact) { t.Errorf("%s is contacted", c.Host) })
	})
}
