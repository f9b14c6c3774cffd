package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/tasks"
)

// clientTimeout limits a request to the client whose caller set no deadline.
const clientTimeout = 10 * time.Second

var (
	// ErrNoAnswer says that the editor did not answer in time. What was asked for may still happen.
	ErrNoAnswer = errors.New("the editor did not answer in time")
	// ErrUnsupported says that the editor did not declare what a request needs; nothing was sent.
	ErrUnsupported = errors.New("the editor does not support this")
	// ErrRefused says that the editor answered with an error; its words follow.
	ErrRefused = errors.New("the editor refused")
)

// takesVersions names clients, by clientInfo.name, that check the version of an edit without declaring documentChanges.
var takesVersions = map[string]bool{"Neovim": true}

// countsLate names clients that declare documentChanges and count a change only when they report it: Eglot checks the
// version, and takes an edit for a text that somebody has typed into within eglot-send-changes-idle-time.
var countsLate = map[string]bool{"Eglot": true}

// endsLinesAtCR names clients for which a CR alone ends a line, as LSP says.
var endsLinesAtCR = map[string]bool{"Visual Studio Code": true, "code-server": true}

// Versioned reports whether the editor checks the version of an edit.
func (c *Client) Versioned() bool {
	name := c.Info().Name
	return c.Capabilities().Workspace.WorkspaceEdit.DocumentChanges && !countsLate[name] || takesVersions[name]
}

// EndsLinesAtCR reports whether a CR alone ends a line for the editor.
func (c *Client) EndsLinesAtCR() bool { return endsLinesAtCR[c.Info().Name] }

// Life ends with the connection.
func (c *Client) Life() context.Context { return c.base }

// HidesRefusals reports whether the editor shows nothing of a command that is answered with an error: Helix 25 keeps
// that for its log, and ALE for :ALEInfo.
func (c *Client) HidesRefusals() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.info.Name == "helix" || c.assumed
}

// CountsBytes reports whether the editor counts bytes where LSP says UTF-16 units, as ALE does: it takes edits without
// saying so, and names neither itself nor an encoding.
func (c *Client) CountsBytes() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.assumed && c.info.Name == "" && len(c.caps.General.PositionEncodings) == 0
}

// Client is the editor: typed requests and notifications to it. Every request has a time limit, the deadline of ctx or
// else ten seconds, and honours what the client declared. Its methods may be called concurrently.
type Client struct {
	base   context.Context //nolint:containedctx // the connection's life
	rpc    jsonrpc2.Conn
	stream *stream
	log    *slog.Logger
	tasks  tasks.Group // goroutines of progress

	mu       sync.Mutex // guards the fields below
	caps     ClientCapabilities
	info     protocol.ClientInfo
	assumed  bool                 // that the client takes edits
	progress map[string]*Progress // by token, as JSON
	tokens   int
}

func newClient(base context.Context, rpc jsonrpc2.Conn, s *stream, log *slog.Logger) *Client {
	return &Client{base: base, rpc: rpc, stream: s, log: log, progress: make(map[string]*Progress)}
}

// introduced keeps how the client introduced itself.
func (c *Client) introduced(params InitializeParams) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.caps, c.info = params.Capabilities, params.ClientInfo
}

// Capabilities is what the client declared.
func (c *Client) Capabilities() ClientCapabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.caps
}

// Info is the client's name and version; both may be empty.
func (c *Client) Info() protocol.ClientInfo {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.info
}

// AssumeEdits is for a client that takes edits and does not say so.
func (c *Client) AssumeEdits() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.caps.Workspace.ApplyEdit, c.assumed = true, true
}

// assumedTimeout is how long to wait for the editor to acknowledge an edit, which it rarely does.
const assumedTimeout = 400 * time.Millisecond

// AnswerTime is how long an answer to an edit is waited for; 0 is the usual time. A client that does not say that it
// takes edits does not answer them either (Vim with ALE): its changes show whether they came.
func (c *Client) AnswerTime() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.assumed {
		return assumedTimeout
	}
	return 0
}

