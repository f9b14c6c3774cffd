package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/internal/visible"
)

const (
	postTime  = 5 * time.Second // for one request to the collector
	closeTime = time.Second     // for all that is still to be sent when the program ends
	maxQueue  = 32              // batches that wait to be sent
	maxAnswer = 64 << 10        // bytes that are read of an answer
)

// batch is some spans of one run that are sent together.
type batch struct {
	spans []span
	warn  func(string) // says a sentence to the user; nil: not now
}

// errFull says that a batch found no place in the queue.
var errFull = errors.New("the collector answers too slowly")

// put has a batch sent, by one goroutine that ends when nothing is left.
func (e *Exporter) put(b batch) {
	e.mu.Lock()
	if len(e.queue) == maxQueue {
		e.mu.Unlock()
		e.report(b, errFull)
		return
	}
	defer e.mu.Unlock()
	e.queue = append(e.queue, b)
	if e.posting == nil {
		e.posting = make(chan struct{})
		go e.postAll(e.posting)
	}
}

func (e *Exporter) postAll(over chan<- struct{}) {
	defer close(over)
	for {
		e.mu.Lock()
		if len(e.queue) == 0 {
			e.posting = nil
			e.mu.Unlock()
			return
		}
		next := e.queue[0]
		e.queue = e.queue[1:]
		e.mu.Unlock()
		e.report(next, e.post(next.spans))
	}
}

// report tells the user that spans did not arrive: once, and again only after some did.
func (e *Exporter) report(b batch, err error) {
	e.mu.Lock()
	if err != nil && !e.told {
		e.failure = err
	}
	failure := e.failure
	if failure != nil && b.warn != nil {
		e.failure, e.told = nil, true
	}
	e.told = e.told && err != nil
	e.mu.Unlock()
	if failure != nil && b.warn != nil {
		b.warn(fmt.Sprintf("Not all traces arrived at %s (traceEndpoint in your settings): %s. "+
			"Runs go on without them.",
			visible.Line(shown(e.address)), visible.Line(failure.Error())))
	}
}

// shown is an address without its user and its query, in which tokens are.
func shown(address *url.URL) string {
	return (&url.URL{Scheme: address.Scheme, Host: address.Host, Path: address.Path}).String()
}

// post sends spans. The error is a part of a sentence for the user.
func (e *Exporter) post(spans []span) error {
	body, err := json.Marshal(e.request(spans))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(e.ctx, postTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.address.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "assent")
	answer, err := e.client.Do(request)
	if err != nil {
		return e.why(ctx, err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	switch {
	case answer.StatusCode >= http.StatusMultipleChoices && answer.StatusCode < http.StatusBadRequest:
		return errors.New("it sends us elsewhere, and that is not followed")
	case answer.StatusCode >= http.StatusBadRequest:
		return fmt.Errorf("it answers %s", answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return e.why(ctx, err)
	}
	return rejected(text)
}

// why words a failure of the connection without the address, which may hold a password.
func (e *Exporter) why(ctx context.Context, err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	switch {
	case e.ctx.Err() != nil:
		return errors.New("the program ended before they were sent")
	case ctx.Err() != nil:
		return fmt.Errorf("there is no answer within %v", postTime)
	}
	return err
}

// rejected reads what a collector says about spans that it did not take. An answer that it did not write in JSON says
// nothing.
func rejected(answer []byte) error {
	var said struct {
		PartialSuccess struct {
			RejectedSpans any // a number, which JSON of protocol buffers writes as text
			ErrorMessage  string
		}
	}
	_ = json.Unmarshal(answer, &said) // see above
	part := said.PartialSuccess
	if n := fmt.Sprint(part.RejectedSpans); part.RejectedSpans != nil && n != "0" {
		return fmt.Errorf(
			"it did not take %s spans: %s", visible.Shorten(n, 20), visible.Shorten(part.ErrorMessage, 200),
		)
	}
	return nil
}

// newClient asks the collector itself: no proxy of the environment, no redirect, and no connection that stays.
func newClient(n *network.Network) *http.Client {
	by := network.User{Who: "trace exporter", Why: "traces of runs"}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: n.Dialer(by, postTime).DialContext, TLSHandshakeTimeout: postTime,
			DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxAnswer,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
