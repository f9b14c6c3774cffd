package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/trust"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// place is a workspace, and the user's own files.
type place struct {
	testing.TB
	own, root string // the file of the user's servers, the workspace
	ws        *workspace.Workspace
	state     *userstate.State
	trust     *trust.Store
	policy    *policy.Policy
	source    *mcp.Source
	sources   *tools.Sources
	models    bool                           // servers may ask a model
	reach     func(url string) sdk.Transport // nil: the network
}

func newPlace(t testing.TB) *place {
	t.Helper()
	p := &place{TB: t, own: filepath.Join(t.TempDir(), "mcp.json"), root: t.TempDir()}
	var err error
	if p.state, err = userstate.OpenState(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if p.ws, err = workspace.Open(p.root, workspace.NoBuffers{}); err != nil {
		t.Fatal(err)
	}
	p.trust, p.policy = trust.New(p.state), policy.New(p.state)
	t.Cleanup(func() { _ = p.ws.Close() })
	t.Cleanup(p.policy.Flush) // before the folder of the state is removed
	p.restart()
	return p
}

// restart is a new process in the same place.
func (p *place) restart() {
	p.Helper()
	if p.sources != nil {
		p.sources.Close()
	}
	p.source = mcp.New(mcp.Options{
		File: p.own, Workspace: p.ws, Trust: p.trust, Policy: p.policy, State: p.state, Shell: shelltest.New(), Taken: builtin.Reserved(), Version: "test", Models: p.models,
		Reach: p.reach, Network: network.New(false, nil),
	})
	p.sources = tools.NewSources(builtin.Tools(p.ws, builtin.Options{}), p.source)
	p.Cleanup(p.sources.Close)
}

// fake declares a fake server.
func fake(mode string, env ...string) map[string]any {
	vars := map[string]string{fakeMode: mode, "GORACE": "atexit_sleep_ms=0"} // else each end of one takes a second beside the race detector
	for i := 0; i < len(env); i += 2 {
		vars[env[i]] = env[i+1]
	}
	return map[string]any{"command": os.Args[0], "env": vars}
}

func file(t testing.TB, path string, value any) {
	t.Helper()
	data, err := json.Marshal(value)
	if text, ok := value.(string); ok {
		data = []byte(text)
	}
	if err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o700)); err != nil {
		t.Fatal(err)
	}
}

// declares writes the user's own servers: a name, what it is, and so on.
func (p *place) declares(servers ...any) {
	p.Helper()
	file(p.TB, p.own, map[string]any{"mcpServers": object(servers)})
}

// theirs writes the servers of the workspace.
func (p *place) theirs(servers ...any) {
	p.Helper()
	file(p.TB, filepath.Join(p.root, mcp.File), map[string]any{"servers": object(servers)})
}

func object(pairs []any) map[string]any {
	out := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}

// now is a run that begins: its tools, and the problems.
func (p *place) now() (*tools.Dispatcher, string) {
	p.Helper()
	r, err := p.sources.Now(p.Context())
	problems := ""
	if err != nil {
		problems = err.Error()
	}
	return tools.NewDispatcher(r, p.policy, p.ws), problems
}

func call(name, arguments string) tools.Call {
	return tools.Call{Name: name, Arguments: json.RawMessage(arguments), Chat: "c", Caller: policy.Model}
}

// run makes a call that a person approves.
func (p *place) run(d *tools.Dispatcher, name, arguments string) tools.Result {
	p.Helper()
	return p.runIn(p.Context(), d, name, arguments)
}

func (p *place) runIn(ctx context.Context, d *tools.Dispatcher, name, arguments string) tools.Result {
	p.Helper()
	return p.execute(ctx, nil, d, name, arguments)
}

// runAs makes a call that this person approves, and answers what it asks.
func (p *place) runAs(who *asked, d *tools.Dispatcher, name, arguments string) tools.Result {
	p.Helper()
	return p.execute(p.Context(), who, d, name, arguments)
}

func (p *place) execute(ctx context.Context, report tools.Reporter, d *tools.Dispatcher, name, arguments string) tools.Result {
	p.Helper()
	q := d.Prepare(ctx, call(name, arguments))
	if q.Answered == nil && q.Decision.Verdict != policy.Ask {
		p.Fatalf("%s is not asked about: %+v", name, q.Decision)
	}
	r, err := d.Execute(ctx, q.Approved(), report)
	if err != nil {
		p.Fatal(err)
	}
	return r
}

func names(d *tools.Dispatcher) string {
	var all []string
	for _, s := range d.Registry().Specs() {
		if s.Origin != tools.BuiltIn {
			all = append(all, s.Name)
		}
	}
	return strings.Join(all, " ")
}

func contains(t *testing.T, text string, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %.600q", want, text)
		}
	}
}

// TestAServersToolIsCalled: a server of the user's own file is started for a run, and its tool asks, runs, and answers
// as somebody else.
func TestAServersToolIsCalled(t *testing.T) {
	p := newPlace(t)
	p.declares("notes", fake("echo"))
	d, problems := p.now()
	if problems != "" || names(d) != "echo" {
		t.Fatalf("%q, %s", names(d), problems)
	}
	q := d.Prepare(t.Context(), call("echo", `{"text": "hello"}`))
	if q.Decision.Verdict != policy.Ask || q.Spec.Origin != "server notes" || !strings.Contains(q.Target, "of server notes") {
		t.Errorf("%+v, %q", q.Decision, q.Target)
	}
	r := p.run(d, "echo", `{"text": "hello"}`)
	contains(t, r.Text(), "echo: hello", "was written by others")
	wrong := p.run(d, "echo", `{"text": 1}`)
	contains(t, wrong.Text(), "do not fit", `"text"`)
	if !wrong.Failed {
		t.Error("wrong arguments are called")
	}
}
