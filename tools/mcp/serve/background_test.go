//go:build linux && (amd64 || arm64)

package serve_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/background"
	"github.com/assent-ls/assent/tools/mcp/serve"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/shell/shelltest"
)

// A client starts a command, reads its output, is asked what becomes of what it changed, and cannot reach that of
// another one. What a client leaves is ended.
// Promise 1, 4.
func TestACommandInTheBackgroundOverMCP(t *testing.T) {
	for _, version := range generations {
		var source *background.Source
		w := newWorld(t, func(o *serve.Options) {
			o.Left = func(reads *tools.ReadSet) { source.LeaveReader(reads) }
		})
		root, err := filepath.EvalSymlinks(w.dir)
		if err != nil {
			t.Fatal(err)
		}
		source = background.New(background.Options{Run: runcommand.New(w.ws, runcommand.Options{
			Shell: shelltest.New(), Sandbox: sandboxtest.New(t, "namespaces", root), Background: true,
		})})
		t.Cleanup(func() { _ = source.Close() })
		w.more.set(source.List()...)
		mine := w.connect(version, answers(
			map[string]any{"answer": "Approve once"}, map[string]any{"answer": "Keep all"}, map[string]any{"answer": "Approve once"},
		))
		other := w.connect(version, nil)
		ask := func(c *client, tool string, arguments map[string]any, want string) {
			t.Helper()
			if _, text, err := c.try(tool, arguments); err != nil || !strings.Contains(text, want) {
				t.Errorf("%s: %s says %q, %v; want %q", version, tool, text, err, want)
			}
		}
		const line = "echo b >b.txt; echo up; sleep 1000"
		ask(mine, "start_command", map[string]any{"command": line}, "up\n[Runs in the background as b1")
		ask(other, "command_output", map[string]any{"id": "b1", "stop": true}, "No command runs in the background")
		ask(other, "start_command", map[string]any{"command": line}, "needs the approval of a person")
		ask(mine, "command_output", map[string]any{"stop": true}, "[Made: b.txt.]")
		if w.holds("b.txt") != "b\n" {
			t.Errorf("%s: b.txt holds %q", version, w.holds("b.txt"))
		}
		ask(mine, "start_command", map[string]any{"command": line}, "[Runs in the background as b2")
		if n := len(source.Running()); n != 1 {
			t.Errorf("%s: %d run", version, n)
		}
		if err := mine.Close(); err != nil {
			t.Error(err)
		}
		tick := time.NewTicker(5 * time.Millisecond)
		for end := time.After(20 * time.Second); len(source.Running()) > 0; {
			select {
			case <-tick.C:
			case <-end:
				t.Fatalf("%s: what the client left runs on", version)
			}
		}
		tick.Stop()
	}
}
