// Package toolstest helps tests: a workspace with a dispatcher over the built-in tools, and a person who answers.
package toolstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/egress/proxy"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/workspace"
)

// buffers are documents open in an editor, in memory.
type buffers struct {
	workspace.NoBuffers

	Mu     sync.Mutex
	Texts  map[string]string
	Edited map[string]bool
	Fails  func(abs string) error // of Replace; nil: it does not
}

func (b *buffers) Text(abs string) (string, bool) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	text, open := b.Texts[abs]
	return text, open
}

func (b *buffers) Open() []string {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	return slices.Sorted(maps.Keys(b.Texts))
}

func (b *buffers) Replace(_ context.Context, abs, before, after string) error {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	if b.Texts[abs] != before {
		return workspace.ErrChanged
	}
	if b.Fails != nil {
		return b.Fails(abs)
	}
	b.Texts[abs], b.Edited[abs] = after, true
	return nil
}

func (b *buffers) Unsaved() []string {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	return slices.Sorted(maps.Keys(b.Edited))
}

// Bench is a workspace with a dispatcher over it.
type Bench struct {
	*testing.T
	Dir        string
	Workspace  *workspace.Workspace
	Buffers    *buffers
	Reads      *tools.ReadSet
	Policy     *policy.Policy
	Dispatcher *tools.Dispatcher
	Tries      bool       // of a ConfinedBench: commands are tried on a copy without a question
	Out        *proxy.Out // of a ConfinedBench: how its commands reach the network
	Sandbox    *sandbox.Sandbox
	Chat       string // of the calls
}

// NewBench makes a workspace from files, named by their paths.
func NewBench(t *testing.T, files map[string]string) *Bench {
	t.Helper()
	b := NewBenchIn(t, filepath.Join(t.TempDir(), "ws"))
	for name, text := range files {
		b.Write(name, text)
	}
	return b
}

// NewBenchIn makes a workspace of a folder, which need not exist.
func NewBenchIn(t *testing.T, dir string) *Bench {
	t.Helper()
	b := &Bench{
		T: t, Dir: dir, Reads: tools.NewReadSet(), Policy: policy.New(nil, never),
		Buffers: &buffers{Texts: map[string]string{}, Edited: map[string]bool{}}, Chat: "chat",
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, b.Buffers)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	b.Workspace = ws
	now := func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }
	b.dispatch(builtin.Options{Now: now})
	return b
}

// dispatch offers the built-in tools, made with some options.
func (b *Bench) dispatch(o builtin.Options) {
	o.Shell = shelltest.New()
	b.Dispatcher = tools.NewDispatcher(tools.NewSources(builtin.Tools(b.Workspace, o)).Known(), b.Policy, b.Workspace)
}

func (b *Bench) Write(name, text string) {
	b.Helper()
	abs := filepath.Join(b.Dir, name)
	if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(abs, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

func (b *Bench) OnDisk(name string) string {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(b.Dir, name))
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

func (b *Bench) Prepare(name string, arguments any) tools.Prepared {
	b.Helper()
	return b.Dispatcher.Prepare(b.Context(), b.Call(name, arguments))
}

func (b *Bench) Call(name string, arguments any) tools.Call {
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
		Name: name, Arguments: json.RawMessage(raw),
		Chat: b.Chat, Reads: b.Reads, Caller: policy.Model, Described: []string{"read_file", "get_time"},
	}
}

// Do prepares, approves and executes.
func (b *Bench) Do(name string, arguments any) tools.Result {
	b.Helper()
	return b.execute(b.Prepare(name, arguments).Approved(), nil)
}

func (b *Bench) execute(call tools.Prepared, person tools.Reporter) tools.Result {
	b.Helper()
	r, err := b.Dispatcher.Execute(b.Context(), call, person)
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

// Forbid answers a call by what the rule offers.
func (b *Bench) Forbid(p tools.Prepared) {
	b.Helper()
	for _, offer := range p.Decision.Offers {
		if offer.Denies {
			if _, err := b.Policy.Accept(offer, "test"); err != nil {
				b.Fatal(err)
			}
			return
		}
	}
	b.Fatalf("%s cannot be forbidden", p.Call.Name)
}

// Args makes arguments from names and values in turn.
func Args(nameValue ...any) map[string]any {
	m := map[string]any{}
	for pair := range slices.Chunk(nameValue, 2) {
		m[pair[0].(string)] = pair[1]
	}
	return m
}

func (b *Bench) Contains(text string, parts ...string) {
	b.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			b.Errorf("no %q in:\n%s", part, text)
		}
	}
}

