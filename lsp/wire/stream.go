package wire

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// stream carries messages over stdio: a [jsonrpc2.Stream] that survives what the library's own does not.
// Bad input is answered and skipped instead of ending the connection; a response that nobody waits for is dropped (a
// second one would block the library's reader); a write never blocks, since the outbox takes it.
type stream struct {
	rwc io.ReadWriteCloser
	in  *bufio.Reader
	out *outbox
	log *slog.Logger

	mu      sync.Mutex // guards waiting
	waiting map[jsonrpc2.ID]bool
}

var _ jsonrpc2.Stream = (*stream)(nil)

func newStream(rwc io.ReadWriteCloser, log *slog.Logger) *stream {
	return &stream{
		rwc:     rwc,
		in:      bufio.NewReaderSize(rwc, 64<<10),
		out:     newOutbox(rwc),
		log:     log,
		waiting: make(map[jsonrpc2.ID]bool),
	}
}

// Read returns the next usable message.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		body, err := readFrame(s.in, maxMessage)
		if broken, ok := errors.AsType[*frameError](err); ok {
			s.log.Warn("skipped broken input", "reason", broken.reason)
			s.refuse(nil, jsonrpc2.ParseError, broken.reason)
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		msg, err := s.decode(body)
		if err != nil {
			s.log.Warn("skipped a bad message", "bytes", len(body), "reason", err)
			continue
		}
		if r, ok := msg.(*jsonrpc2.Response); ok && !s.forget(r.ID()) {
			s.log.Debug("dropped a response that nobody waits for", "id", fmt.Sprint(r.ID()))
			continue
		}
		return msg, int64(len(body)), nil
	}
}

// decode answers what is no message, since only here its id is known. The check comes first: the library's decoder
// recurses, and a deeply nested message would overflow the stack, which nothing recovers.
func (s *stream) decode(body []byte) (msg jsonrpc2.Message, err error) {
	defer func() {
		if v := recover(); v != nil { // its decoder is old and uses unsafe code
			s.refuse(nil, jsonrpc2.ParseError, "the message cannot be read")
			err = fmt.Errorf("the decoder panicked: %v", v)
		}
	}()
	if !json.Valid(body) {
		s.refuse(nil, jsonrpc2.ParseError, "the message is not JSON")
		return nil, errors.New("not JSON")
	}
	if msg, err = jsonrpc2.DecodeMessage(body); err == nil {
		return msg, nil
	}
	var loose struct {
		ID     json.RawMessage `json:"id"`
		Method json.RawMessage `json:"method"`
	}
	_ = json.Unmarshal(body, &loose) // what is not there stays empty
	if loose.Method == nil && loose.ID != nil {
		return nil, fmt.Errorf("a bad response: %w", err) // an answer is never answered
	}
	s.refuse(loose.ID, jsonrpc2.InvalidRequest, "the message is not a JSON-RPC 2.0 request")
	return nil, err
}

// refuse sends an error for a message that never became a request. Those without an id replace each other while they
// wait to be written, so that garbage cannot fill the memory.
func (s *stream) refuse(id json.RawMessage, code jsonrpc2.Code, message string) {
	key := ""
	if id == nil {
		id, key = json.RawMessage("null"), "refused"
	}
	data, err := json.Marshal(map[string]any{
		"jsonrpc": jsonrpc2.Version, "id": id, "error": jsonrpc2.NewError(code, message),
	})
	if err == nil {
		_ = s.out.put(key, data) // closed: nobody is left to tell
	}
}

// Write queues one message; it does not block.
func (s *stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	marshaler, ok := msg.(json.Marshaler)
	if !ok {
		return 0, fmt.Errorf("a message of type %T cannot be sent", msg)
	}
	data, err := marshaler.MarshalJSON()
	if err != nil {
		return 0, err
	}
	if call, ok := msg.(*jsonrpc2.Call); ok {
		s.mu.Lock()
		s.waiting[call.ID()] = true
		s.mu.Unlock()
	}
	return int64(len(data)), s.out.put("", data)
}

// forget ends the waiting for a response and reports whether it was waited for.
func (s *stream) forget(id jsonrpc2.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.waiting[id]
	delete(s.waiting, id)
	return was
}

// Close ends reading and writing; what is queued is lost: flush first.
func (s *stream) Close() error {
	s.out.close()
	return s.rwc.Close()
}
