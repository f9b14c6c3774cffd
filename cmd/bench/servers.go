package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/mcp/mcptest"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/trust"
	"github.com/assent-ls/assent/tools/workspace"
)

// The first arguments by which this program starts itself as a server, and as the keeper of one.
const (
	serverWord = "mcp-server"
	keepWord   = "keep"
)

const (
	hostedCalls  = 2_000  // of each of the two that are compared
	leakingCalls = 10_000 // that are to leave nothing behind
	perSource    = 500    // calls that one workspace may make in a minute, and some
)

// measureServers compares calls of an MCP server's tools through the host with the SDK's bare client, and measures what
// many tools cost.
func measureServers(ctx context.Context, l *setup) (rows []row, err error) {
	h, err := newHost(ctx, l)
	if err != nil {
		return nil, err
	}
	defer h.close()
	for _, measure := range []func(context.Context) (row, error){
		h.compareCalls, h.leaks, h.search, l.manyTools, l.idleServers,
	} {
		r, err := measure(ctx)
		if err != nil {
			return rows, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// host is a server, a bare client of it, and the host with the same server.
type host struct {
	bare       *sdk.ClientSession
	source     *mcp.Source
	ws         *workspace.Workspace
	policy     *policy.Policy
	dispatcher *tools.Dispatcher
	calls      int
}

// mcpFile declares the servers of mcptest, each of which is this program.
func mcpFile() ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return mcptest.Declare(self, serverWord, nil, mcptest.Names()...)
}

func newHost(ctx context.Context, l *setup) (h *host, err error) {
	dir, state, err := l.state("servers")
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	declared, err := mcptest.Declare(self, serverWord, nil, "tracker")
	if err != nil {
		return nil, err
	}
	h = &host{policy: policy.New(state)}
	rules := filepath.Join(dir, "permissions.json")
	if err := errors.Join(
		os.MkdirAll(filepath.Join(dir, "work"), 0o700),
		write(rules, `{"allow": [{"tool": "get_issue", "origin": "server tracker"}]}`),
	); err != nil {
		return nil, err
	}
	h.policy.UseFiles(rules, nil)
	if h.ws, err = workspace.Open(filepath.Join(dir, "work"), workspace.NoBuffers{}); err != nil {
		return nil, err
	}
	h.source = mcp.New(mcp.Options{
		Launch: declared, Workspace: h.ws, Trust: trust.New(state), State: state, Shell: shell.New(keepWord, "line"),
		Taken: builtin.Reserved(), Version: "bench",
	})
	transport := &sdk.CommandTransport{Command: exec.CommandContext(ctx, self, serverWord, "tracker")} //nolint:gosec // this program
	if h.bare, err = sdk.NewClient(
		&sdk.Implementation{Name: "bare", Version: "1"}, nil,
	).Connect(ctx, transport, nil); err != nil {
		return nil, err
	}
	if err := h.callHosted(ctx); err != nil { // the definition is kept now
		return nil, err
	}
	old := time.Now().Add(-time.Hour) // files that were just written are read again each time
	return h, errors.Join(
		os.Chtimes(rules, old, old), os.Chtimes(filepath.Join(dir, "state", "mcp-tools.json"), old, old),
	)
}

func (h *host) close() {
	_ = h.bare.Close()
	_ = h.source.Close()
	_ = h.ws.Close()
}

// kilobyte is an argument of 1 kB.
var kilobyte = strings.Repeat("x", 1000) //nolint:gochecknoglobals // never changed

func (h *host) callBare(ctx context.Context) error {
	r, err := h.bare.CallTool(ctx, &sdk.CallToolParams{Name: "get_issue", Arguments: map[string]any{"id": kilobyte}})
	if err == nil && !r.IsError {
		err = errors.New("an issue was found that is not there")
	}
	return err
}

// callHosted calls the same through plan, policy, checks, pins and the usage log. The server says that there is no such
// issue.
func (h *host) callHosted(ctx context.Context) error {
	if h.calls%perSource == 0 { // the limit of calls per minute is that of one workspace's sources
		registry, err := tools.NewSources(builtin.Tools(h.ws, builtin.Options{}), h.source).Now(ctx)
		if err != nil {
			return err
		}
		h.dispatcher = tools.NewDispatcher(registry, h.policy, h.ws)
	}
	h.calls++
	q := h.dispatcher.Prepare(
		ctx,
		tools.Call{Name: "get_issue", Arguments: []byte(`{"id": "` + kilobyte + `"}`), Chat: "c", Caller: policy.Model},
	)
	if q.Decision.Verdict != policy.Run {
		return fmt.Errorf("the call is not run: %+v", q.Decision)
	}
	result, err := h.dispatcher.Execute(ctx, q.Approved(), nil)
	if err == nil && !strings.Contains(content.Plain(result.Parts), "there is no issue") {
		err = fmt.Errorf("the call came to %q", content.Plain(result.Parts))
	}
	return err
}

func (h *host) compareCalls(ctx context.Context) (row, error) {
	var bare, hosted []time.Duration
	for range hostedCalls {
		began := time.Now()
		if err := h.callBare(ctx); err != nil {
			return row{}, err
		}
		between := time.Now()
		if err := h.callHosted(ctx); err != nil {
			return row{}, err
		}
		bare, hosted = append(bare, between.Sub(began)), append(hosted, time.Since(between))
	}
	r := ratio(median(hosted), median(bare))
	return row{
		what: "a call of a server's tool through the host, over the bare client", target: "≤ 1.05", ok: r <= 1.05,
		got: fmt.Sprintf("%.2f (%s, bare %s)", r, ms(median(hosted)), ms(median(bare))),
		how: fmt.Sprintf("A call with an argument of 1 kB over stdio, allowed by a rule, with plan, policy, "+
			"checks by the schema and the kept definition, by turns with the "+
			"SDK's client alone; medians of %d.", hostedCalls),
	}, nil
}

func (h *host) leaks(ctx context.Context) (row, error) {
	count := func() (int, uint64) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return runtime.NumGoroutine(), m.HeapAlloc
	}
	goroutines, heap := count()
	for range leakingCalls {
		if err := h.callHosted(ctx); err != nil {
			return row{}, err
		}
	}
	moreGoroutines, moreHeap := count()
	grown := float64(int64(moreHeap)-int64(heap)) / 1e6 //nolint:gosec // both are small
	return row{
		what: "what 10,000 calls leave behind", target: "nothing", ok: moreGoroutines <= goroutines+3 && grown < 1,
		got: fmt.Sprintf("%d goroutines, %.1f MB of heap", moreGoroutines-goroutines, grown),
		how: "After a collection, before and after.",
	}, nil
}

// many is a source of a thousand tools with descriptions and parameters of the usual length.
type many struct{}

func (many) Name() string { return "a thousand tools" }

func (many) Tools(context.Context) (list []tools.Tool, changed <-chan struct{}, err error) {
	for i := range 1000 {
		list = append(list, described(i))
	}
	return list, nil, nil
}

type described int

func (d described) Spec() tools.Spec {
	return tools.Spec{
		Name: fmt.Sprintf("list_things_%d", d), Effect: effect.Computes,
		Description: fmt.Sprintf(
			"Lists the things of kind %d in a project, with their states and owners. "+
				"Use it before you change one; the result has at most a hundred.",
			d,
		),
		Parameters: json.RawMessage(`{"type":"object","properties":{"project":{"type":"string","description":"the name of the project"},` +
			`"state":{"type":"string","enum":["open","closed"],"description":"only things in this state"},"limit":{"type":"integer","description":"how many at most"}}}`),
	}
}

func (described) Plan(context.Context, tools.Call) (tools.Plan, error) {
	return tools.Plan{}, errors.New("it is only found")
}

func (h *host) search(ctx context.Context) (row, error) {
	sources := tools.NewSources(builtin.Tools(nil, builtin.Options{}), many{})
	var first time.Duration
	var later []time.Duration
	for i := range 201 {
		registry, err := sources.Now(ctx) // as for a new message
		if err != nil {
			return row{}, err
		}
		dispatcher := tools.NewDispatcher(registry, h.policy, h.ws)
		began := time.Now()
		q := dispatcher.Prepare(
			ctx,
			tools.Call{
				Name: "tool_search", Arguments: []byte(`{"query": "list the open things of kind 417 in a project"}`),
			},
		)
		result, err := dispatcher.Execute(ctx, q.Approved(), nil)
		took := time.Since(began)
		if err != nil || !strings.Contains(content.Plain(result.Parts), `{"name":"list_things_417"`) {
			return row{}, fmt.Errorf("%q, %w", content.Plain(result.Parts), err)
		}
		if i == 0 {
			first = took
		} else {
			later = append(later, took)
		}
	}
	m := median(later)
	return row{
		what: "tool_search over 1,000 tools", target: "≤ 5 ms", ok: m <= 5*time.Millisecond, got: fmt.Sprintf(
			"%s (the first one %s)", ms(m), ms(first),
		),
		how: "Median of 200 searches, each of a later message. " +
			"The first one reads all descriptions; what it read is kept as long as the tools say the same.",
	}, nil
}

// manyTools counts what two hundred tools add to the first request.
func (l *setup) manyTools(ctx context.Context) (row, error) {
	address, stop, err := l.play(ctx, "model "+smallModels[0]+"\nturn repeat\nsay Hello.\n")
	if err != nil {
		return row{}, err
	}
	defer stop()
	declared, err := mcpFile()
	if err != nil {
		return row{}, err
	}
	size := func(args ...string) (int, error) {
		w, err := l.newProject()
		if err != nil {
			return 0, err
		}
		request, err := l.capture(
			ctx, w, address, question, append(args, "--model", smallModels[0], "--temperature", "0")...,
		)
		if err != nil {
			return 0, err
		}
		return estimate(request)
	}
	without, err := size()
	if err != nil {
		return row{}, err
	}
	with, err := size("--mcp-server", string(declared))
	return row{
		what: "what 200 tools of 5 servers add to the first request", target: "≤ 150 tokens", ok: with-without <= 150,
		got: fmt.Sprintf("%d tokens", with-without),
		how: "Of a small model, in the default format. Estimated: bytes of messages and tools / 4.",
	}, err
}

// idleServers compares the program with five servers declared, and none started, with one without.
func (l *setup) idleServers(ctx context.Context) (row, error) {
	declared, err := mcpFile()
	if err != nil {
		return row{}, err
	}
	var with, without []float64
	children := 0
	for range 5 {
		for _, args := range [][]string{nil, {"--mcp-server", string(declared)}} {
			w, err := l.newProject()
			if err != nil {
				return row{}, err
			}
			idle, err := l.idle(ctx, w, args...)
			if err != nil {
				return row{}, err
			}
			if args == nil {
				without = append(without, idle.size)
			} else {
				with = append(with, idle.size)
				children += idle.children
			}
		}
	}
	more := median(with) - median(without)
	return row{
		what: "five servers declared and none started: processes and memory", target: "0, ≤ 1 MB",
		ok:  more <= 1 && children == 0,
		got: fmt.Sprintf("%d, %.1f MB more (RSS)", children, more),
		how: "Half a second after a small chat was opened, medians of 5.",
	}, nil
}