// Plan is what a built-in tool plans.
func (b *Bench) Plan(name string, arguments any) tools.Plan {
	b.Helper()
	for _, tool := range builtin.Tools(b.Workspace, builtin.Options{}) {
		if tool.Spec().Name != name {
			continue
		}
		plan, err := tool.Plan(b.Context(), b.Call(name, arguments))
		if err != nil {
			b.Fatalf("%s %v: %v", name, arguments, err)
		}
		return plan
	}
	b.Fatalf("no tool %s", name)
	return tools.Plan{}
}

// Person answers what a running call asks, and does something when the command prints, such as to stop it.
type Person struct {
	Yes    bool
	Answer func(tools.Inquiry) tools.Reply // nil: yes
	Asked  []tools.Inquiry
	Prints func()
	Halt   context.CancelFunc
}

func (p *Person) Halting(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, p.Halt = context.WithCancel(ctx)
	return ctx, p.Halt
}

func (p *Person) Output(string) {
	if p.Prints != nil {
		p.Prints()
		p.Prints = nil
	}
}

func (*Person) Progress(float64, float64, string) {}

func (p *Person) Ask(_ context.Context, what tools.Inquiry) (tools.Reply, error) {
	p.Asked = append(p.Asked, what)
	if p.Answer != nil {
		return p.Answer(what), nil
	}
	return tools.Reply{Yes: p.Yes}, nil
}

// ConfinedBench is a workspace, a repository of git, whose commands run in a sandbox.
func ConfinedBench(t *testing.T) *Bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "gitconfig"))
	b := NewBenchIn(t, filepath.Join(dir, "ws"))
	for name, text := range map[string]string{
		"a": "1\n", "sub/x": "x\n", ".gitignore": "build/\n", "AGENTS.md": "Use tabs.\n", ".env": "KEY=x\n",
	} {
		b.Write(name, text)
	}
	b.Git("init", "-q", "-b", "main")
	b.Git("config", "user.name", "Test")
	b.Git("config", "user.email", "test@example.org")
	b.Git("add", "a", "sub", ".gitignore")
	b.Git("commit", "-qm", "first")
	b.Sandbox = sandboxtest.New(t, "namespaces", b.Workspace.Root())
	b.Out = &proxy.Out{}
	b.dispatch(builtin.Options{Sandbox: b.Sandbox, Tries: func() bool { return b.Tries }, Out: b.Out})
	return b
}

func (b *Bench) Git(args ...string) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "git", args...)
	cmd.Dir = b.Dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Command runs an approved command, with somebody there.
func (b *Bench) Command(line string, p *Person) tools.Result {
	b.Helper()
	return b.execute(b.Prepare("run_command", Args("command", line)).Approved(), p)
}

// Try runs a command on a copy, with somebody there.
func (b *Bench) Try(line string, p *Person) tools.Result {
	b.Helper()
	return b.execute(b.Prepare("run_command", Args("command", line)).Tried(), p)
}

// Online runs a command on a copy with the network, with somebody there.
func (b *Bench) Online(line string, p *Person) tools.Result {
	b.Helper()
	return b.execute(b.Prepare("run_command", Args("command", line)).Online(), p)
}

// CommandBench is a workspace whose commands run in a sandbox.
func CommandBench(t *testing.T, s runcommand.Sandbox) *Bench {
	t.Helper()
	b := NewBench(t, map[string]string{"a": "", "sub/x": "", "tools/shell/x": "", "in": "b\na\n", ".env": "KEY=x\n"})
	b.dispatch(builtin.Options{Sandbox: s})
	return b
}

// Rules makes a bench's policy read a permissions file.
func (b *Bench) Rules(text string) {
	b.Helper()
	file := filepath.Join(b.TempDir(), "permissions.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Policy.UseFiles(file, func(string, string, []byte) (bool, string) { return false, "" })
}

func Several(edits ...map[string]any) map[string]any {
	list := make([]any, len(edits))
	for i, e := range edits {
		list[i] = e
	}
	return Args("edits", list)
}

func (b *Bench) ReadAll(names ...string) {
	b.Helper()
	for _, name := range names {
		b.Do("read_file", Args("path", name))
	}
}

func (b *Bench) Gone(names ...string) {
	b.Helper()
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(b.Dir, name)); !errors.Is(err, os.ErrNotExist) {
			b.Errorf("%s is there: %v", name, err)
		}
	}
}

func Change(path, oldText, newText string) map[string]any {
	return Args("path", path, "old_text", oldText, "new_text", newText)
}

func Numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}
