package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
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

	maxObjects  = 1 << 16
	leastSecret = 4 // bytes of what is taken out of errors: less would be found everywhere
)

// newClient makes a client that follows no redirect, takes nothing from the environment and reads no more than it must.
func newClient(given *http.Client, api string) *http.Client {
	var over http.RoundTripper
	if given != nil && given.Transport != nil {
		over = given.Transport
	} else {
		over = transport.New(nil)
	}
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

// errKey is that the key could not be had.
var errKey = errors.New("no key")

// do sends a request, with key and headers; the caller closes the body of the answer.
func (c *connection) do(ctx context.Context, method, address string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range c.config.Headers {
		r.Header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	if r.Header.Get("User-Agent") == "" {
		r.Header.Set("User-Agent", "assent")
	}
	r.Header.Set("Accept-Encoding", "identity") // packed answers are refused
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.config.Key != nil {
		key, err := c.config.Key(ctx)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errKey, err)
		}
		if key = strings.TrimSpace(key); key != "" {
			c.keepSecret(key)
			r.Header.Set("Authorization", "Bearer "+key)
		}
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
	return json.Unmarshal(text, into)
}

// refusal reads an answer that is an error.
func (c *connection) refusal(resp *http.Response) *serverError {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxError)) // what came until then says enough
	e := newServerError(resp.StatusCode, text)
	e.after = retryAfter(resp.Header.Get("Retry-After"))
	return e
}

// keepSecret notes what no error may hold.
func (c *connection) keepSecret(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := slices.Clone(c.secrets) // others read the old ones meanwhile
	quoted := strconv.Quote(text)
	for _, form := range []string{
		text, strings.TrimPrefix(text, "Bearer "), url.QueryEscape(text), quoted[1 : len(quoted)-1],
	} {
		if len(form) >= leastSecret && !slices.Contains(kept, form) {
			kept = append(kept, form)
		}
	}
	slices.SortFunc(kept, func(a, b string) int { return len(b) - len(a) }) // the whole before its parts
	c.secrets = kept
}

// hide takes what is secret out of a text.
func (c *connection) hide(text string) string {
	c.mu.Lock()
	secrets := c.secrets
	c.mu.Unlock()
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, "…")
	}
	return text
}
