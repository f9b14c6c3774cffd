package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
)

// The bounds of resources and prompts.
const (
	maxListed   = 1000 // of one server
	maxURI      = 2 << 10
	readLimit   = 30 * time.Second
	listedLimit = 2 * time.Second // for a list while somebody types
)

// Resource is something that a server lists for others to read.
type Resource struct {
	URI   string
	Name  string
	About string // what the server says about it, on one line
}

// ErrNoServer says that there is no such server, or that it does not count.
var ErrNoServer = errors.New("there is no such server")

// Names are the servers that count, whether they run or not.
func (s *Source) Names(ctx context.Context) []string {
	declared, _ := s.Declared(ctx)
	var names []string
	for _, d := range declared {
		if !d.Disabled && d.Why == "" {
			names = append(names, d.Name)
		}
	}
	return names
}

// Running are the names of the servers that run, sorted.
func (s *Source) Running() []string {
	s.mu.Lock()
	all := slices.Sorted(maps.Keys(s.servers))
	s.mu.Unlock()
	return slices.DeleteFunc(all, func(name string) bool { return s.running(name) == nil })
}

// running is the connection of a server that runs; nil: it does not. It starts none.
func (s *Source) running(name string) *connection {
	s.mu.Lock()
	server := s.servers[name]
	s.mu.Unlock()
	if server == nil {
		return nil
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	if server.live == nil || server.live.over() {
		return nil
	}
	return server.live
}

// Resources lists what a server that runs lists for others to read. It starts none, and waits for a short time.
func (s *Source) Resources(ctx context.Context, server string) []Resource {
	c := s.running(server)
	if c == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, listedLimit)
	defer cancel()
	return c.resources.get(ctx, c.listResources)
}

func (c *connection) listResources(ctx context.Context) (all []Resource, err error) {
	if c.capabilities().Resources == nil {
		return nil, nil
	}
	err = pages(func(cursor string) (next string, more bool, err error) {
		page, err := c.session.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return "", false, err
		}
		for _, r := range page.Resources {
			if r != nil && usable(r.URI) && c.hide(r.URI) == r.URI && len(all) < maxListed {
				about := c.short(strings.TrimSpace(r.Title + " " + r.Description))
				all = append(all, Resource{r.URI, c.short(r.Name), about})
			}
		}
		return page.NextCursor, len(all) < maxListed, nil
	})
	return all, err
}

// capabilities are what the server says that it has.
func (c *connection) capabilities() *sdk.ServerCapabilities {
	if said := c.session.InitializeResult(); said != nil && said.Capabilities != nil {
		return said.Capabilities
	}
	return &sdk.ServerCapabilities{}
}

// usable reports whether an address of a resource can be written in a message.
func usable(uri string) bool {
	return uri != "" && len(uri) <= maxURI && visible.Line(uri) == uri && !strings.ContainsAny(uri, "\"\r\n\t")
}

// short is what a server says about something, on one line and not long.
func (c *connection) short(said string) string {
	return visible.ForeignText(c.hide(said)).Line(maxSaying)
}

// pages asks for a list page by page, until it ends, has too much, or leads back to itself.
func pages(get func(cursor string) (next string, more bool, err error)) error {
	seen := map[string]bool{}
	for cursor := ""; ; {
		next, more, err := get(cursor)
		if err != nil || next == "" || !more || seen[next] || len(seen) > maxListed {
			return err
		}
		seen[next] = true
		cursor = next
	}
}

// Origin is that of the tools of a server, and of what it has besides.
func (s *Source) Origin(ctx context.Context, server string) (tools.Origin, error) {
	d, err := s.counting(ctx, server)
	if err != nil {
		return "", err
	}
	return d.Origin(), nil
}

// live is the connection of a server that counts, which is started if it does not run.
func (s *Source) live(ctx context.Context, name string) (*connection, error) {
	d, err := s.counting(ctx, name)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	server := s.servers[name]
	stopped := s.stopped[name]
	s.mu.Unlock()
	switch {
	case stopped:
		return nil, fmt.Errorf("the server %s was stopped by you", name)
	case server == nil || !server.same(d):
		return nil, fmt.Errorf("the server %s is not started yet", name)
	}
	c, err := server.connected(ctx)
	if err != nil {
		return nil, fmt.Errorf("the server %s %w", name, err)
	}
	return c, nil
}

// ReadResource reads a resource of a server, which is started if it does not run. What it gives is text: of what is
// none it says that. The error is a sentence without its end.
func (s *Source) ReadResource(ctx context.Context, server, uri string) ([]content.Part, error) {
	if !slices.Contains(s.Names(ctx), server) {
		return nil, ErrNoServer
	}
	if !usable(uri) {
		return nil, fmt.Errorf(
			"the server %s cannot be asked for this: its name is too long, or has characters that do not belong in one",
			server,
		)
	}
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	c, err := s.live(ctx, server)
	if err != nil {
		return nil, err
	}
	result, err := c.session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	if err != nil {
		err = c.listFailed(ctx, err)
	} else if len(result.InputRequests) > 0 {
		err = errWants
	}
	if err != nil {
		return nil, fmt.Errorf("the server %s does not give %s: %w", server, uri, err)
	}
	var parts []content.Part
	for _, r := range result.Contents {
		switch {
		case r == nil:
		case r.Blob != nil:
			kind := visible.Line(visible.Shorten(c.hide(r.MIMEType), 80))
			parts = append(
				parts, content.Text(fmt.Sprintf("[%d bytes of %s, which are no text, are left out.]", len(r.Blob), kind)),
			)
		default:
			parts = append(parts, content.Text(c.hide(strings.ToValidUTF8(r.Text, "\ufffd"))))
		}
	}
	if content.Plain(parts) == "" {
		return nil, fmt.Errorf("the server %s says that %s is empty", server, uri)
	}
	return parts, nil
}
