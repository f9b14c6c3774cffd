package login

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/assent-ls/assent/internal/visible"
)

const callbackPath = "/callback"

// page is what the browser shows at last. The login itself may still fail: the person reads that where they began it.
const page = `<!doctype html><meta charset="utf-8"><title>Assent</title><p>Assent has the answer. You can close this page.</p>`

// callback is where the browser comes back to: once, with the state that it was sent away with.
type callback struct {
	url    string
	server *http.Server
	answer chan callbackAnswer

	answered atomic.Bool
}

type callbackAnswer struct {
	*auth.AuthorizationResult
	err error
}

// listen takes a port of this machine, which nobody else can reach. wanted is the state of the one answer that counts;
// an empty one is none yet.
func listen(ctx context.Context, port int, wanted func() string) (*callback, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("the browser cannot come back: %w", err)
	}
	host := l.Addr().String()
	c := &callback{url: "http://" + host + callbackPath, answer: make(chan callbackAnswer, 1)}
	c.server = &http.Server{ReadTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10, Handler: http.HandlerFunc(func(
		w http.ResponseWriter, r *http.Request,
	) {
		query, state := r.URL.Query(), wanted()
		if r.Method != http.MethodGet || r.Host != host || r.URL.Path != callbackPath || state == "" ||
			subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(state)) != 1 {
			http.Error(w, "This is no answer that Assent waits for.", http.StatusBadRequest)
			return
		}
		answer := callbackAnswer{AuthorizationResult: &auth.AuthorizationResult{
			Code: query.Get("code"), State: state, Iss: query.Get("iss"),
		}}
		if answer.Code == "" || query.Has("error") {
			answer.err = fmt.Errorf(
				"the authorization server said no: %s",
				visible.Line(visible.Shorten(query.Get("error")+" "+query.Get("error_description"), 300)),
			)
		}
		if !c.answered.CompareAndSwap(false, true) {
			http.Error(w, "Assent has its answer already.", http.StatusBadRequest)
			return
		}
		c.answer <- answer
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Content-Security-Policy", "default-src 'none'")
		_, _ = w.Write([]byte(page))
	})}
	go func() { _ = c.server.Serve(l) }() // until it is closed
	return c, nil
}

// wait waits for the browser.
func (c *callback) wait(ctx context.Context) (*auth.AuthorizationResult, error) {
	select {
	case a := <-c.answer:
		return a.AuthorizationResult, a.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, fmt.Errorf("nobody logged in within %v", limit)
		}
		return nil, ctx.Err()
	}
}

// close lets the page that is being sent arrive.
func (c *callback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close()
	}
}
