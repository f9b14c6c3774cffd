// Package lsptest is a fake editor: it speaks framed JSON-RPC to a server over a pipe, holds buffers, and behaves as
// well or as badly as real editors do. Together with testing/synctest it makes long scenarios deterministic and fast.
package lsptest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Serve runs a server over a stream until the editor is gone, and returns its exit status.
type Serve func(ctx context.Context, stream io.ReadWriteCloser) int

// Edits says how an editor treats workspace/applyEdit.
type Edits string

// How real editors treat edits.
const (
	Honest Edits = "honest" // an edit of an old version is refused
	Drops  Edits = "drops"  // it is dropped, and the answer is "applied" (Neovim)
	Mute   Edits = "mute"   // edits are applied and never answered (Vim with ALE)
	Silent Edits = "silent" // edits are neither applied nor answered

	// Chats are changed, and other documents are not, whatever is answered.
	Lies    Edits = "lies"    // "applied"
	Refuses Edits = "refuses" // "not applied"
	Ignores Edits = "ignores" // nothing
)

// Options says how the editor behaves. The zero value refuses edits of an old version and counts UTF-16.
type Options struct {
	Edits     Edits
	Encodings []string      // offered to the server, the favourite first; nil: none
	Hold      time.Duration // how long changes are held back (Neovim: 150 ms); any request sends them
	Name      string        // clientInfo.name; empty: "lsptest"
	Settings  any           // initializationOptions
	// Capabilities replaces the client capabilities; nil: everything that Assent uses.
	Capabilities map[string]any
	// Assent is what the editor says it takes of the server's own methods; nil: nothing but messages of any length.
	Assent map[string]any
	// Answer answers requests of the server's own methods; nil: it knows none.
	Answer func(method string, params json.RawMessage) (any, error)
	Quiet  string // the request that it never answers, of those that only tell it something; empty: none
}

// Message is a message that the server asked to show.
type Message struct {
	Kind protocol.MessageType
	Text string
}

// Progress is one work-done progress.
type Progress struct {
	Title, Last string   // Last is the newest message
	Lines       []string // all messages, with the percentage if there was one
	Ended       bool
	Cancellable bool
	token       json.RawMessage
}

// Editor is one editor with one server. Its methods may be called from several goroutines.
type Editor struct {
	dir  string
	opts Options
	rpc  jsonrpc2.Conn
	ctx  context.Context //nolint:containedctx // the editor's life
	quit context.CancelFunc
	exit chan int

	introduction json.RawMessage // written once, before anybody reads it

	mu          sync.Mutex // guards the fields below
	received    *sync.Cond // signals every received message
	seen        int        // how many
	encoding    string
	buffers     map[protocol.DocumentURI]*buffer
	held        []held
	timer       *time.Timer
	diagnostics map[protocol.DocumentURI][]protocol.Diagnostic
	progress    []*Progress
	messages    []Message
	shown       []protocol.ShowDocumentParams
	own         map[string][]json.RawMessage // the params of the server's own notifications, by method
	failed      []string                     // what the server did wrong
	closed      map[protocol.DocumentURI]time.Time
	closing     bool // the connection breaks: a failed send is no error then
}

type held struct {
	uri protocol.DocumentURI
	c   change
}

// Start connects a new editor with dir as its workspace folder to a server, and initializes it.
func Start(ctx context.Context, serve Serve, dir string, opts Options) (*Editor, error) {
	near, far := net.Pipe()
	ctx, quit := context.WithCancel(ctx)
	e := &Editor{
		dir: dir, opts: opts, ctx: ctx, quit: quit, exit: make(chan int, 1), encoding: "utf-16",
		buffers:     make(map[protocol.DocumentURI]*buffer),
		diagnostics: make(map[protocol.DocumentURI][]protocol.Diagnostic),
		closed:      make(map[protocol.DocumentURI]time.Time),
		own:         make(map[string][]json.RawMessage),
	}
	e.received = sync.NewCond(&e.mu)
	e.rpc = jsonrpc2.NewConn(jsonrpc2.NewStream(near))
	go func() { e.exit <- serve(context.WithoutCancel(ctx), far) }()
	e.rpc.Go(ctx, func(ctx context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request) error {
		if e.handle(ctx, reply, req) != nil {
			_ = e.rpc.Close() // only the next read may report an error: the library panics on a second one
		}
		return nil
	})
	return e, e.initialize()
}