// ApplyEdit asks the client to change one open document, whose version is the one that the edits were made for. An
// answer with Applied proves nothing: only a didChange does. An error as the answer counts as not applied, with its
// words as the reason. After ErrNoAnswer the edit may still be applied.
func (c *Client) ApplyEdit(
	ctx context.Context, uri protocol.DocumentURI, version int32, edits ...protocol.TextEdit,
) (protocol.ApplyWorkspaceEditResponse, error) {
	var answer protocol.ApplyWorkspaceEditResponse
	if !c.Capabilities().Workspace.ApplyEdit {
		return answer, fmt.Errorf("workspace/applyEdit: %w", ErrUnsupported)
	}
	err := c.Call(
		ctx, "workspace/applyEdit", protocol.ApplyWorkspaceEditParams{Edit: c.WorkspaceEdit(uri, version, edits...)},
		&answer,
	)
	if errors.Is(err, ErrRefused) {
		return protocol.ApplyWorkspaceEditResponse{FailureReason: err.Error()}, nil
	}
	return answer, err
}

// WorkspaceEdit changes one open document; with the version that the edits were made for, where the client takes that.
func (c *Client) WorkspaceEdit(
	uri protocol.DocumentURI, version int32, edits ...protocol.TextEdit,
) (edit protocol.WorkspaceEdit) {
	if !c.Capabilities().Workspace.WorkspaceEdit.DocumentChanges && !takesVersions[c.Info().Name] {
		edit.Changes = map[protocol.DocumentURI][]protocol.TextEdit{uri: edits}
		return edit
	}
	edit.DocumentChanges = []protocol.TextDocumentEdit{versionedEdit(uri, version, edits)}
	return edit
}

func versionedEdit(uri protocol.DocumentURI, version int32, edits []protocol.TextEdit) protocol.TextDocumentEdit {
	return protocol.TextDocumentEdit{
		TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: uri},
			Version:                &version,
		},
		Edits: edits,
	}
}

// ApplyFileOperation asks the client for an operation on the file of a document. An edit of nothing before it names the
// version: a client that looks at versions refuses both if somebody has typed since.
func (c *Client) ApplyFileOperation(
	ctx context.Context, s documents.Snapshot, operation any,
) (protocol.ApplyWorkspaceEditResponse, error) {
	var answer protocol.ApplyWorkspaceEditResponse
	nothing := versionedEdit(protocol.DocumentURI(s.URI), s.Version, []protocol.TextEdit{})
	err := c.Call(ctx, "workspace/applyEdit", map[string]any{
		"edit": map[string]any{"documentChanges": []any{nothing, operation}},
	}, &answer)
	return answer, err
}

// ShowDocument opens a document at a range. If the client cannot do that, a message says where to look, with the
// sentence why.
func (c *Client) ShowDocument(ctx context.Context, uri protocol.DocumentURI, at protocol.Range, why string) error {
	if c.Capabilities().Window.ShowDocument.Support {
		params := protocol.ShowDocumentParams{URI: uri, TakeFocus: true, Selection: &at}
		var result protocol.ShowDocumentResult
		err := c.Call(ctx, "window/showDocument", params, &result)
		if errors.Is(err, ErrNoAnswer) || (err == nil && result.Success) {
			return err
		}
	}
	text := fmt.Sprintf("%s: %s, line %d.", why, DisplayPath(string(uri)), at.Start.Line+1)
	return c.ShowMessage(ctx, protocol.MessageTypeInfo, text)
}

// NotOpen is the version of a document that the editor does not have open.
const NotOpen = -1

// PublishDiagnostics replaces the diagnostics of a document, open or not. Newer ones take the place of those still
// unsent.
func (c *Client) PublishDiagnostics(
	uri protocol.DocumentURI, version int32, diagnostics []protocol.Diagnostic,
) error {
	params := publishDiagnostics{URI: uri, Diagnostics: diagnostics}
	if params.Diagnostics == nil {
		params.Diagnostics = []protocol.Diagnostic{} // null is not allowed
	}
	if c.Capabilities().TextDocument.PublishDiagnostics.VersionSupport && version != NotOpen {
		params.Version = &version
	}
	return c.NotifyNewest("diagnostics "+string(uri), "textDocument/publishDiagnostics", params)
}

