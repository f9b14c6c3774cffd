//go:build linux && (amd64 || arm64)

package lsp_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/lsp"
	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools/python"
	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/python/interpreter/interpretertest"
	"github.com/assent-ls/assent/tools/userstate"
)

// The scenarios in which a model writes programs. They run in the real interpreter.
// Promise 1, 3, 4, 7, 10.
func TestCodeScenarios(t *testing.T) {
	t.Parallel()
	options := interpretertest.Options(t)
	setup := func(t *testing.T, dir string, script []byte) lsptest.Serve {
		t.Helper()
		model, transport := agenttest.StartInMemory(t, string(script))
		t.Cleanup(func() {
			if wrong := model.Mismatches(); len(wrong) > 0 {
				t.Errorf("the model was asked something else: %q", wrong)
			}
		})
		state, err := userstate.OpenState(dir + "-state")
		if err != nil {
			t.Fatal(err)
		}
		return serveWith(t, state, userOfPrograms(t, dir+"-config"), transport, withPython(t, options))
	}
	lsptest.RunScenariosByTheClock(t, "testdata/code/*.txtar", setup)
}

// userOfPrograms is the configuration folder of a user who wants models to write programs.
func userOfPrograms(t *testing.T, config string) string {
	t.Helper()
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	text := []byte(`{"pythonExecution": true}`)
	if err := os.WriteFile(filepath.Join(config, "settings.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return config
}

// withPython gives a server an interpreter, which ends with the test.
func withPython(t *testing.T, options interpreter.Options) func(*lsp.Options) {
	t.Helper()
	i, err := interpreter.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Close)
	return func(o *lsp.Options) { o.Python = func() (python.Interpreter, error) { return i, nil } }
}
