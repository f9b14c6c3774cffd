package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxRounds is how often a call is sent again with what its server wanted to know.
const maxRounds = maxAsked

var (
	errInput  = errors.New("it wanted something first that it did not get")
	errRounds = errors.New("it wanted to know more and more before it answered")
	errBusy   = errors.New("it is busy: call it again later")
	errWants  = errors.New("it wants something before it answers that it cannot get here")
)

// rounds makes a call, and makes it again with the answers for as long as the server has questions: so it asks in the
// newer protocol.
func (c *connection) rounds(
	ctx context.Context, r *runningCall, first *sdk.CallToolParams,
) (*sdk.CallToolResult, error) {
	params := *first
	opened := false
	for range maxRounds + 1 {
		result, err := c.session.CallTool(ctx, &params)
		if wanted := addressesWanted(err); len(wanted) > 0 && !opened {
			opened = true // once: then it is the server's turn
			if err := c.openFirst(ctx, r, wanted); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil || !result.NeedsInput() {
			return result, err
		}
		if len(result.InputRequests) == 0 {
			return nil, errBusy
		}
		params.RequestState, params.InputResponses = result.RequestState, sdk.InputResponseMap{}
		for _, id := range slices.Sorted(maps.Keys(result.InputRequests)) {
			answer, err := c.inputFor(ctx, r, result.InputRequests[id])
			if err != nil {
				return nil, fmt.Errorf("%w: %w", errInput, err)
			}
			params.InputResponses[id] = answer
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return nil, errRounds
}

// inputFor is the answer to one of the questions of a server.
func (c *connection) inputFor(ctx context.Context, r *runningCall, wanted sdk.InputRequest) (sdk.InputResponse, error) {
	switch p := wanted.(type) {
	case *sdk.ElicitParams:
		return c.elicitFor(ctx, r, p)
	case *sdk.CreateMessageWithToolsParams:
		return c.sampleFor(ctx, r, p)
	case *sdk.ListRootsParams:
		return &sdk.ListRootsResult{Roots: c.roots}, nil
	}
	return nil, errWants
}

// addressesWanted are the addresses that a server wants to be opened before it answers, if that is why it refused a
// call.
func addressesWanted(err error) []*sdk.ElicitParams {
	refused, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || refused.Code != sdk.CodeURLElicitationRequired {
		return nil
	}
	var data struct {
		Elicitations []*sdk.ElicitParams `json:"elicitations"`
	}
	if json.Unmarshal(refused.Data, &data) != nil || slices.Contains(data.Elicitations, nil) {
		return nil
	}
	return data.Elicitations
}

var errNotOpened = errors.New("it wants an address to be opened first, and that was not done")

// openFirst asks the person to open addresses.
func (c *connection) openFirst(ctx context.Context, r *runningCall, wanted []*sdk.ElicitParams) error {
	for _, p := range wanted {
		p.Mode = "url"
		answer, err := c.elicitFor(ctx, r, p)
		if err != nil {
			return err
		}
		if answer.Action != accepted {
			return errNotOpened
		}
	}
	return nil
}
