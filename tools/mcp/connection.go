package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/mcp/lines"
	"github.com/assent-ls/assent/tools/shell"
)

// closeLimit is how long a server that is reached over the network has to take the end of a session.
const closeLimit = time.Second

// connection is a session with a server, from its start to its end.
type connection struct {
	name      string // of the server
	log       *serverLog
	hide      func(string) string
	session   *sdk.ClientSession
	service   *shell.Service  // nil: it is reached over the network
	output    *lines.Messages // nil: likewise
	input     *input          // nil: likewise
	said      chan struct{}   // closed once all is read that its process said on its standard error; nil: likewise
	cancel    context.CancelFunc
	closing   atomic.Bool // we end it
	roots     []*sdk.Root // the workspace, for those who ask
	told      roots
	outdated  atomic.Bool   // the server said that its list of tools changed
	relisting chan struct{} // full while the list is asked for again
	ended     chan struct{}
	why       error // why it ended; valid once ended is closed
	since     time.Time

	resources onDemand[Resource]
	prompts   onDemand[Prompt]

	listed atomic.Pointer[listing] // what the server listed last

	mu      sync.Mutex
	running map[string]*runningCall // guarded by mu: by their tokens
	calls   int                     // guarded by mu: how many there were
}

// dial starts a server, or reaches it, and introduces us. The connection lives until close, whatever ctx is.
func (s *server) dial(ctx context.Context, l launch) (c *connection, err error) {
	life, cancel := context.WithCancel(s.life)
	defer context.AfterFunc(ctx, cancel)() // until it is connected the start may be given up
	c = &connection{
		name: s.Name, log: s.log, hide: l.secrets.hide, cancel: cancel, ended: make(chan struct{}), since: time.Now(),
		running: map[string]*runningCall{}, relisting: make(chan struct{}, 1),
	}
	transport, err := s.transport(c, l)
	if err == nil {
		c.session, err = introduce(ctx, life, s.client(c), transport)
	}
	if err != nil {
		if err = c.failed(err); errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			err = errors.New("it did not answer in time")
		}
		cancel()
		if c.service != nil {
			c.service.Stop()
			_ = c.service.Out.Close()
		}
		return nil, err
	}
	go c.watch()
	return c, nil
}

// introduce connects a client for as long as life lasts, and gives up when ctx ends: a server can hold up the SDK
// beyond that.
func introduce(ctx, life context.Context, client *sdk.Client, to sdk.Transport) (*sdk.ClientSession, error) {
	type outcome struct {
		session *sdk.ClientSession
		err     error
	}
	result := make(chan outcome, 1)
	go func() {
		session, err := client.Connect(life, to, nil)
		result <- outcome{session, err}
	}()
	select {
	case o := <-result:
		return o.session, o.err
	case <-ctx.Done():
		go func() {
			if late := <-result; late.err == nil {
				_ = late.session.Close()
			}
		}()
		return nil, context.Cause(ctx)
	}
}

// transport starts the program of a server, or makes what reaches it.
func (s *server) transport(c *connection, l launch) (sdk.Transport, error) {
	switch {
	case s.Kind != Stdio && s.options.Reach != nil:
		return s.options.Reach(l.url), nil
	case s.Kind != Stdio:
		return s.remote(l)
	}
	service, err := s.options.Shell.Serve(l.argv, l.env, l.dir)
	if err != nil {
		return nil, fmt.Errorf("it cannot be started: %w", err)
	}
	c.service = service
	c.output = &lines.Messages{ReadCloser: service.Out, Log: s.log, Rate: rate.NewLimiter(lines.PerSecond, lines.Burst)}
	c.input = &input{File: service.In, limit: s.times.write, stop: service.Stop}
	c.said = make(chan struct{})
	go func() {
		defer close(c.said)
		_, _ = io.Copy(s.log, service.Errors)
		_ = service.Errors.Close()
	}()
	// The output bounds the lines itself.
	return &sdk.IOTransport{Reader: c.output, Writer: c.input, MaxLineLength: -1}, nil
}

// client is what speaks with the server for us. It takes what the server says, asks the person for it, and says which
// folder is the workspace.
func (s *server) client(c *connection) *sdk.Client {
	options := &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{
			RootsV2: &sdk.RootCapabilities{},
			Elicitation: &sdk.ElicitationCapabilities{
				Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{},
			},
		},
		// we know for which call is asked, and ask once at a time
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
		ElicitationHandler: func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return c.elicit(ctx, r.Params)
		},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { c.outdated.Store(true) },
		ResourceListChangedHandler: func(
			context.Context, *sdk.ResourceListChangedRequest,
		) {
			c.resources.changed.Store(true)
		},
		PromptListChangedHandler: func(
			context.Context, *sdk.PromptListChangedRequest,
		) {
			c.prompts.changed.Store(true)
		},
		ProgressNotificationHandler: func(
			_ context.Context, r *sdk.ProgressNotificationClientRequest,
		) {
			c.progress(r.Params)
		},
		LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) {
			s.log.say(fmt.Sprintf("%s: %v", r.Params.Level, r.Params.Data))
		},
	}
	if s.options.Models {
		options.Capabilities.Sampling = &sdk.SamplingCapabilities{} // neither tools nor context
		options.CreateMessageWithToolsHandler = func(
			ctx context.Context, r *sdk.CreateMessageWithToolsRequest,
		) (*sdk.CreateMessageWithToolsResult, error) {
			return c.sample(ctx, r.Params)
		}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "assent", Version: s.options.Version}, options)
	client.AddReceivingMiddleware(c.survive, c.told.watch)
	if s.folder != "" {
		root := url.URL{Scheme: "file", Path: filepath.ToSlash(s.folder)}
		c.roots = []*sdk.Root{{URI: root.String(), Name: filepath.Base(s.folder)}}
		client.AddRoots(c.roots...)
	}
	return client
}