func (e *Editor) initialize() error {
	capabilities := e.opts.Capabilities
	if capabilities == nil {
		capabilities = map[string]any{
			"window": map[string]any{"workDoneProgress": true, "showDocument": map[string]bool{"support": true}},
			"workspace": map[string]any{
				"applyEdit": true, "workspaceEdit": map[string]any{
					"documentChanges": true, "resourceOperations": []string{"create", "rename", "delete"},
				},
			},
			"textDocument": map[string]any{
				"publishDiagnostics": map[string]bool{"versionSupport": true},
				"documentSymbol":     map[string]bool{"hierarchicalDocumentSymbolSupport": true},
				"codeAction":         map[string]any{"codeActionLiteralSupport": map[string]any{}},
			},
			"general": map[string]any{"positionEncodings": e.opts.Encodings},
		}
	}
	capabilities = maps.Clone(capabilities)
	ours := map[string]any{"messages": true}
	maps.Copy(ours, e.opts.Assent)
	capabilities["experimental"] = map[string]any{"assent": ours}
	root := fileURI(e.dir)
	params := map[string]any{
		"processId": nil, "clientInfo": map[string]string{"name": cmp.Or(e.opts.Name, "lsptest")}, "rootUri": root,
		"workspaceFolders": []any{map[string]any{"uri": root, "name": filepath.Base(e.dir)}},
		"capabilities":     capabilities, "initializationOptions": e.opts.Settings,
	}
	if err := e.Call("initialize", params, &e.introduction); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	var result struct {
		Capabilities struct {
			PositionEncoding string `json:"positionEncoding"`
		} `json:"capabilities"`
	}
	if err := json.Unmarshal(e.introduction, &result); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	e.encoding = cmp.Or(result.Capabilities.PositionEncoding, e.encoding)
	return e.Notify("initialized", map[string]any{})
}

// Introduction is what the server said that it can do.
func (e *Editor) Introduction() json.RawMessage { return e.introduction }

// Call sends a request, after the changes that were held back, and waits for its result.
func (e *Editor) Call(method string, params, result any) error {
	if err := e.flush(); err != nil {
		return err
	}
	_, err := e.rpc.Call(e.ctx, method, params, result)
	return err
}

// CallUntil is Call that asks the server to cancel the request when ctx ends.
func (e *Editor) CallUntil(ctx context.Context, method string, params, result any) error {
	if err := e.flush(); err != nil {
		return err
	}
	id, err := e.rpc.Call(ctx, method, params, result)
	if ctx.Err() != nil {
		return errors.Join(err, e.Notify("$/cancelRequest", map[string]any{"id": &id}))
	}
	return err
}

// Notify sends a notification, after the changes that were held back.
func (e *Editor) Notify(method string, params any) error {
	if err := e.flush(); err != nil {
		return err
	}
	return e.rpc.Notify(e.ctx, method, params)
}

// Leave shuts the server down as the protocol asks for and returns its exit status.
func (e *Editor) Leave() (int, error) {
	if err := e.Call("shutdown", nil, nil); err != nil {
		return 0, fmt.Errorf("shutdown: %w", err)
	}
	if err := e.Notify("exit", nil); err != nil {
		return 0, err
	}
	return e.gone(), nil
}

// Die closes the connection without a word and returns the server's exit status.
func (e *Editor) Die() int {
	e.mu.Lock()
	e.closing = true
	e.mu.Unlock()
	_ = e.rpc.Close() // the other end may be gone already
	return e.gone()
}

func (e *Editor) gone() int {
	code := <-e.exit
	e.mu.Lock()
	if e.timer != nil {
		e.timer.Stop()
	}
	e.mu.Unlock()
	_ = e.rpc.Close() // the other end is gone already
	<-e.rpc.Done()
	e.quit()
	return code
}

