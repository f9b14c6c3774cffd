//go:build linux && (amd64 || arm64)

package serve_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/mcp/serve"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/workspace"
)

// confinedWorld is a world whose commands run in a sandbox.
func confinedWorld(t *testing.T) *world {
	t.Helper()
	var w *world
	w = newWorld(t, func(o *serve.Options) {
		o.Tools = func(ctx context.Context) (*tools.Dispatcher, error) {
			return tools.NewDispatcher(w.confined.Known(), w.policy, w.ws), nil
		}
	})
	ws, err := workspace.Open(w.dir, workspace.NoBuffers{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	root, err := filepath.EvalSymlinks(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	s := sandboxtest.New(t, "namespaces", root)
	w.confined = tools.NewSources(builtin.Tools(ws, builtin.Options{Shell: shelltest.New(), Sandbox: s}))
	return w
}

// answers gives one answer after the other.
func answers(all ...map[string]any) func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	return func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		content := all[0]
		all = all[1:]
		return &mcp.ElicitResult{Action: "accept", Content: content}, nil
	}
}

// A client is asked what becomes of what a tried command changed, in the same call, and all that fits no form keeps
// nothing.
// Promise 1, 4.
func TestACommandIsTriedOverMCP(t *testing.T) {
	for _, version := range generations {
		try := map[string]any{"answer": "Try it on a copy"}
		for name, c := range map[string]struct {
			then []map[string]any
			want string // what a.txt holds
			says string
		}{
			"kept":      {[]map[string]any{{"answer": "Keep all"}}, "one\ntwo\n3\n", "[Changed: a.txt.]"},
			"discarded": {[]map[string]any{{"answer": "Discard", "why": "no"}}, "one\ntwo\n", `the user discarded it, and says: "no"`},
			"chosen": {
				[]map[string]any{{"answer": "Choose what to keep"}, {"1 a.txt": "keep", "2 b.txt": "discard"}},
				"one\ntwo\n3\n", "Not applied: b.txt",
			},
			"an odd answer": {[]map[string]any{{"answer": "keep all"}}, "one\ntwo\n", "Not applied"},
			"one too many":  {[]map[string]any{{"answer": "Keep all", "also": "x"}}, "one\ntwo\n", "Not applied"},
			"an odd form":   {[]map[string]any{{"answer": "Choose what to keep"}, {"1 a.txt": "yes"}}, "one\ntwo\n", "Not applied"},
		} {
			w := confinedWorld(t)
			client := w.connect(version, answers(append([]map[string]any{try}, c.then...)...))
			r, text, err := client.try("run_command", map[string]any{"command": "echo 3 >>a.txt; echo b >b.txt"})
			refused := strings.HasPrefix(name, "an odd") && err != nil // by the client itself
			if refused && w.holds("a.txt") == c.want {
				continue
			}
			if err != nil || r.IsError || w.holds("a.txt") != c.want || !strings.Contains(text, c.says) {
				t.Errorf("%s, %s: %v, a.txt holds %q: %s", version, name, err, w.holds("a.txt"), text)
			}
			first, second := <-client.asked, <-client.asked
			if form, _ := json.Marshal(first.RequestedSchema); !strings.Contains(string(form), `["Deny","Approve once","Try it on a copy"]`) {
				t.Errorf("the first form is %s", form)
			}
			if form, _ := json.Marshal(second.RequestedSchema); !strings.Contains(string(form), `["Discard","Keep all","Choose what to keep"]`) || !strings.Contains(second.Message, "+3") {
				t.Errorf("the second form is %s\n%s", form, second.Message)
			}
		}
	}
}