type publishDiagnostics struct {
	URI         protocol.DocumentURI  `json:"uri"`
	Version     *int32                `json:"version,omitempty"` // the library leaves version 0 out
	Diagnostics []protocol.Diagnostic `json:"diagnostics"`
}

// RegisterCapability registers for what the client does not send by itself. The caller looks at the client's
// dynamicRegistration.
func (c *Client) RegisterCapability(ctx context.Context, registrations ...protocol.Registration) error {
	return c.Call(ctx, "client/registerCapability", protocol.RegistrationParams{Registrations: registrations}, nil)
}

// Configuration asks for the client's settings under a section name, as JSON; null if it has none.
func (c *Client) Configuration(ctx context.Context, section string) (json.RawMessage, error) {
	if !c.Capabilities().Workspace.Configuration {
		return nil, fmt.Errorf("workspace/configuration: %w", ErrUnsupported)
	}
	params := protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: section}}}
	var answers []json.RawMessage
	if err := c.Call(ctx, "workspace/configuration", params, &answers); err != nil {
		return nil, err
	}
	if len(answers) != 1 {
		return nil, fmt.Errorf("workspace/configuration: %d answers to one question", len(answers))
	}
	return answers[0], nil
}

// Call sends a request and waits for its answer; result may be nil.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := c.limit(ctx)
	defer cancel()
	data, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if err := c.stream.out.room(ctx); err != nil {
		return c.explain(ctx, method, err)
	}
	var answer json.RawMessage
	id, err := c.rpc.Call(ctx, method, json.RawMessage(data), &answer)
	c.stream.forget(id)
	if err != nil {
		if ctx.Err() != nil {
			_ = c.send("", "$/cancelRequest", map[string]*jsonrpc2.ID{"id": &id}) // the client need not obey
		}
		return c.explain(ctx, method, err)
	}
	if result == nil || len(answer) == 0 {
		return nil
	}
	if err := json.Unmarshal(answer, result); err != nil {
		return fmt.Errorf("%s: the editor's answer does not fit: %w", method, err)
	}
	return nil
}

// Notify sends a notification, once there is room for it.
func (c *Client) Notify(ctx context.Context, method string, params any) error {
	ctx, cancel := c.limit(ctx)
	defer cancel()
	if err := c.stream.out.room(ctx); err != nil {
		return c.explain(ctx, method, err)
	}
	return c.send("", method, params)
}

// NotifyNewest sends a notification in place of an older one with its key (see outbox.put), so it does not wait for
// room: handlers that must return soon may send it.
func (c *Client) NotifyNewest(key, method string, params any) error {
	return c.send(key, method, params)
}

// send queues a notification without waiting for room.
func (c *Client) send(key, method string, params any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	msg, err := jsonrpc2.NewNotification(method, json.RawMessage(data))
	if err != nil {
		return err
	}
	if data, err = msg.MarshalJSON(); err != nil {
		return err
	}
	return c.stream.out.put(key, data)
}

// limit gives ctx a deadline if it has none, and ends it with the connection.
func (c *Client) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	var cancel context.CancelFunc
	if _, ok := ctx.Deadline(); ok {
		ctx, cancel = context.WithCancel(ctx)
	} else {
		ctx, cancel = context.WithTimeout(ctx, clientTimeout)
	}
	stop := context.AfterFunc(c.base, cancel)
	return ctx, func() { stop(); cancel() }
}

// explain words why a request failed. The editor's own error is passed on in words, but its code is not ours to pass
// on.
func (c *Client) explain(ctx context.Context, method string, err error) error {
	var refused *jsonrpc2.Error
	switch {
	case errors.As(err, &refused):
		return fmt.Errorf("%s: %w: %s", method, ErrRefused, refused.Message)
	case c.base.Err() != nil:
		err = errClosed
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = ErrNoAnswer
	}
	return fmt.Errorf("%s: %w", method, err)
}

// DisplayPath is how a person names the document.
func DisplayPath(uri string) string {
	if path, err := documents.PathOf(uri); err == nil {
		return path
	}
	return uri
}
