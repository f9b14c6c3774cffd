package wire

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"golang.org/x/sync/semaphore"
)

// A message goes through the chain from left to right: log, cancel, order, recover, state, start, table. Log and cancel
// run where messages are read, so that a cancellation overtakes what waits; state is asked in the connection's order;
// from start on every request has a goroutine of its own.

// logged notes every message: its method, and for a call how long it took and how it ended. Never its content, which is
// the user's text.
func logged(log *slog.Logger, next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request) error {
		if _, call := req.(*jsonrpc2.Call); !call {
			log.Debug("notification", "method", req.Method(), "bytes", len(req.Params()))
			return next(ctx, reply, req)
		}
		start := time.Now()
		return next(ctx, func(ctx context.Context, result any, err error) error {
			attrs := []any{"method", req.Method(), "took", time.Since(start).Round(time.Microsecond)}
			if wire, ok := errors.AsType[*jsonrpc2.Error](err); ok {
				attrs = append(attrs, "code", int(wire.Code))
			}
			log.Debug("request", attrs...)
			return reply(ctx, result, err)
		}, req)
	}
}

// calls knows the requests under way, so that the editor can cancel them.
type calls struct {
	progress func(token json.RawMessage) // cancels what has this progress token; returns at once

	mu     sync.Mutex // guards cancel
	cancel map[jsonrpc2.ID]context.CancelFunc
}

// cancelable serves the two ways to cancel, ahead of all that waits, and gives every other request a context that it
// ends. The id is decoded into [jsonrpc2.ID], since numbers and strings are both in use.
func (c *calls) cancelable(next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request) error {
		call, ok := req.(*jsonrpc2.Call)
		if !ok {
			return c.notified(ctx, reply, req, next)
		}
		ctx, cancel := context.WithCancel(ctx)
		if !c.begin(call.ID(), cancel) {
			cancel()
			return reply(
				ctx, nil,
				jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "a request with the id %v is still running", call.ID()),
			)
		}
		return next(ctx, func(ctx context.Context, result any, err error) error {
			c.end(call.ID())
			return reply(context.WithoutCancel(ctx), result, err)
		}, req)
	}
}

// notified serves cancelling notifications; bad ones are dropped.
func (c *calls) notified(
	ctx context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request, next jsonrpc2.Handler,
) error {
	var params struct {
		ID    *jsonrpc2.ID    `json:"id"`
		Token json.RawMessage `json:"token"`
	}
	switch req.Method() {
	case "$/cancelRequest":
		if err := json.Unmarshal(req.Params(), &params); err == nil && params.ID != nil {
			c.end(*params.ID)
		}
	case "window/workDoneProgress/cancel":
		if err := json.Unmarshal(req.Params(), &params); err == nil {
			c.progress(params.Token)
		}
	default:
		return next(ctx, reply, req)
	}
	return nil
}

// begin reports false for an id that is in use.
func (c *calls) begin(id jsonrpc2.ID, cancel context.CancelFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, twice := c.cancel[id]; twice {
		return false
	}
	c.cancel[id] = cancel
	return true
}

func (c *calls) end(id jsonrpc2.ID) {
	c.mu.Lock()
	cancel, ok := c.cancel[id]
	delete(c.cancel, id)
	c.mu.Unlock()
	if ok {
		cancel()
	}
}

// Everything read and not yet done with, waiting or running, costs its bytes and a constant; together they stay below
// the budget. When it is used up nothing more is read, and the editor feels it as a slow pipe.
const (
	orderBudget = 2 * maxMessage
	orderCost   = 64 << 10
)

// order keeps the connection's order: one goroutine takes the messages as they came, serves notifications and lifecycle
// requests itself, and starts every other request in a goroutine of its own. So a request sees all notifications before
// it, and a slow one holds up nothing.
type order struct {
	reorders func() bool // the client may send changes out of order
	budget   *semaphore.Weighted
	queue    chan message
	wg       sync.WaitGroup // the requests under way
}

func newOrder(reorders func() bool) *order {
	return &order{
		reorders: reorders,
		budget:   semaphore.NewWeighted(orderBudget),
		queue:    make(chan message, orderBudget/orderCost), // the budget is used up first
	}
}

// enqueue blocks only when the budget is used up.
func (o *order) enqueue(ctx context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request) error {
	cost := int64(len(req.Params()) + orderCost)
	if err := o.budget.Acquire(ctx, cost); err != nil {
		return reply(ctx, nil, wireError(err)) // the request was cancelled, or the connection is over
	}
	release := sync.OnceFunc(func() { o.budget.Release(cost) })
	_, isCall := req.(*jsonrpc2.Call)
	m := message{serve: func(next jsonrpc2.Handler) {
		if !isCall {
			defer release()
		}
		_ = next(ctx, func(ctx context.Context, result any, err error) error {
			defer release()
			return reply(ctx, result, err)
		}, req) // whoever fails replies why
	}}
	if o.reorders() {
		m.describe(req)
	}
	o.queue <- m
	return nil
}

// run serves the queue with next until ctx is done.
func (o *order) run(ctx context.Context, next jsonrpc2.Handler) {
	sequence := newSequencer()
	var late <-chan time.Time
	for {
		var ready []message
		select {
		case <-ctx.Done():
			return
		case m := <-o.queue:
			ready = sequence.take(m)
		case <-late:
			ready = sequence.release()
		}
		for _, m := range ready {
			m.serve(next)
		}
		if !sequence.waiting() {
			late = nil
		} else if late == nil {
			late = time.After(sequenceWindow)
		}
	}
}

// start lets requests run beside each other.
func (o *order) start(next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request) error {
		if _, isCall := req.(*jsonrpc2.Call); !isCall {
			return next(ctx, reply, req)
		}
		o.wg.Go(func() { _ = next(ctx, reply, req) }) // whoever fails replies why
		return nil
	}
}

// recovered answers for a handler that panics; the server lives.
func recovered(log *slog.Logger, next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request) (err error) {
		defer func() {
			if v := recover(); v != nil {
				log.Error("a handler panicked", "method", req.Method(), "panic", v, "stack", string(debug.Stack()))
				err = reply(
					ctx, nil,
					jsonrpc2.Errorf(
						jsonrpc2.InternalError, "%s failed inside the server; its log says more", req.Method(),
					),
				)
			}
		}()
		return next(ctx, reply, req)
	}
}
