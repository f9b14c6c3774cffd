package serve

import (
	"context"
	"net"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeWithoutToken serves HTTP to whoever names this computer, for the official suite, which sends no token.
func (s *Server) ServeWithoutToken(ctx context.Context, l net.Listener) error {
	return s.listen(ctx, l, guard{next: s.Handler(HTTP)})
}

// SDK is the SDK's server, for the resources and prompts that the official suite wants by name.
func (s *Server) SDK() *mcp.Server { return s.mcp }

// Closed reports whether the calls of all clients are stopped.
func (s *Server) Closed() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}
