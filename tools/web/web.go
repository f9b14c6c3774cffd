// Package web has the tools that get something from the web, for users who switch them on. A page is asked for at
// addresses of the public internet alone, which are checked when they are dialled: whatever a name, a redirect or a
// spelling says. What comes back is Markdown, and marked as somebody else's words by the dispatcher.
package web

import (
	"context"
	"net/url"
	"slices"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/web/address"
)

// Options of New. The functions are called when the tools are listed and used, and say what the user's settings say
// then.
type Options struct {
	Fetch    func() bool     // whether pages may be fetched
	Endpoint func() string   // of a SearXNG server; empty: no search
	Private  func() []string // hosts that may be outside the public internet
	Network  *network.Network
	Connect  Connect // in place of the network: tests do without one; nil: by the network
}

// Source are the tools of the web.
type Source struct{ options Options }

// New makes the source. It connects to nothing.
func New(o Options) *Source {
	if o.Connect == nil {
		o.Connect = connectBy(o.Network)
	}
	return &Source{o}
}

// Name implements tools.Source.
func (*Source) Name() string { return "the web" }

// Quiet implements tools.Quiet: it is asked what it has, and nothing is started for that.
func (*Source) Quiet() {}

// Tools implements tools.Source.
func (s *Source) Tools(context.Context) ([]tools.Tool, <-chan struct{}, error) {
	return s.List(), tools.Outdated(), nil // settings change unseen
}

// List are the tools that the user switched on.
func (s *Source) List() []tools.Tool {
	var list []tools.Tool
	if s.options.Fetch() {
		list = append(list, s.fetch())
	}
	if s.options.Endpoint() != "" {
		list = append(list, s.search())
	}
	return list
}

// isPrivate reports whether the user lists a host, spelt as address.Host does: all of it, or the port that they name
// alone.
func (s *Source) isPrivate(host, port string) bool {
	return slices.ContainsFunc(s.options.Private(), func(listed string) bool {
		u := &url.URL{Host: listed}
		name, err := address.Host(u.Hostname())
		return err == nil && name == host && (u.Port() == "" || u.Port() == port)
	})
}
