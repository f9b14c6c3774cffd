package mcp_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
)

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
				p.sources = tools.NewSources(builtin.Tools(p.ws, builtin.Options{}), p.source)
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
