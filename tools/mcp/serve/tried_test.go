//go:build linux && (amd64 || arm64)

package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/egress/proxy"
	"github.com/assent-ls/assent/tools/mcp/serve"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/workspace"
)

// confinedWorld is a world whose commands run in a sandbox.
func confinedWorld(t *testing.T, out ...*proxy.Out) *world {
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
	w.confined = tools.NewSources(builtin.Tools(ws, builtin.Options{Shell: shelltest.New(), Sandbox: s, Out: append(out, nil)[0]}))
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

// A client is asked for the hosts before a command runs with the network.
// Promise 1. Promise 9.
func TestACommandGoesOnlineOverMCP(t *testing.T) {
	for _, version := range generations {
		online := map[string]any{"answer": "Run with the network"}
		for name, c := range map[string]struct {
			then  []map[string]any
			dials bool
			says  string
		}{
			"yes":      {[]map[string]any{{"answer": "Run with these hosts"}}, true, "502"},
			"no":       {[]map[string]any{{"answer": "Do not run it", "why": "later"}}, false, `did not let it reach the network, and says: "later"`},
			"no hosts": {[]map[string]any{{"answer": "Choose the hosts"}, {"hosts": ""}}, false, "It wanted a.example:80, which nobody allowed"},
		} {
			dialled := ""
			w := confinedWorld(t, &proxy.Out{
				Network: network.New(false, nil), Upstream: func(*url.URL) (*url.URL, error) { return nil, nil },
				Connect: func(_ context.Context, _, to string, _ func(network, address string, _ syscall.RawConn) error) (net.Conn, error) {
					dialled += to
					return nil, errors.New("nothing is there")
				},
			})
			client := w.connect(version, answers(append([]map[string]any{online}, c.then...)...))
			_, text, err := client.try("run_command", map[string]any{"command": "curl -s -o /dev/null -w '%{http_code}' http://a.example/"})
			if err != nil || !strings.Contains(text, c.says) || (dialled == "a.example:80") != c.dials || !c.dials && dialled != "" {
				t.Errorf("%s, %s: %v, dialled %q: %s", version, name, err, dialled, text)
			}
			first, second := <-client.asked, <-client.asked
			if form, _ := json.Marshal(first.RequestedSchema); !strings.Contains(string(form), `["Deny","Approve once","Try it on a copy","Run with the network"]`) {
				t.Errorf("the first form is %s", form)
			}
			if !strings.Contains(second.Message, "- a.example:80, which its words name") {
				t.Errorf("the second question is %s", second.Message)
			}
		}
	}
}
