package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// CodeRequestFailed is the error code of a request that is valid and cannot be done (LSP 3.17).
const CodeRequestFailed jsonrpc2.Code = -32803

// Row binds one method of the protocol to the function that serves it. Make it with [Request] or [Notification].
type Row struct {
	method string
	isCall bool
	serve  func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
}

// Request binds a request. f runs in its own goroutine, after every notification that came before it; its context ends
// when the editor cancels the request or goes away. An error is sent as [CodeRequestFailed] with its text, which a
// person may read, unless it is a *jsonrpc2.Error; a context's end is sent as "request cancelled".
func Request[P, R any](method string, f func(ctx context.Context, params P) (R, error)) Row {
	return Row{method: method, isCall: true, serve: func(
		ctx context.Context, raw json.RawMessage,
	) (json.RawMessage, error) {
		params, err := decodeParams[P](raw)
		if err != nil {
			return nil, err
		}
		result, err := f(ctx, params)
		if err != nil {
			return nil, err
		}
		data, err := json.Marshal(result)
		if err != nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "%s: the result cannot be sent: %v", method, err)
		}
		return data, nil
	}}
}

// Notification binds a notification. Notifications are served one after the other, in the order in which they came: f
// must return soon. An error is logged.
func Notification[P any](method string, f func(ctx context.Context, params P) error) Row {
	row := Request(method, func(ctx context.Context, params P) (any, error) { return nil, f(ctx, params) })
	row.isCall = false
	return row
}

// None is the params of a method without any.
type None struct{}

// decodeParams reads params; missing ones and null are those of a method that needs none.
func decodeParams[P any](raw json.RawMessage) (P, error) {
	var params P
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		if _, none := any(params).(None); none {
			return params, nil
		}
		return params, jsonrpc2.NewError(jsonrpc2.InvalidParams, "the params are missing")
	}
	if err := json.Unmarshal(raw, &params); err != nil {
		return params, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the params do not fit: %v", err)
	}
	return params, nil
}

// table finds rows by method.
type table map[string]Row

// newTable refuses a method that is bound twice: that is a mistake in the program.
func newTable(rows []Row) (table, error) {
	t := make(table, len(rows))
	for _, row := range rows {
		if _, twice := t[row.method]; twice {
			return nil, fmt.Errorf("lsp: two handlers for %s", row.method)
		}
		t[row.method] = row
	}
	return t, nil
}

// wireError turns a handler's error into what is sent.
func wireError(err error) error {
	var wire *jsonrpc2.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wire):
		shown := *wire
		shown.Message = inMessage(wire.Message)
		return &shown
	case errors.Is(err, context.Canceled):
		return protocol.ErrRequestCancelled
	default:
		return jsonrpc2.NewError(CodeRequestFailed, inMessage(err.Error()))
	}
}
