// Package backendtest is what all backends must do alike when a server fails, as one table of tests.
package backendtest

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/agent/model"
)

// Protocol is what differs between the backends.
type Protocol struct {
	New     func(t *testing.T, to Way) model.Backend
	Healthy func(t *testing.T) http.Handler // a server that answers every chat
	Model   string                          // that it has
	Chats   string                          // the path of chats
	Piece   string                          // a part of a reply, which says "one"
	Fails   func(text string) string        // a part of a reply that is an error
	List    string                          // how a list of models begins
	Remedy  string                          // where a user corrects the address
	Other   string                          // what is said of what speaks another protocol
	Packed  model.Kind                      // of a packed reply
}

// Way says how a server is reached.
type Way struct {
	URL     string
	Over    http.RoundTripper // nil: TCP
	Key     string            // empty: none
	Headers http.Header
}

// The ways to ask something.
type ask func(context.Context, model.Backend, string) (text string, err error)

func chat(ctx context.Context, b model.Backend, name string) (text string, err error) {
	req := model.Request{Model: name, Messages: []model.Message{{Role: model.RoleUser, Text: "?"}}}
	err = b.Chat(ctx, req, func(c model.Chunk) error {
		if text == "" { // how it begins says enough
			text = c.Text
		}
		return nil
	})
	return text, err
}

func list(ctx context.Context, b model.Backend, _ string) (string, error) {
	_, err := b.Models(ctx)
	return "", err
}

func version(ctx context.Context, b model.Backend, _ string) (string, error) {
	_, err := b.Version(ctx)
	return "", err
}

func describe(ctx context.Context, b model.Backend, name string) (string, error) {
	_, err := b.Describe(ctx, name)
	return "", err
}

func preload(ctx context.Context, b model.Backend, name string) (string, error) {
	return "", b.Preload(ctx, name, 0, 0)
}

// Failures runs the tests.
func Failures(t *testing.T, p Protocol) {
	t.Run("nobody there", p.nobodyThere)
	t.Run("answers", p.answers)
	t.Run("redirects", p.redirects)
	t.Run("silence", p.silence)
	t.Run("secrets", p.secrets)
	t.Run("environment", p.environment)
	t.Run("many at once", p.concurrent)
}

// failed checks that an error is one clear sentence of a kind.
func failed(t *testing.T, err error, kind model.Kind, words ...string) {
	t.Helper()
	failure, ok := errors.AsType[*model.Error](err)
	if !ok || failure.Kind != kind || strings.Contains(failure.Sentence, "\n") ||
		!strings.HasSuffix(failure.Sentence, ".") {
		t.Errorf("got %#v: %v", err, err)
		return
	}
	for _, w := range words {
		if !strings.Contains(failure.Sentence, w) {
			t.Errorf("%q lacks %q", failure.Sentence, w)
		}
	}
}

// serve is a server whose chats one handler answers; all: everything.
func (p Protocol) serve(t *testing.T, handler http.HandlerFunc, all bool) (url string) {
	t.Helper()
	healthy := p.Healthy(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if all || r.URL.Path == p.Chats {
			handler(w, r)
			return
		}
		healthy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func (p Protocol) nobodyThere(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	_ = listener.Close()
	for _, asks := range []ask{version, list, describe, chat, preload} {
		_, err := asks(t.Context(), p.New(t, Way{URL: url}), p.Model)
		failed(t, err, model.Unreachable, url, p.Remedy)
	}
	_, err = version(t.Context(), p.New(t, Way{URL: "http://nowhere.invalid:1"}), p.Model)
	failed(t, err, model.Unreachable, "There is no machine called \"nowhere.invalid\"", p.Remedy)
}

// endless writes a text over and over until nobody reads, at most a gigabyte.
func endless(head, text string) http.HandlerFunc {
	block := strings.Repeat(text, 1+(64<<10)/len(text))
	return func(w http.ResponseWriter, _ *http.Request) {
		if _, err := io.WriteString(w, head); err != nil {
			return
		}
		for written := 0; written < 1<<30; written += len(block) {
			if _, err := io.WriteString(w, block); err != nil {
				return
			}
		}
	}
}

func writes(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

func (p Protocol) answers(t *testing.T) {
	for _, test := range []struct {
		name  string
		ask   ask
		all   bool // the handler answers everything, and not chats alone
		serve http.HandlerFunc
		kind  model.Kind
		words string
		text  string // that came before
	}{
		{"a page", version, true, writes("<html>hello"), model.Refused, p.Other, ""},
		{"other JSON", version, true, writes(`{"hello":1}`), model.Refused, p.Other, ""},
		{"a header without end", list, true, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		}, model.Refused, "a header of more than 64 kB", ""},
		{
			"a list without end", list, true, endless(p.List, " "), model.Refused,
			" MiB, which none needs, so it was not read", "",
		},
		{
			"a list of empty models", list, true, endless(p.List+"{}", ",{}"), model.Refused, "more than 65536 objects",
			"",
		},
		{"a packed reply", chat, false, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, p.Piece)
			_ = z.Close()
		}, p.Packed, "compressed", ""},
		{
			"a line without end", chat, false, endless(p.Piece, "x"), model.Incomplete, "a line of more than 8 MB",
			"one",
		},
		{
			"a reply without end", chat, false,
			endless("", strings.Replace(p.Piece, "one", strings.Repeat("x", 256<<10), 1)), model.Incomplete,
			"more than 64 MiB", "x",
		},
		{
			"a reply that ends early", chat, false, writes(p.Piece), model.Incomplete,
			"ended the reply before it was whole", "one",
		},
		{"nothing", chat, false, writes(""), model.Incomplete, "ended the reply before it was whole", ""},
		{
			"an error in the middle", chat, false, writes(p.Piece + p.Fails("it broke")), model.Incomplete, "it broke",
			"one",
		},
		{"a connection that breaks off", chat, false, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, p.Piece)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, model.Incomplete, "broke off", "one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := p.New(t, Way{URL: p.serve(t, test.serve, test.all)})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			text, err := test.ask(t.Context(), b, p.Model)
			runtime.ReadMemStats(&after)
			failed(t, err, test.kind, test.words)
			if !strings.HasPrefix(text, test.text) || test.text == "" && text != "" {
				t.Errorf("%.20q had come", text)
			}
			// the server's own count, too: of a reply that is 64 MiB long, a multiple
			if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 2048 {
				t.Errorf("reading it took %d MiB", took)
			}
		})
	}
}

