package interpreter

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// grace is how long a program may go on after it was told that its time is over.
const grace = time.Second

// run is one program in its helper.
type run struct {
	helper *helper
	host   Host
	limits Limits
	output strings.Builder
	made   int
	// computed is the time until the last wait for the host; since then it computes.
	computed time.Duration
	since    time.Time
	told     bool // that its time is over
}

// Run runs a program and returns when it has ended, or was stopped by ctx: then with what it printed so far and the
// error of ctx. Other errors mean that there is no interpreter, that a file of it is broken, or that the helper died.
func (i *Interpreter) Run(ctx context.Context, p Program, host Host) (Result, error) {
	if problem := tooLong(p.Source); problem != "" {
		return Result{Error: problem}, nil
	}
	defer i.refill()
	for again := true; ; again = false {
		h, err := i.take(ctx)
		if err != nil {
			return Result{}, err
		}
		r := &run{helper: h, host: host, limits: p.Limits.filled()}
		result, err := r.whole(ctx, p)
		if err != nil && ctx.Err() == nil && h.waited && r.made == 0 && again {
			continue // it died while it waited, or did nothing yet that anybody saw
		}
		return result, err
	}
}

// whole runs the program, and ends its helper.
func (r *run) whole(ctx context.Context, p Program) (Result, error) {
	h := r.helper
	defer h.end()
	defer context.AfterFunc(ctx, h.kill)()
	if err := h.run(p, r.limits); err != nil {
		return Result{}, err
	}
	r.since = time.Now()
	end, err := r.follow(ctx)
	result := Result{Output: r.output.String(), Took: r.computed}
	if end != nil {
		result.Error, result.Limit = end.Error, end.Limit
	}
	if r.since != (time.Time{}) {
		result.Took += time.Since(r.since)
	}
	return result, err
}

// follow does what the program asks for until it ends, and says how.
func (r *run) follow(ctx context.Context) (*ending, error) {
	timer := time.NewTimer(r.limits.Time)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timer.C:
			if r.told {
				return r.late(), nil
			}
			r.told = true
			r.helper.interrupt()
			timer.Reset(grace)
		case m := <-r.helper.messages:
			if len(m.Calls) > 0 {
				timer.Stop()
				if end, err := r.call(ctx, m); end != nil || err != nil {
					return end, err
				}
				timer.Reset(r.left())
				continue
			}
			if end := r.take(m); end != nil {
				return end, nil
			}
		case <-r.helper.done:
			return r.died(ctx)
		}
	}
}

// left is how long the program may still compute.
func (r *run) left() time.Duration {
	if r.told {
		return grace
	}
	return max(r.limits.Time-r.computed, 0)
}

// take handles a message that is no call, and says how the run ends if it does.
func (r *run) take(m message) *ending {
	switch {
	case m.Out != nil:
		text := strings.ToValidUTF8(*m.Out, "\uFFFD")
		if r.output.Len()+len(text) > r.limits.Output+slack {
			room := min(max(r.limits.Output-r.output.Len(), 0), len(text))
			r.output.WriteString(strings.ToValidUTF8(text[:room], ""))
			return over("output", fmt.Sprintf("OutputLimit: the program may print %d bytes", r.limits.Output))
		}
		r.output.WriteString(text)
		return nil
	case m.End != nil:
		if r.told && m.End.Limit == "" {
			return r.late()
		}
		return over(m.End.Limit, clip(m.End.Error))
	case m.Exit != nil:
		return r.gone(*m.Exit)
	}
	return broken(errForeign)
}

// slack is what a text may exceed the limit by: characters that have no form in UTF-8 grow.
const slack = 4 << 10

// maxError bounds the description of an error, in bytes.
const maxError = 16 << 10

func clip(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > maxError {
		return strings.ToValidUTF8(text[:maxError], "") + " ..."
	}
	return text
}

func over(limit, sentence string) *ending { return &ending{Limit: limit, Error: sentence} }

// broken is the end by a line that the program wrote itself.
func broken(err error) *ending { return over("", err.Error()+", which ends it") }

// late is the end where the time was over.
func (r *run) late() *ending {
	return over("time", fmt.Sprintf("TimeLimit: the program may compute for %v", r.limits.Time))
}

// gone is the end where the interpreter ended before the program did.
func (r *run) gone(e exit) *ending {
	switch {
	case r.told:
		return r.late()
	case e.Memory && (e.Trap != "" || e.Status != 0):
		return over("memory", fmt.Sprintf("MemoryLimit: the program may use %d MB", r.limits.Memory>>20))
	case strings.Contains(e.Trap, "out of bounds") || strings.Contains(e.Trap, "stack overflow"):
		return over("recursion", "RecursionLimit: the program nested calls or values too deeply for its interpreter")
	case e.Trap != "":
		return over("", "the program crashed its interpreter: "+e.Trap)
	}
	return over("", "the program ended its interpreter before its own end")
}

// call has the host answer calls. An ending or an error ends the run.
func (r *run) call(ctx context.Context, m message) (*ending, error) {
	r.computed += time.Since(r.since)
	r.since = time.Time{}
	calls, err := m.calls()
	if err != nil {
		return broken(err), nil // the program reads it
	}
	if r.made += len(calls); r.made > r.limits.Calls {
		return over("calls", fmt.Sprintf("CallLimit: the program may call tools %d times", r.limits.Calls)), nil
	}
	given, err := r.ask(ctx, calls)
	if err != nil {
		return nil, err
	}
	line, err := answers(calls, given)
	if err != nil {
		return nil, err
	}
	r.since = time.Now()
	_ = r.helper.pass(line) // of a helper that has ended, or does not read, the last message or the time tells why
	return nil, nil
}

// ask waits for the host, and tells it when its answer is of no use any more.
func (r *run) ask(ctx context.Context, calls []Call) ([]Answer, error) {
	asking, stop := context.WithCancel(ctx)
	defer stop()
	answered := make(chan []Answer, 1)
	go func() { answered <- r.host.Call(asking, calls) }()
	select {
	case given := <-answered:
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return given, nil
	case <-ctx.Done():
		r.helper.kill()
		<-answered
		return nil, ctx.Err()
	case <-r.helper.done:
		stop()
		<-answered
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, r.helper.problem(nil)
	}
}

// died is the end where the helper ended: by a line that cannot be read, or by itself.
func (r *run) died(ctx context.Context) (*ending, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(r.helper.failed, errForeign), errors.Is(r.helper.failed, errLong):
		return broken(r.helper.failed), nil
	case r.told:
		return r.late(), nil
	}
	return nil, r.helper.problem(nil)
}
