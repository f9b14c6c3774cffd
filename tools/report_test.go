package tools_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/toolstest"
)

// reported keeps what a call reports.
type reported struct {
	mu     sync.Mutex
	text   strings.Builder
	output func(all string) // sees all text that was reported so far
}

func (r *reported) Output(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.WriteString(text)
	if r.output != nil {
		r.output(r.text.String())
	}
}

func (r *reported) Progress(_, _ float64, note string) { r.Output("(" + note + ")") }

// TestReportsEndWithTheCall: what a tool reports is made visible, and dropped once the call is over.
func TestReportsEndWithTheCall(t *testing.T) {
	var kept tools.Reporter
	f := fake{tools.Spec{Name: "reports", Effect: effect.Computes}, nil}
	f.plan = func(json.RawMessage) (tools.Plan, error) {
		return tools.Plan{Run: func(_ context.Context, report tools.Reporter) tools.Result {
			kept = report
			report.Output("one\u202e \xe2\x82")
			report.Output("\xac\n")
			report.Progress(1, 0, "half\nway")
			return tools.Result{}
		}}, nil
	}
	d := dispatcherOf(t, f)
	call := tools.Call{Name: "reports", Caller: policy.Model}
	var seen reported
	if _, err := d.Execute(t.Context(), d.Prepare(t.Context(), call), &seen); err != nil {
		t.Fatal(err)
	}
	kept.Output("late")
	kept.Progress(2, 0, "late")
	if got, want := seen.text.String(), "one<U+202E> €\n(half⏎way)"; got != want {
		t.Errorf("reported is %q, not %q", got, want)
	}
	if _, err := d.Execute(t.Context(), d.Prepare(t.Context(), call), nil); err != nil {
		t.Errorf("with nobody to look: %v", err)
	}
}

// TestACommandReportsWhileItRuns runs a command that ends only if its first line is seen before.
func TestACommandReportsWhileItRuns(t *testing.T) {
	b := toolstest.NewBench(t, nil)
	seen := reported{output: func(all string) {
		if strings.Contains(all, "one\n") {
			_ = os.WriteFile(filepath.Join(b.Dir, "go"), nil, 0o600)
		}
	}}
	p := b.Prepare("run_command", toolstest.Args("command", `printf '\033[31mone\r\n'; while [ ! -e go ]; do sleep 0.01; done; echo two`))
	r, err := b.Dispatcher.Execute(t.Context(), p.Approved(), &seen)
	if err != nil || r.Text() != "one\ntwo\n[Exit status 0.]" {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := seen.text.String(); got != "one\ntwo\n" {
		t.Errorf("reported is %q", got)
	}
}