// redirects are never followed, not to another host, port, scheme or path: they would carry what the user sent
// elsewhere.
func (p Protocol) redirects(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	for _, to := range []string{
		other.URL + "/api/version", strings.Replace(other.URL, "http:", "https:", 1), "https://127.0.0.1/x",
		"//localhost/y", "/elsewhere",
	} {
		for _, status := range []int{301, 302, 307, 308, 300} {
			url := p.serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/elsewhere" {
					elsewhere.Add(1)
				}
				w.Header().Set("Location", to)
				w.WriteHeader(status)
				_, _ = io.WriteString(w, p.Piece) // as if it were an answer
			}, true)
			for _, asks := range []ask{version, list, chat} {
				_, err := asks(t.Context(), p.New(t, Way{URL: url}), p.Model)
				failed(t, err, model.Refused, "sends on to another address")
			}
		}
	}
	if n := elsewhere.Load(); n > 0 {
		t.Errorf("%d requests went where the redirects lead", n)
	}
}

// never accepts requests and does not answer.
type never struct{}

func (never) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// silence: what a server answers at once is given up soon.
func (p Protocol) silence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := p.New(t, Way{URL: "http://memory", Over: never{}})
		for _, test := range []struct {
			ask  ask
			most time.Duration
		}{{version, 2 * time.Second}, {list, 10 * time.Second}, {describe, 10 * time.Second}} {
			began := time.Now()
			_, err := test.ask(t.Context(), b, p.Model)
			failed(t, err, model.Unreachable, "answers at")
			if took := time.Since(began); took > test.most { // of fake time
				t.Errorf("it took %v", took)
			}
		}
	})
}

// secrets: no key and no header is in an error or its causes, in whatever form and place the server repeats it.
func (p Protocol) secrets(t *testing.T) {
	const key, token = `sk-se"cret/1234`, "hunter2hunter2"
	for _, form := range []string{
		"Bearer " + key, key, fmt.Sprintf("%q", key), "sk-se%22cret%2F1234", "X-Token: " + token,
	} {
		for _, status := range []int{200, 400, 401, 404, 429, 500} {
			said := "you sent " + form + " " + strings.Repeat("and more ", 10) + form
			url := p.serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("X-Token") != token {
					t.Errorf("%s has %v", r.URL.Path, r.Header)
				}
				if w.WriteHeader(status); status != http.StatusOK {
					_, _ = io.WriteString(w, said)
					return
				}
				_, _ = io.WriteString(w, p.Fails(said))
			}, status != http.StatusOK)
			b := p.New(t, Way{URL: url, Key: key, Headers: http.Header{"X-Token": {token}}})
			for _, asks := range []ask{chat, list} {
				_, err := asks(t.Context(), b, p.Model)
				if err == nil && status != http.StatusOK {
					t.Errorf("%d, %s: no error", status, form)
				}
				for cause := err; cause != nil; cause = errors.Unwrap(cause) {
					text := fmt.Sprintf("%v %+v %#v", cause, cause, cause)
					if strings.Contains(text, "cret") || strings.Contains(text, "hunter2") {
						t.Errorf("%d, %s: %s", status, form, text)
					}
				}
			}
		}
	}
}

// environment: no proxy of it is used.
func (p Protocol) environment(t *testing.T) {
	var proxied atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { proxied.Add(1) }))
	t.Cleanup(proxy.Close)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	t.Setenv("NO_PROXY", "")
	t.Setenv("no_proxy", "")
	healthy := httptest.NewServer(p.Healthy(t))
	t.Cleanup(healthy.Close)
	// it is this machine, but not by a loopback address
	url := strings.Replace(healthy.URL, "127.0.0.1", "0.0.0.0", 1)
	if _, err := chat(t.Context(), p.New(t, Way{URL: url}), p.Model); err != nil {
		t.Error(err)
	}
	if proxied.Load() > 0 {
		t.Error("the proxy of the environment was asked")
	}
}

// concurrent: many requests at once, after which no goroutine is left.
func (p Protocol) concurrent(t *testing.T) {
	healthy := httptest.NewServer(p.Healthy(t))
	t.Cleanup(healthy.Close)
	b := p.New(t, Way{URL: healthy.URL})
	if _, err := chat(t.Context(), b, p.Model); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	errs := make(chan error)
	asks := []ask{chat, describe, list, version}
	for i := range 4 * len(asks) {
		go func() {
			_, err := asks[i%len(asks)](t.Context(), b, p.Model)
			errs <- err
		}()
	}
	for range 4 * len(asks) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		runtime.Gosched() // the last connections are being closed
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines became %d", before, after)
	}
}
