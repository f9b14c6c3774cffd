package transport

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	leastSecret = 4        // bytes of what is taken out of errors: less would be found everywhere
	maxRefusal  = 64 << 10 // bytes of an answer that is an error
)

// ErrKey is that the key of a server could not be had.
var ErrKey = errors.New("no key")

// Secrets are texts that no error may hold: the key of a server, and the values of the headers that are declared for
// it. It is safe for concurrent use; a nil one has none.
type Secrets struct {
	mu    sync.Mutex
	forms []string // guarded by mu, the longest first
}

// Keep notes a secret, in the forms in which servers repeat it.
func (s *Secrets) Keep(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, plain := range append([]string{text}, credentials(text)...) {
		quoted := strconv.Quote(plain)
		for _, form := range []string{plain, url.QueryEscape(plain), quoted[1 : len(quoted)-1]} {
			if len(form) >= leastSecret && !slices.Contains(s.forms, form) {
				s.forms = append(slices.Clip(s.forms), form) // others read the old ones meanwhile
			}
		}
	}
	s.forms = slices.SortedFunc(slices.Values(s.forms), func(a, b string) int { return len(b) - len(a) })
}

// credentials are what stands behind the word for the kind of a key in a header, and the password in it.
func credentials(text string) []string {
	kind, rest, ok := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(kind) {
	case "bearer", "token", "apikey", "api-key", "key":
		return []string{rest}
	case "basic":
		plain, err := base64.StdEncoding.DecodeString(rest)
		_, password, _ := strings.Cut(string(plain), ":")
		if err == nil && ok {
			return []string{rest, string(plain), password}
		}
		return []string{rest}
	}
	return nil
}

// Hide takes what is secret out of a text, the whole before its parts.
func (s *Secrets) Hide(text string) string {
	if s == nil {
		return text
	}
	s.mu.Lock()
	forms := s.forms
	s.mu.Unlock()
	for _, form := range forms {
		text = strings.ReplaceAll(text, form, "…")
	}
	return text
}

// Error is an error without secrets: itself, if it holds none, else only its words.
func (s *Secrets) Error(err error) error {
	if err == nil {
		return nil
	}
	if words := s.Hide(err.Error()); words != err.Error() {
		return errors.New(words)
	}
	return err
}

// Authorized adds a key and headers to requests that another client makes. An answer that is an error is read without
// them; from an error within another answer the client takes them by Secrets.
type Authorized struct {
	Secrets *Secrets

	next    http.RoundTripper
	headers http.Header
	key     func(context.Context) (string, error)
}

// NewAuthorized reaches a server by next. key is asked for each request; nil: there is none.
func NewAuthorized(next http.RoundTripper, headers http.Header, key func(context.Context) (string, error)) *Authorized {
	a := &Authorized{Secrets: &Secrets{}, next: next, headers: http.Header{}, key: key}
	for name, values := range headers {
		name = http.CanonicalHeaderKey(name)
		if name == "Accept-Encoding" || name == "Content-Type" { // those are the protocol's
			continue
		}
		a.headers[name] = slices.Clone(values)
		for _, value := range values {
			a.Secrets.Keep(value)
		}
	}
	return a
}

// RoundTrip implements http.RoundTripper.
func (a *Authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range a.headers {
		r.Header[name] = slices.Clone(values)
	}
	if a.key != nil {
		key, err := a.key(r.Context())
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrKey, err)
		}
		if key = strings.TrimSpace(key); key != "" {
			a.Secrets.Keep(key)
			r.Header.Set("Authorization", "Bearer "+key)
		}
	}
	resp, err := a.next.RoundTrip(r)
	if err != nil || resp.StatusCode < http.StatusBadRequest {
		return resp, err
	}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // what came until then says enough
	_ = resp.Body.Close()
	text = []byte(a.Secrets.Hide(string(text)))
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return resp, nil
}
