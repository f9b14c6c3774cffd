package wire

import (
	"context"
	"log/slog"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// phase is where a connection is in its life.
type phase int

const (
	fresh    phase = iota // before initialize
	serving               // initialize was answered
	shutDown              // shutdown was answered
)

// lifecycle is the state machine of one connection. It runs in the connection's order, so a request is judged by the
// state in which it was sent.
type lifecycle struct {
	initialize Row
	exit       func()

	mu       sync.Mutex // guards what follows
	phase    phase
	table    table                     // serves every other method, from initialize on
	shutdown func(ctx context.Context) // ends what serves; nil: there is nothing to end
}

// guard serves the lifecycle's own methods and refuses what comes at the wrong time: requests before initialize with
// ServerNotInitialized, a second initialize and requests after shutdown with InvalidRequest. Notifications at the wrong
// time are dropped, as the protocol says.
func (l *lifecycle) guard(next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request) error {
		_, isCall := req.(*jsonrpc2.Call)
		phase := l.now()
		switch method := req.Method(); {
		case method == "exit":
			l.exit()
			return nil
		case method == "initialize" && isCall && phase == fresh:
			result, err := l.initialize.serve(ctx, req.Params())
			if err == nil {
				l.enter(serving)
			}
			return reply(ctx, result, wireError(err))
		case phase == fresh:
			return reply(ctx, nil, jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "initialize comes first"))
		case phase == shutDown:
			return reply(
				ctx, nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server was shut down; only exit may follow"),
			)
		case method == "initialize":
			return reply(ctx, nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is already initialized"))
		case method == "shutdown" && isCall:
			l.enter(shutDown)
			l.end()
			return reply(ctx, nil, nil)
		default:
			return next(ctx, reply, req)
		}
	}
}

// take binds what initialize made.
func (l *lifecycle) take(h Handlers) error {
	t, err := newTable(h.Rows)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.table, l.shutdown = t, h.Shutdown
	return err
}

// end ends what serves, once.
func (l *lifecycle) end() {
	l.mu.Lock()
	shutdown := l.shutdown
	l.shutdown = nil
	l.mu.Unlock()
	if shutdown == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout/2)
	defer cancel()
	shutdown(ctx)
}

// serve is the end of the chain: it finds the row and replies exactly once.
func (l *lifecycle) serve(log *slog.Logger) jsonrpc2.Handler {
	return func(ctx context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request) error {
		l.mu.Lock()
		row, ok := l.table[req.Method()]
		l.mu.Unlock()
		_, isCall := req.(*jsonrpc2.Call)
		if !ok || row.isCall != isCall {
			return reply(
				ctx, nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "%q is not a method of this server", req.Method()),
			)
		}
		if err := ctx.Err(); err != nil { // cancelled while it waited
			return reply(ctx, nil, wireError(err))
		}
		result, err := row.serve(ctx, req.Params())
		if err != nil && !isCall {
			log.Warn("a notification failed", "method", req.Method(), "error", err)
		}
		return reply(ctx, result, wireError(err))
	}
}

func (l *lifecycle) now() phase {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.phase
}

func (l *lifecycle) enter(p phase) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phase = p
}

// exitCode is 0 after a shutdown, else 1.
func (l *lifecycle) exitCode() int {
	if l.now() == shutDown {
		return 0
	}
	return 1
}
