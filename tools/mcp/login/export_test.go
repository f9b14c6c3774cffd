package login

import (
	"context"
	"net/http"
	"net/url"

	"github.com/assent-ls/assent/internal/network"
)

// Outside is the way to authorization servers that a server names.
func Outside(server string, inside bool) *http.Client {
	u, err := url.Parse(server)
	if err != nil {
		panic(err)
	}
	return (&Account{URL: u, Store: open()}).outside(inside, nil).client()
}

func open() *Store { return &Store{network: network.New(false, nil)} }

// Public says why a server elsewhere sends nobody's browser to a host.
func Public(ctx context.Context, host string) error { return open().public(ctx, host) }

// Callback is where the browser comes back to with a state, and what waits for it.
func Callback(ctx context.Context, state string) (address string, wait func(), closed func(), err error) {
	c, err := listen(ctx, 0, func() string { return state })
	if err != nil {
		return "", nil, nil, err
	}
	return c.url, func() { _, _ = c.wait(ctx) }, c.close, nil
}
