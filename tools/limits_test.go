package tools_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

// running is a tool that does something when it runs.
func running(s tools.Spec, run func(ctx context.Context) tools.Result) fake {
	return fake{s, func(json.RawMessage) (tools.Plan, error) {
		return tools.Plan{Run: func(ctx context.Context, _ tools.Reporter) tools.Result { return run(ctx) }}, nil
	}}
}

// once calls a tool without arguments.
func once(ctx context.Context, d *tools.Dispatcher, name string) (tools.Result, error) {
	return d.Execute(ctx, d.Prepare(ctx, tools.Call{Name: name, Caller: policy.Model}).Approved(), nil)
}

func TestACallEndsAtItsTimeLimit(t *testing.T) {
	obeys := func(ctx context.Context) tools.Result {
		<-ctx.Done()
		return tools.Failed("Half of it was read.")
	}
	ignores := func(context.Context) tools.Result { time.Sleep(time.Hour); return tools.Text("late") }
	for name, tt := range map[string]struct {
		spec tools.Spec
		run  func(context.Context) tools.Result
		want string
		took time.Duration
	}{
		"the default":        {tools.Spec{}, obeys, "slow was ended at its time limit of 30s: ask for less in one call.\nHalf of it was read.", 30 * time.Second},
		"its own":            {tools.Spec{Timeout: time.Second}, obeys, "slow was ended at its time limit of 1s: ask for less in one call.\nHalf of it was read.", time.Second},
		"stuck":              {tools.Spec{Effect: effect.Computes}, ignores, "slow does not answer and was given up.", 35 * time.Second},
		"stuck in a change":  {tools.Spec{Effect: effect.Edits}, ignores, "slow does not answer and was given up. It may still have effects: look before you call it again.", 35 * time.Second},
		"unlimited":          {tools.Spec{Timeout: tools.Unlimited}, ignores, "late", time.Hour},
		"good at the end":    {tools.Spec{}, func(ctx context.Context) tools.Result { <-ctx.Done(); return tools.Text("all") }, "all", 30 * time.Second},
		"failed by itself":   {tools.Spec{}, func(context.Context) tools.Result { return tools.Failed("no") }, "no", 0},
		"long but in limits": {tools.Spec{Timeout: time.Hour}, func(context.Context) tools.Result { time.Sleep(time.Minute); return tools.Text("x") }, "x", time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.spec.Name, tt.spec.Effect = "slow", cmp.Or(tt.spec.Effect, effect.Computes)
				d := dispatcherOf(t, running(tt.spec, tt.run))
				start := time.Now()
				r, err := once(t.Context(), d, "slow")
				if err != nil || r.Text() != tt.want || r.Took != tt.took || time.Since(start) != tt.took {
					t.Errorf("after %v: %q (%v), %v", time.Since(start), r.Text(), r.Took, err)
				}
				time.Sleep(time.Hour) // what was given up ends
			})
		})
	}
}

// TestAPlanEndsAtItsTimeLimit: a tool that does not even plan holds up nobody.
func TestAPlanEndsAtItsTimeLimit(t *testing.T) {
	for want, plan := range map[string]func(ctx context.Context){
		"Slow was ended at its time limit of 30s: ask for less in one call.": func(ctx context.Context) { <-ctx.Done() },
		"Slow does not answer and was given up.":                             func(context.Context) { time.Sleep(time.Hour) },
	} {
		synctest.Test(t, func(t *testing.T) {
			d := dispatcherOf(t, planning{plan})
			r, err := once(t.Context(), d, "slow")
			if err != nil || !r.Failed || r.Text() != want {
				t.Errorf("%q, %v", r.Text(), err)
			}
			time.Sleep(time.Hour)
		})
	}
}

// planning is a tool that takes its time to plan.
type planning struct{ plan func(context.Context) }

func (planning) Spec() tools.Spec { return tools.Spec{Name: "slow", Effect: effect.Computes} }

func (p planning) Plan(ctx context.Context, _ tools.Call) (tools.Plan, error) {
	p.plan(ctx)
	return tools.Plan{}, ctx.Err()
}

func TestCallsWaitForTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		spec := tools.Spec{Name: "web", Effect: effect.Computes, PerMinute: 12} // one in five seconds
		sources := tools.NewSources([]tools.Tool{running(spec, func(context.Context) tools.Result { ran++; return tools.Text("ok") })})
		dispatcher := func() *tools.Dispatcher { return tools.NewDispatcher(sources.Known(), policy.New(nil), nil) }
		for range 12 {
			if r, err := once(t.Context(), dispatcher(), "web"); err != nil || r.Text() != "ok" { // of one workspace, in whichever run
				t.Fatalf("%+v, %v", r, err)
			}
		}
		start := time.Now()
		d := dispatcher()
		var seen reported
		if r, err := d.Execute(t.Context(), d.Prepare(t.Context(), tools.Call{Name: "web", Caller: policy.Model}), &seen); err != nil || r.Text() != "ok" {
			t.Errorf("%+v, %v", r, err)
		}
		if waited := time.Since(start); waited != 5*time.Second || seen.text.String() != "(web was called 12 times in a minute, which is its limit: it waits.)" {
			t.Errorf("waited %v, reported %q", waited, seen.text.String())
		}
		ended := make(chan string, 9)
		for range 9 {
			go func() { r, _ := once(t.Context(), dispatcher(), "web"); ended <- r.Text() }()
		}
		answers := map[string]int{}
		for range 9 {
			answers[<-ended]++
		}
		if refused := answers["web was called 12 times in a minute, which is its limit: go on without it, or call it later."]; answers["ok"] != 2 || refused != 7 {
			t.Errorf("%v", answers)
		}
		if ran != 15 {
			t.Errorf("ran %d times", ran)
		}

		// Stop ends the waiting, and gives the turn back.
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start = time.Now()
		if _, err := once(ctx, dispatcher(), "web"); !errors.Is(err, context.Canceled) || time.Since(start) != time.Second || ran != 15 {
			t.Errorf("%v after %v, ran %d times", err, time.Since(start), ran)
		}
		if r, err := once(t.Context(), dispatcher(), "web"); err != nil || r.Text() != "ok" || time.Since(start) != 5*time.Second {
			t.Errorf("%+v, %v after %v", r, err, time.Since(start))
		}
	})
}

// TestWhatChangesWhileACallWaitsIsSeen: the call is planned afresh when its turn has come.
func TestWhatChangesWhileACallWaitsIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var changed atomic.Bool
		ran := 0
		f := fake{tools.Spec{Name: "edit", Effect: effect.Edits, PerMinute: 12}, nil}
		f.plan = func(json.RawMessage) (tools.Plan, error) {
			return tools.Plan{Binding: fmt.Sprint(changed.Load()), Run: func(context.Context, tools.Reporter) tools.Result { ran++; return tools.Text("ok") }}, nil
		}
		d := dispatcherOf(t, f)
		for range 12 {
			_, _ = once(t.Context(), d, "edit")
		}
		time.AfterFunc(time.Second, func() { changed.Store(true) })
		if _, err := once(t.Context(), d, "edit"); !errors.Is(err, tools.ErrChanged) || ran != 12 {
			t.Errorf("%v, ran %d times", err, ran)
		}
	})
}

func TestResultsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := map[string]int{}
		makes := func(name string, e effect.Effect, keep time.Duration, failed bool, text func(n int) string) tools.Tool {
			return running(tools.Spec{Name: name, Effect: e, KeepResult: keep}, func(context.Context) tools.Result {
				ran[name]++
				r := tools.Text(text(ran[name]))
				r.Failed = failed
				return r
			})
		}
		number := func(n int) string { return fmt.Sprint(n) }
		large := func(int) string { return strings.Repeat("x", 30_000) }
		list := []tools.Tool{
			makes("pure", effect.Computes, time.Minute, false, number),
			makes("not", effect.Computes, 0, false, number),
			makes("changes", effect.Edits, time.Minute, false, number),
			makes("fails", effect.Computes, time.Minute, true, number),
		}
		for i := range 50 {
			list = append(list, makes(fmt.Sprint("large", i), effect.Computes, time.Minute, false, large))
		}
		d := dispatcherOf(t, list...)
		call := func(name string) string {
			r, err := once(t.Context(), d, name)
			if err != nil {
				t.Fatal(err)
			}
			return r.Text()
		}
		for range 3 {
			if got := call("pure") + call("not") + call("changes") + call("fails"); ran["pure"] != 1 || !strings.HasPrefix(got, "1") {
				t.Errorf("%q, ran %v", got, ran)
			}
		}
		if ran["not"] != 3 || ran["changes"] != 3 || ran["fails"] != 3 {
			t.Errorf("ran %v", ran)
		}
		time.Sleep(time.Minute)
		if call("pure") != "2" {
			t.Error("a result counts longer than its tool says")
		}
		for i := range 50 { // what is kept is bounded: the oldest goes
			call(fmt.Sprint("large", i))
		}
		if call("pure") != "3" {
			t.Error("everything is kept")
		}
		call("large49")
		if ran["large49"] != 1 {
			t.Error("the newest was not kept")
		}
	})
}

// TestAKeptResultNeedsItsApproval: what was allowed once is no answer to who may not ask.
func TestAKeptResultNeedsItsApproval(t *testing.T) {
	d := dispatcherOf(t, running(tools.Spec{Name: "fetch", Effect: effect.Fetches, KeepResult: time.Hour}, func(context.Context) tools.Result { return tools.Text("page") }))
	if r, err := once(t.Context(), d, "fetch"); err != nil || !strings.Contains(r.Text(), "\npage\n") {
		t.Fatalf("%+v, %v", r, err)
	}
	p := d.Prepare(t.Context(), tools.Call{Name: "fetch", Caller: policy.Model})
	if r, err := d.Execute(t.Context(), p, nil); !errors.Is(err, tools.ErrNotApproved) {
		t.Errorf("%+v, %v", r, err)
	}
}