// handle serves the requests and notifications of the server.
func (e *Editor) handle(ctx context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request) error {
	defer func() {
		e.mu.Lock()
		e.seen++
		e.received.Broadcast()
		e.mu.Unlock()
	}()
	result, answer, err := e.serve(req.Method(), req.Params())
	if _, meant := errors.AsType[refusal](err); err != nil && !meant {
		e.mu.Lock()
		if !e.closing {
			e.failed = append(e.failed, fmt.Sprintf("%s: %v", req.Method(), err))
		}
		e.mu.Unlock()
	}
	if !answer {
		return nil
	}
	return reply(ctx, result, err)
}

// refusal is an error that the test wants the editor to answer with.
type refusal struct{ error }

// serve is the editor's side of each method; answer is false if the editor does not answer.
func (e *Editor) serve(method string, raw json.RawMessage) (result any, answer bool, err error) {
	switch method {
	case "workspace/applyEdit":
		edit, operations, err := workspaceEdit(raw)
		if err != nil {
			return nil, true, err
		}
		applied, err := e.applyEdit(edit)
		if applied && err == nil {
			err = e.operate(operations)
		}
		if errors.Is(err, errClosed) {
			applied, err = false, nil
		}
		answers := e.opts.Edits != Mute && e.opts.Edits != Silent && (e.opts.Edits != Ignores || ofChat(edit))
		return map[string]bool{"applied": applied}, answers, err
	case "textDocument/publishDiagnostics":
		return nil, true, keep(e, raw, func(p protocol.PublishDiagnosticsParams) { e.diagnostics[p.URI] = p.Diagnostics })
	case "window/showMessage":
		return nil, true, keep(e, raw, func(p protocol.ShowMessageParams) {
			e.messages = append(e.messages, Message{p.Type, p.Message})
		})
	case "window/showDocument":
		err := keep(e, raw, func(p protocol.ShowDocumentParams) { e.shown = append(e.shown, p) })
		return map[string]bool{"success": true}, true, err
	case "$/progress":
		return nil, true, e.progressed(raw)
	case "client/registerCapability", "workspace/codeLens/refresh", "workspace/inlayHint/refresh":
		e.keepOwn(method, raw)
		return nil, method != e.opts.Quiet, nil
	case "window/workDoneProgress/create", "$/cancelRequest", "window/logMessage":
	default:
		if strings.HasPrefix(method, "assent/editor/") && e.opts.Answer != nil {
			result, err := e.opts.Answer(method, raw)
			if err != nil {
				err = refusal{err}
			}
			return result, true, err
		}
		if strings.HasPrefix(method, "assent/") && e.opts.Assent != nil {
			e.keepOwn(method, raw)
			return nil, true, nil
		}
		return nil, true, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "the fake editor knows no %s", method)
	}
	return nil, true, nil
}

// keep reads the params of a message, and has them kept under mu.
func keep[P any](e *Editor, raw json.RawMessage, how func(P)) error {
	var params P
	if err := json.Unmarshal(raw, &params); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	how(params)
	return nil
}

func (e *Editor) keepOwn(method string, raw json.RawMessage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.own[method] = append(e.own[method], raw)
}

// Own are the params of all messages of a method of the server's own that came so far, and of registrations and
// refreshes.
func (e *Editor) Own(method string) []json.RawMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.own[method])
}

func (e *Editor) progressed(raw json.RawMessage) error {
	var params struct {
		Token json.RawMessage
		Value struct {
			Kind, Title, Message string
			Cancellable          bool
			Percentage           *int
		}
	}
	if err := json.Unmarshal(raw, &params); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	line := params.Value.Message
	if n := params.Value.Percentage; n != nil {
		line = fmt.Sprintf("%d%% %s", *n, line)
	}
	if params.Value.Kind == "begin" {
		e.progress = append(e.progress, &Progress{
			Title: params.Value.Title, Last: params.Value.Message, Cancellable: params.Value.Cancellable,
			token: params.Token, Lines: []string{line},
		})
		return nil
	}
	for _, p := range e.progress {
		if string(p.token) == string(params.Token) && !p.Ended {
			if params.Value.Message != "" {
				p.Last = params.Value.Message
				p.Lines = append(p.Lines, line)
			}
			p.Ended = params.Value.Kind == "end"
			return nil
		}
	}
	return fmt.Errorf("%s of a progress that is not shown", params.Value.Kind)
}

