// Package trace sends traces of runs to a collector of OpenTelemetry that the user named: how long each request to a
// model and each call took, and how it ended, by the semantic conventions for generative AI. Nobody named one: nothing
// is kept and nothing is sent.
package trace

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/internal/network"
)

// Options say where traces go and what is in them.
type Options struct {
	Endpoint string           // address of the collector; empty: there are no traces
	Content  bool             // messages, arguments and results are in them; else only names, counts and times
	Version  string           // of the program
	Network  *network.Network // connects to the collector
}

// Exporter sends the traces of all runs of a program. It is safe for concurrent use; a nil one has no traces.
type Exporter struct {
	Options
	address *url.URL
	client  *http.Client
	ctx     context.Context //nolint:containedctx // the life of all that is sent
	cancel  context.CancelFunc

	mu      sync.Mutex
	queue   []batch       // guarded by mu: what is still to be sent
	posting chan struct{} // guarded by mu: closed once the queue is empty; nil: it is, and nothing is being sent
	// guarded by mu: why spans did not arrive, which the user does not know yet; nil: they do, or all arrived
	failure error
	told    bool // guarded by mu: the user knows that traces do not arrive now
}

// New returns an exporter, which is nil if there is no endpoint. It opens no connection. The error is a sentence for
// the user.
func New(o Options) (*Exporter, error) {
	if o.Endpoint == "" {
		return nil, nil //nolint:nilnil // a nil exporter has no traces
	}
	address, err := url.Parse(o.Endpoint)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Hostname() == "" ||
		address.Fragment != "" {
		// It may hold a password, so it is not repeated.
		return nil, errors.New(
			"the address of the collector (traceEndpoint) cannot be used: write http://HOST:PORT, " +
				"such as http://127.0.0.1:4318",
		)
	}
	if strings.Trim(address.Path, "/") == "" {
		address.Path = "/v1/traces"
	}
	e := &Exporter{Options: o, address: address, client: newClient(o.Network)}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	return e, nil
}

// Run returns a sink for one run in a chat. warn says a sentence to the user; nil: nobody is there.
func (e *Exporter) Run(chat string, warn func(sentence string)) event.Sink {
	if e == nil {
		return nothing{}
	}
	return newRun(e, chat, warn)
}

// nothing is the sink of a run without a trace.
type nothing struct{}

func (nothing) Emit(event.Event) {}

// Close waits until all is sent, for at most a second; then it gives up, and the user is told of it.
func (e *Exporter) Close() {
	if e == nil {
		return
	}
	e.mu.Lock()
	posting := e.posting
	e.mu.Unlock()
	if posting == nil {
		return
	}
	select {
	case <-posting:
	case <-time.After(closeTime):
		e.cancel()
		<-posting
	}
}

// newID makes the ID of a trace or a span.
func newID(bytes int) string {
	id := make([]byte, bytes)
	_, _ = rand.Read(id) // it never fails
	return hex.EncodeToString(id)
}

// conversationID is the same for all runs in a chat, and does not say where it lies.
func conversationID(chat string) string {
	sum := sha256.Sum256([]byte(chat))
	return hex.EncodeToString(sum[:8])
}
