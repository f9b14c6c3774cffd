package mcp_test

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools"
)

// BenchmarkCall is a call of 1 kB with the SDK's bare client, and the same call through all of the host: plan, policy, checks, result.
func BenchmarkCall(b *testing.B) {
	kilobyte := strings.Repeat("x", 1000)
	b.Run("bare", func(b *testing.B) {
		cmd := exec.CommandContext(b.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), fakeMode+"=echo")
		session, err := sdk.NewClient(&sdk.Implementation{Name: "bare", Version: "1"}, nil).Connect(b.Context(), &sdk.CommandTransport{Command: cmd}, nil)
		if err != nil {
			b.Fatal(err)
		}
		defer session.Close() //nolint:errcheck // the benchmark is over
		for b.Loop() {
			if _, err := session.CallTool(b.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": kilobyte}}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("host", func(b *testing.B) {
		p := newPlace(b)
		p.declares("echo", fake("echo"))
		d, _ := p.now()
		for b.Loop() {
			callOnce(b, d, kilobyte)
		}
	})
}

func callOnce(tb testing.TB, d *tools.Dispatcher, text string) {
	tb.Helper()
	q := d.Prepare(tb.Context(), call("echo", `{"text": "`+text+`"}`))
	if r, err := d.Execute(context.WithoutCancel(tb.Context()), q.Approved(), nil); err != nil || r.Failed {
		tb.Fatalf("%+v, %v", r, err)
	}
}

// TestCallsLeakNothing makes many calls, and neither goroutines nor memory grow.
func TestCallsLeakNothing(t *testing.T) {
	p := newPlace(t)
	p.declares("echo", fake("echo"))
	d, _ := p.now()
	calls := func(n int) (goroutines int, heap uint64) {
		for i := range n {
			if i%500 == 0 { // the limit of calls per minute is that of one workspace's sources
				p.sources = tools.NewSources(tools.Builtin(p.ws, tools.Options{}), p.source)
				d, _ = p.now()
			}
			callOnce(t, d, "x")
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return runtime.NumGoroutine(), m.HeapAlloc
	}
	goroutines, heap := calls(100)
	after, heapAfter := calls(1000)
	t.Logf("goroutines %d and %d, heap %d and %d kB", goroutines, after, heap>>10, heapAfter>>10)
	if after > goroutines+3 || heapAfter > heap+(1<<20) {
		t.Error("calls leave something behind")
	}
}