// survive makes an error of a panic: what a server sends is handled in goroutines of the SDK, where one would end the
// program.
func (c *connection) survive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				c.log.say(fmt.Sprintf("what it sent (%s) could not be handled: %v", method, v))
				err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "this could not be handled"}
			}
		}()
		return next(ctx, method, r)
	}
}

// watch waits for the end of the session.
func (c *connection) watch() {
	err := c.session.Wait()
	if c.why = errors.New("it was stopped"); !c.closing.Load() {
		c.why = c.failed(err)
	}
	c.cancel()
	if c.service != nil {
		c.service.Stop()
	}
	c.log.say(c.why.Error())
	close(c.ended)
}

// failed says in a sentence without its end why a connection was not made, or ended.
func (c *connection) failed(err error) error {
	if c.output != nil && c.output.Broken.Load() {
		return lines.ErrTooLong
	}
	if c.input != nil && c.input.stuck.Load() {
		return errors.New("it did not read what was sent to it")
	}
	left := err != nil && c.input != nil && c.input.gone.Load() && // the SDK keeps the text alone
		(strings.Contains(err.Error(), syscall.EPIPE.Error()) || strings.Contains(err.Error(), os.ErrClosed.Error()))
	if reason := noMessage(err, c.hide); reason != "" && !left {
		return errors.New("it sent something that is no message: " + reason)
	}
	closed := err == nil || left || errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed)
	if c.service != nil && closed {
		select {
		case <-c.service.Over():
			select {
			case <-c.said: // it says there why
			case <-time.After(leaveTime):
			}
			return errors.New("it " + c.service.How())
		case <-time.After(leaveTime):
		}
	}
	if closed {
		return errors.New("it closed the connection")
	}
	return errors.New(plain(err, c.hide))
}

// noMessage is why the SDK gave a connection up that it could not read; empty: it did not.
func noMessage(err error, hide func(string) string) string {
	if err == nil {
		return ""
	}
	const gaveUp = "client is closing: "
	text := plain(err, hide)
	if _, reason, ok := strings.Cut(text, gaveUp); ok && reason != "EOF" {
		return reason
	}
	if strings.Contains(text, "invalid character") {
		return text
	}
	return ""
}

// leaveTime is how long the end of a process may take to be known that closed its output.
const leaveTime = 2 * time.Second

// plain is what an error of the SDK says, which may be the words of the server. Secrets are hidden first, while they
// are whole.
func plain(err error, hide func(string) string) string {
	return visible.ForeignText(strings.Join(strings.Fields(hide(err.Error())), " ")).Line(500)
}

// over reports whether the connection has ended.
func (c *connection) over() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// close ends the session and the server's process with all that it started.
func (c *connection) close() {
	c.closing.Store(true)
	if c.service != nil {
		c.service.Stop()
	}
	go func() { _ = c.session.Close() }()
	select {
	case <-c.ended:
	case <-time.After(closeLimit):
		c.cancel()
	}
}

// call calls a tool. clock may be nil if report is. The error is a sentence without its end, or that of ctx.
func (c *connection) call(
	ctx context.Context, name, plainName string, arguments []byte, clock *clock, report tools.Reporter,
) (*sdk.CallToolResult, error) {
	params := &sdk.CallToolParams{Name: name, Arguments: rawJSON(arguments)}
	r, token, end := c.begin(ctx, plainName, clock, report)
	defer end()
	params.SetProgressToken(token)
	c.told.settle(ctx, func(ctx context.Context) error { return c.session.Ping(ctx, nil) })
	result, err := c.rounds(ctx, r, params)
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case wantsLogin(err):
		return nil, fmt.Errorf("the server %w", needsLoginError{c.name})
	case c.endedBy(ctx, err):
		return nil, fmt.Errorf("the server ended during the call, which may have had effects: %w", c.why)
	}
	if !isRefusal(err) { // what else could fail a call of a connection that goes on is the reading of its answer
		return nil, errors.New("the tool ran, but its result cannot be read: " + plain(err, c.hide))
	}
	return nil, errors.New("the server refused the call: " + plain(err, c.hide))
}

// isRefusal reports whether an error is an answer of the server, or one of ours, before the tool ran.
func isRefusal(err error) bool {
	_, answered := errors.AsType[*jsonrpc.Error](err)
	return answered || errors.Is(err, errRounds) || errors.Is(err, errBusy) || errors.Is(err, errNotOpened) ||
		errors.Is(err, errInput)
}

// endedBy reports whether the connection is over, after an error that may come of its end.
func (c *connection) endedBy(ctx context.Context, err error) bool {
	if isRefusal(err) {
		return c.over()
	}
	asked, cancel := context.WithTimeout(ctx, 3*leaveTime)
	defer cancel()
	if err := c.session.Ping(asked, nil); err == nil || isRefusal(err) && !errors.Is(err, sdk.ErrConnectionClosed) {
		return c.over() // it answers
	}
	select {
	case <-c.ended:
		return true
	case <-asked.Done():
		return false
	}
}
