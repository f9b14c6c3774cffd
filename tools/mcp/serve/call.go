package serve

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// invalid is the protocol's error for a call that cannot be one.
func invalid(sentence string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: sentence}
}

// failed is the result of a call that did not do what it should, which the model of the client reads.
func failed(sentence string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: sentence}}}
}

// callOf is a call as the dispatcher gets it. described are the tools that the client was told of.
func (s *Server) callOf(r *mcp.CallToolRequest, described []string) tools.Call {
	return tools.Call{
		Name: r.Params.Name, Arguments: r.Params.Arguments, Reads: s.sessionOf(r).reads, Caller: policy.Remote,
		Client: clientName(r.ClientInfo()), Mode: s.options.Mode, Described: described,
	}
}

// call serves tools/call: the one way on which a client reaches a tool.
func (s *Server) call(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ctx, cancel := s.untilClosed(ctx)
	defer cancel()
	if r.Params.RequestState != "" || len(r.Params.InputResponses) > 0 {
		return s.answered(ctx, r)
	}
	d, names := s.now()
	p := d.Prepare(ctx, s.callOf(r, names))
	switch {
	case p.Answered != nil && p.Invalid:
		_, err := d.Execute(ctx, p, nil) // puts the call into the log; nothing runs
		return nil, errors.Join(err, invalid(p.Answered.Text()))
	case p.Answered == nil && (p.Decision.Verdict != policy.Run || p.Spec.Effect.ByPerson()):
		return s.ask(ctx, r, d, p)
	}
	return s.execute(ctx, r, d, p)
}

// execute runs a call that may run, and reports how far it is.
func (s *Server) execute(
	ctx context.Context, r *mcp.CallToolRequest, d *tools.Dispatcher, p tools.Prepared,
) (*mcp.CallToolResult, error) {
	ask := canAsk(r.ClientCapabilities())
	if ask && r.ProtocolVersion() >= sessionless {
		return s.follow(ctx, r, d, p, s.begin(ctx, r, d, p))
	}
	reports := report(ctx, r)
	var to tools.Reporter = reports
	if ask {
		to = asking{reports, func(ctx context.Context, in *inquiry) { s.elicit(ctx, r, in) }}
	}
	result, err := s.run(ctx, d, p, reports, to)
	return resultFor(ctx, result, err)
}

// run executes a call, and tells what it did to files.
func (s *Server) run(
	ctx context.Context, d *tools.Dispatcher, p tools.Prepared, reports *reporter, to tools.Reporter,
) (tools.Result, error) {
	result, err := d.Execute(ctx, p, to)
	reports.end()
	if len(result.Changes) > 0 && s.options.Changed != nil {
		s.options.Changed(p.Spec.Name, result.Changes)
	}
	return result, err
}

// resultFor is the answer to a request whose call has ended.
func resultFor(ctx context.Context, result tools.Result, err error) (*mcp.CallToolResult, error) {
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, ctx.Err()
	case errors.Is(err, tools.ErrChanged):
		return failed(
			"What the call would do has changed while it waited, so nothing was done: call the tool again.",
		), nil
	case err != nil:
		result = tools.Failed("Nothing was done: " + err.Error() + ".")
	}
	return resultOf(result), nil
}
