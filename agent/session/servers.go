package session

import (
	"context"
	"errors"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/policy"
)

// mcpServers are the MCP servers of the workspace for those who complete mentions.
type mcpServers struct{ *mcp.Source }

// Resources implements attach.Servers.
func (s mcpServers) Resources(ctx context.Context, server string) []attach.Resource {
	var all []attach.Resource
	for _, r := range s.Source.Resources(ctx, server) {
		about := r.Name
		if r.About != "" {
			about += ": " + r.About
		}
		all = append(all, attach.Resource{URI: r.URI, About: about})
	}
	return all
}

// mentionedServers are those whose resources can be mentioned; nil: there are none.
func (e Environment) mentionedServers() attach.Servers {
	if e.Servers == nil {
		return nil
	}
	return mcpServers{e.Servers}
}

// readTool is what a rule calls the reading of a resource of a server.
const readTool = "read_resource"

// resource reads resources of servers, unless a rule forbids it.
func (e Environment) resource(chat string) agent.Resource {
	if e.Servers == nil {
		return nil
	}
	return func(ctx context.Context, server, uri string) ([]content.Part, error) {
		if err := e.mayRead(ctx, chat, server, uri); err != nil {
			return nil, err
		}
		parts, err := e.Servers.ReadResource(ctx, server, uri)
		if errors.Is(err, mcp.ErrNoServer) {
			err = attach.ErrNoMention
		}
		return parts, err
	}
}

// mayRead says why a rule forbids that a person reads something of a server.
func (e Environment) mayRead(ctx context.Context, chat, server, what string) error {
	origin, err := e.Servers.Origin(ctx, server)
	if err != nil {
		return attach.ErrNoMention
	}
	r := policy.Request{
		Tool: readTool, Origin: string(origin), Effect: effect.Queries, Target: what, Caller: policy.Person, Chat: chat,
	}
	if e.Workspace != nil {
		r.Workspace = e.Workspace.Key()
	}
	if d := e.Policy.Decide(r); d.Verdict == policy.Refuse {
		return errors.New("refused: " + d.Reason)
	}
	return nil
}
