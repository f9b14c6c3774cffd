package lsp

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/wire"
)

// refreshTime is how long an answer to a refresh is waited for before the next one may be sent.
const refreshTime = 2 * time.Second

// refresher makes the editor ask again for what it shows of chats when that is something else without a change of the
// document.
type refresher struct {
	method string
	due    chan struct{} // has one when the editor is to be told

	mu    sync.Mutex
	shown map[string]string // guarded by mu, by documents.Key: what there was of a chat last
}

func newRefresher(method string) *refresher {
	return &refresher{method: method, due: make(chan struct{}, 1), shown: map[string]string{}}
}

// show takes what there is of a chat now; of a new one that is nothing.
func (r *refresher) show(uri, now string) {
	key := documents.Key(uri)
	r.mu.Lock()
	same := r.shown[key] == now
	r.shown[key] = now
	r.mu.Unlock()
	if !same {
		signal(r.due)
	}
}

// forget is for a document that was closed.
func (r *refresher) forget(uri string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.shown, documents.Key(uri))
}

// feed tells the editor until ctx is done, once at a time: one that never answers gathers no requests.
func (r *refresher) feed(ctx context.Context, client *wire.Client, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.due:
		}
		waits, cancel := context.WithTimeout(ctx, refreshTime)
		if err := client.Call(waits, r.method, nil, nil); err != nil {
			log.Info("the editor did not ask again", "method", r.method, "error", err)
		}
		cancel()
	}
}
