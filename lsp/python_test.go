//go:build linux && (amd64 || arm64)

package lsp_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"go.lsp.dev/protocol"

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
		return serveWith(t, state, userOfPrograms(t, dir), transport, withPython(t, options))
	}
	lsptest.RunScenariosByTheClock(t, "testdata/code/*.txtar", setup)
}

// userOfPrograms is the configuration folder of a user who wants models to write programs. The rules of
// permissions.json in the folder of the scenario are theirs.
func userOfPrograms(t *testing.T, dir string) string {
	t.Helper()
	config := dir + "-config"
	err := os.MkdirAll(config, 0o700)
	text := []byte(`{"pythonExecution": true}`)
	err = errors.Join(err, os.WriteFile(filepath.Join(config, "settings.json"), text, 0o600))
	moved := os.Rename(filepath.Join(dir, "permissions.json"), filepath.Join(config, "permissions.json"))
	if err != nil || moved != nil && !errors.Is(moved, fs.ErrNotExist) {
		t.Fatal(err, moved)
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

// labOfPrograms is a lab whose model writes programs.
func labOfPrograms(t *testing.T, script string, files map[string]string) *lab {
	t.Helper()
	options := interpretertest.Options(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{config: userOfPrograms(t, dir)}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if l.state, err = userstate.OpenState(dir + "-state"); err != nil {
		t.Fatal(err)
	}
	l.model, l.transport = agenttest.StartInMemory(t, script)
	serve := serveWith(t, l.state, l.config, l.transport, withPython(t, options))
	l.Env = lsptest.NewEnv(t, serve, dir, lsptest.Options{})
	return l
}

// An answer to what a program asks that comes after Stop is refused: nothing runs, and nothing is applied.
// Promise 1, 10.
func TestAnAnswerAfterStopIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ program, title string }{
		"a call":   {`run_command(\"touch made.txt\")`, "Approve"},
		"a bundle": {`write_file(\"made.txt\", \"made\")`, "Keep all"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := "turn\njson " + `{"tool":"python_execution","arguments":{"program":"` +
				test.program + `"}}` + "\n"
			l := labOfPrograms(t, script, map[string]string{chat: "## You\n\nMake it.\n"})
			defer l.Leave()
			l.Open(chat)
			l.must(l.Do(chat, "Make it", "Send"))
			l.waitDiagnostic(waits)
			var answer *protocol.CodeAction
			for _, a := range l.CodeActions(chat, "python_execution c1") {
				if a.Title == test.title {
					answer = &a
				}
			}
			if answer == nil {
				t.Fatalf("no %q among %q", test.title, l.Titles(chat, "python_execution c1"))
			}
			l.must(l.Do(chat, "python_execution c1", "Stop"))
			l.WaitText(chat, "```result c1")
			if err := l.Choose(*answer); err == nil {
				t.Error("it was taken")
			}
			if _, err := os.Stat(filepath.Join(l.Dir, "made.txt")); err == nil {
				t.Error("it ran all the same")
			}
		})
	}
}
