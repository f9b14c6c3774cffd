package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/assent-ls/assent/agent/model/transport"
)

// How much of one answer is read, in bytes.
const (
	maxList   = 4 << 20  // of a list, the facts of a model with its template, a count
	maxTokens = 32 << 20 // of the tokens of a prompt
	maxStream = 64 << 20 // of a reply
	maxLine   = 8 << 20  // of a line of it
	maxError  = 64 << 10 // of a refusal

	maxObjects = 1 << 16
)

// over is how a server is reached: with key and headers, and with nothing from the environment. Without a transport
// nothing is reached.
func over(c Config) *transport.Authorized {
	if c.Client != nil && c.Client.Transport != nil {
		return transport.NewAuthorized(c.Client.Transport, c.Headers, c.Key)
	}
	return transport.NewAuthorized(transport.New(nil, nil), c.Headers, c.Key)
}

// newClient makes a client that follows no redirect and reads no more than it must.
func newClient(over http.RoundTripper, api string) *http.Client {
	chat := ""
	if u, err := url.Parse(api); err == nil {
		chat = u.Path + chatPath
	}
	return &http.Client{Transport: transport.Limited{Next: over, Bounds: func(path string) transport.Bounds {
		switch {
		case path == chat:
			return transport.Bounds{Bytes: maxStream, Objects: maxStream}
		case strings.HasSuffix(path, "/tokenize"):
			return transport.Bounds{Bytes: maxTokens, Objects: maxObjects}
		}
		return transport.Bounds{Bytes: maxList, Objects: maxObjects}
	}}}
}

// do sends a request; the caller closes the body of the answer.
func (c *connection) do(ctx context.Context, method, address string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "assent")
	r.Header.Set("Accept-Encoding", "identity") // packed answers are refused
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return c.client.Do(r)
}

// ask gets or posts what is answered at once. An answer that is an error is a *serverError, whatever its status says.
func (c *connection) ask(ctx context.Context, method, address string, body []byte) (json.RawMessage, error) {
	resp, err := c.do(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	if resp.StatusCode >= http.StatusBadRequest {
		return nil, c.refusal(resp)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte(byteOrder))
	if refused := newServerError(resp.StatusCode, text); refused.inside || refused.html {
		return nil, refused
	}
	if !json.Valid(text) {
		return nil, &serverError{status: resp.StatusCode, text: string(text), odd: true}
	}
	return text, nil
}

func (c *connection) get(ctx context.Context, address string, into any) error {
	text, err := c.ask(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	return decode(text, into)
}

// decode reads JSON as far as it is of the types that most servers have there: what is of another one stays zero.
func decode(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && mismatch.Field != "" {
		return nil
	}
	return err
}

// refusal reads an answer that is an error.
func (c *connection) refusal(resp *http.Response) *serverError {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxError)) // what came until then says enough
	e := newServerError(resp.StatusCode, text)
	e.after = retryAfter(resp.Header.Get("Retry-After"))
	return e
}