// applyEdit changes buffers as the editor's kind does it, and reports what it would answer.
func (e *Editor) applyEdit(edit protocol.WorkspaceEdit) (bool, error) {
	switch e.opts.Edits {
	case Silent:
		return false, nil
	case Lies, Refuses, Ignores:
		if !ofChat(edit) {
			return e.opts.Edits == Lies, nil
		}
	case Honest, Drops, Mute:
	}
	for uri, edits := range edit.Changes {
		if err := e.applyOne(uri, edits); err != nil {
			return false, err
		}
	}
	for _, d := range edit.DocumentChanges {
		e.mu.Lock()
		b := e.buffers[d.TextDocument.URI]
		old := b != nil && d.TextDocument.Version != nil && *d.TextDocument.Version != b.version
		e.mu.Unlock()
		if old {
			return e.opts.Edits == Drops, nil
		}
		if err := e.applyOne(d.TextDocument.URI, d.Edits); err != nil {
			return false, err
		}
	}
	return true, nil
}

// ofChat reports whether an edit changes a chat.
func ofChat(edit protocol.WorkspaceEdit) bool {
	for uri := range edit.Changes {
		return strings.HasSuffix(string(uri), ".chat.md")
	}
	return len(edit.DocumentChanges) > 0 &&
		strings.HasSuffix(string(edit.DocumentChanges[0].TextDocument.URI), ".chat.md")
}

// lateEditLimit is how long after a close an edit may arrive that was sent before the server knew of the close.
const lateEditLimit = time.Second

var errClosed = errors.New("the document was closed while the edit was under way")

func (e *Editor) applyOne(uri protocol.DocumentURI, edits []protocol.TextEdit) error {
	e.mu.Lock()
	b := e.buffers[uri]
	if b == nil && time.Since(e.closed[uri]) < lateEditLimit {
		e.mu.Unlock()
		return errClosed
	}
	if b == nil {
		e.mu.Unlock()
		return fmt.Errorf("%s is not open: a real editor would change a hidden buffer", uri)
	}
	if len(edits) == 0 {
		e.mu.Unlock()
		return nil
	}
	changes, err := b.apply(edits)
	e.hold(uri, changes...)
	e.mu.Unlock()
	return errors.Join(err, e.report())
}

// hold queues changes for the server in the order in which they were made; mu is held.
func (e *Editor) hold(uri protocol.DocumentURI, changes ...change) {
	for _, c := range changes {
		e.held = append(e.held, held{uri, c})
	}
}

// drop forgets a document that is closed, and what was not sent of it; mu is held.
func (e *Editor) drop(uri protocol.DocumentURI) {
	delete(e.buffers, uri)
	e.held = slices.DeleteFunc(e.held, func(h held) bool { return h.uri == uri })
	e.closed[uri] = time.Now()
}

// report sends the queued changes to the server, at once or after Options.Hold.
func (e *Editor) report() error {
	if e.opts.Hold == 0 {
		return e.flush()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.timer == nil && len(e.held) > 0 {
		e.timer = time.AfterFunc(e.opts.Hold, func() { _ = e.flush() }) // a broken connection is reported elsewhere
	}
	return nil
}

// flush sends the changes that were held back.
func (e *Editor) flush() error {
	e.mu.Lock()
	defer e.mu.Unlock() // until they are sent: changes must not overtake each other
	if e.timer != nil {
		e.timer.Stop()
		e.timer = nil
	}
	for len(e.held) > 0 {
		uri := e.held[0].uri
		var changes []change
		for len(e.held) > 0 && e.held[0].uri == uri {
			changes = append(changes, e.held[0].c)
			e.held = e.held[1:]
		}
		params := map[string]any{
			"textDocument":   map[string]any{"uri": uri, "version": e.buffers[uri].version},
			"contentChanges": changes,
		}
		if err := e.rpc.Notify(e.ctx, "textDocument/didChange", params); err != nil {
			return err
		}
	}
	return nil
}

func (e *Editor) uri(name string) protocol.DocumentURI { return fileURI(filepath.Join(e.dir, name)) }

func fileURI(path string) protocol.DocumentURI {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return protocol.DocumentURI((&url.URL{Scheme: "file", Path: path}).String())
}
