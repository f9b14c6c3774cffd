// Package wire is one connection with one editor: framing, the chain of handlers, the lifecycle, and the client with
// what it declared.
package wire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// How long leaving may take in all, so that the process is gone two seconds after its editor.
const (
	leaveTimeout = 1500 * time.Millisecond
	parentPeriod = 500 * time.Millisecond
)

// Initialize answers the first request, and makes what serves all that follow. The client's capabilities are known by
// then.
type Initialize func(ctx context.Context, params InitializeParams) (InitializeResult, Handlers, error)

// Handlers is what serves a connection once its editor has introduced itself.
type Handlers struct {
	// Shutdown ends everything under way. It is called once: when the editor asks for it, or when the editor is gone.
	// It has until ctx is done, about a second.
	Shutdown func(ctx context.Context)
	// Rows are the methods beyond those of the lifecycle.
	Rows []Row
}

// Conn is one connection to one editor.
type Conn struct {
	stream *stream
	rpc    jsonrpc2.Conn
	client *Client
	log    *slog.Logger

	base   context.Context //nolint:containedctx // the connection's life
	cancel context.CancelFunc
	left   chan struct{} // closed when the editor is gone or said exit
	leave  func()        // closes left, once

	alive func(pid int) bool // a field for tests
}

// NewConn makes a connection over a byte stream, which it then owns. Nothing is read before [Conn.Serve].
func NewConn(rwc io.ReadWriteCloser, log *slog.Logger) *Conn {
	base, cancel := context.WithCancel(context.Background())
	c := &Conn{
		stream: newStream(rwc, log),
		log:    log,
		base:   base,
		cancel: cancel,
		left:   make(chan struct{}),
		alive:  processAlive,
	}
	c.leave = sync.OnceFunc(func() { close(c.left) })
	c.rpc = jsonrpc2.NewConn(c.stream)
	c.client = newClient(base, c.rpc, c.stream, log)
	return c
}

// Client is the editor at the other end. It may be used from Initialize on.
func (c *Conn) Client() *Client { return c.client }

// Serve handles messages until the editor leaves or ctx is done, and returns the exit status that the protocol asks
// for: 0 if the editor said shutdown, else 1. It returns at most two seconds after the editor has gone.
func (c *Conn) Serve(ctx context.Context, initialize Initialize) int {
	life := &lifecycle{exit: c.leave}
	life.initialize = Request("initialize", func(
		ctx context.Context, params InitializeParams,
	) (InitializeResult, error) {
		c.client.introduced(params)
		c.watchParent(params.ProcessID)
		result, handlers, err := initialize(ctx, params)
		if err == nil {
			err = life.take(handlers)
		}
		return result, err
	})
	pending := &calls{cancel: make(map[jsonrpc2.ID]context.CancelFunc), progress: c.client.cancelProgress}
	queue := newOrder(func() bool { return c.client.Info().Name == "helix" })
	inner := recovered(c.log, life.guard(queue.start(recovered(c.log, life.serve(c.log)))))
	outer := logged(c.log, pending.cancelable(queue.enqueue))

	defer context.AfterFunc(ctx, c.leave)()
	go func() { c.stream.out.run(); c.leave() }()
	ordered := make(chan struct{})
	go func() { queue.run(c.base, inner); close(ordered) }()
	c.rpc.Go(c.base, c.paced(recovered(c.log, outer)))
	select {
	case <-c.rpc.Done():
		if err := c.rpc.Err(); err != nil && !errors.Is(err, io.EOF) {
			c.log.Warn("the connection broke", "error", err)
		}
	case <-c.left:
	}
	c.end(life.end, ordered, &queue.wg)
	return life.exitCode()
}

// paced lets replies wait for room, as everything sent does, and makes errors ones that can be shown.
func (c *Conn) paced(next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request) error {
		return next(ctx, func(ctx context.Context, result any, err error) error {
			if _, call := req.(*jsonrpc2.Call); !call {
				return nil
			}
			data, _ := result.(json.RawMessage) // all that is large is marshalled by its row
			release, failed := c.stream.out.reserve(c.base, len(data))
			if failed != nil {
				return failed
			}
			defer release()
			if err != nil {
				err = c.client.refusal(err)
			}
			return reply(ctx, result, err)
		}, req)
	}
}

// end stops what runs, lets the last words out and closes the stream, all within leaveTimeout.
func (c *Conn) end(shutdown func(), ordered <-chan struct{}, requests *sync.WaitGroup) {
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		shutdown()
		c.cancel()
		<-ordered
		shutdown() // what initialize made meanwhile
		requests.Wait()
		c.client.tasks.Wait()
	}()
	select {
	case <-idle:
		_ = c.stream.out.flush(ctx) // nobody may be reading
	case <-ctx.Done():
		c.log.Warn("left while requests were still running")
		c.cancel()
	}
	_ = c.stream.Close()
}

// watchParent leaves when the process that started the server is gone, even if a child of it keeps the pipe open.
func (c *Conn) watchParent(pid *int) {
	if pid == nil || *pid <= 0 {
		return
	}
	go func() {
		tick := time.NewTicker(parentPeriod)
		defer tick.Stop()
		for {
			select {
			case <-c.base.Done():
				return
			case <-tick.C:
				if !c.alive(*pid) {
					c.log.Info("the editor's process is gone")
					c.leave()
					return
				}
			}
		}
	}()
}

// Stdio is the byte stream of a server that an editor started. From then on a broken pipe is an error of a write and
// not the end of the process, so that what streams is still put into the journal.
func Stdio() io.ReadWriteCloser {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return stdio{}
}

type stdio struct{}

func (stdio) Read(p []byte) (int, error)  { return os.Stdin.Read(p) }
func (stdio) Write(p []byte) (int, error) { return os.Stdout.Write(p) }
func (stdio) Close() error                { return errors.Join(os.Stdin.Close(), os.Stdout.Close()) }
