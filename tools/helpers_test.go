package tools_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/workspace"
)

func TestMain(m *testing.M) {
	sandboxtest.Handle()
	shelltest.Main(m)
}

// buffers are documents open in an editor, in memory.
type buffers struct {
	workspace.NoBuffers

	mu      sync.Mutex
	text    map[string]string
	unsaved map[string]bool
	fails   func(abs string) error // of Replace; nil: it does not
}

func (b *buffers) Text(abs string) (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, open := b.text[abs]
	return text, open
}

func (b *buffers) Open() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.text))
}

func (b *buffers) Replace(_ context.Context, abs, before, after string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.text[abs] != before {
		return workspace.ErrChanged
	}
	if b.fails != nil {
		return b.fails(abs)
	}
	b.text[abs], b.unsaved[abs] = after, true
	return nil
}

func (b *buffers) Unsaved() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.unsaved))
}

// bench is a workspace with a dispatcher over it.
type bench struct {
	*testing.T
	dir     string
	ws      *workspace.Workspace
	buffers *buffers
	reads   *tools.ReadSet
	policy  *policy.Policy
	d       *tools.Dispatcher
}

// newBench makes a workspace from files, named by their paths.
func newBench(t *testing.T, files map[string]string) *bench {
	t.Helper()
	b := newBenchIn(t, filepath.Join(t.TempDir(), "ws"))
	for name, text := range files {
		b.write(name, text)
	}
	return b
}

// newBenchIn makes a workspace of a folder, which need not exist.
func newBenchIn(t *testing.T, dir string) *bench {
	t.Helper()
	b := &bench{
		T: t, dir: dir, reads: tools.NewReadSet(), policy: policy.New(nil, never),
		buffers: &buffers{text: map[string]string{}, unsaved: map[string]bool{}},
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, b.buffers)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	b.ws = ws
	now := func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }
	b.d = tools.NewDispatcher(tools.NewSources(tools.Builtin(ws, tools.Options{Now: now, Shell: shelltest.New()})).Known(), b.policy, ws)
	return b
}

func (b *bench) write(name, text string) {
	b.Helper()
	abs := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(abs, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) onDisk(name string) string {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

func (b *bench) prepare(name string, arguments any) tools.Prepared {
	b.Helper()
	return b.d.Prepare(b.Context(), b.call(name, arguments))
}

func (b *bench) call(name string, arguments any) tools.Call {
	b.Helper()
	raw, ok := arguments.(string)
	if !ok {
		text, err := json.Marshal(arguments)
		if err != nil {
			b.Fatal(err)
		}
		raw = string(text)
	}
	return tools.Call{
		Name: name, Arguments: json.RawMessage(raw), Chat: "chat", Reads: b.reads, Caller: policy.Model, Described: []string{"read_file", "get_time"},
	}
}

// do prepares, approves and executes.
func (b *bench) do(name string, arguments any) tools.Result {
	b.Helper()
	r, err := b.d.Execute(b.Context(), b.prepare(name, arguments).Approved(), nil)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// never is a rule by which a person forbids a tool in a chat.
var never = policy.Template{
	Scope: policy.Chat, Effect: effect.Edits, Denies: true,
	Title: func(r policy.Request) string { return "Deny " + r.Tool + " for the rest of this chat" },
}

// forbid answers a call by what the rule offers.
func (b *bench) forbid(p tools.Prepared) {
	b.Helper()
	for _, offer := range p.Decision.Offers {
		if offer.Denies {
			if _, err := b.policy.Accept(offer, "test"); err != nil {
				b.Fatal(err)
			}
			return
		}
	}
	b.Fatalf("%s cannot be forbidden", p.Call.Name)
}

// args makes arguments from names and values in turn.
func args(nameValue ...any) map[string]any {
	m := map[string]any{}
	for pair := range slices.Chunk(nameValue, 2) {
		m[pair[0].(string)] = pair[1]
	}
	return m
}

func (b *bench) contains(text string, parts ...string) {
	b.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			b.Errorf("no %q in:\n%s", part, text)
		}
	}
}
