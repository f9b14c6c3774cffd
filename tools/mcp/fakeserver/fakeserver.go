// Package fakeserver is an MCP server for tests of those who use tools/mcp: in memory, without a process or a network.
package fakeserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server is what a server has, as JSON says it. Its tool asks one thing after the other, and says the answers.
type Server struct {
	Tool      string // its name; empty: look_up
	Asks      []*sdk.ElicitParams
	Samples   []*sdk.CreateMessageWithToolsParams // what it asks the model after that
	Links     []string                            // of resources, in the answer
	Resources map[string]string                   // texts by their addresses
	// texts by their names, each of which wants a file, and perhaps a style
	Prompts map[string]string
	Silent  string // the method that it never answers
}

// Reach makes what reaches such a server, as mcp.Options want it. It is called outside of the bubble of a test, or
// inside.
func Reach(t *testing.T, server []byte) func(url string) sdk.Transport {
	t.Helper()
	var s Server
	if err := json.Unmarshal(server, &s); err != nil {
		t.Fatal(err)
	}
	return func(string) sdk.Transport { return s.start(t) }
}

func (s Server) start(t *testing.T) sdk.Transport {
	server := sdk.NewServer(&sdk.Implementation{Name: "fake", Version: "1"}, nil)
	server.AddTool(
		&sdk.Tool{
			Name: cmp.Or(s.Tool, "look_up"), Description: "Look something up.", InputSchema: json.RawMessage(`{"type":"object"}`),
		},
		s.lookUp,
	)
	for uri, text := range s.Resources {
		server.AddResource(&sdk.Resource{
			URI: uri, Name: uri, Description: "a note",
		}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, Text: text}}}, nil
		})
	}
	for name, text := range s.Prompts {
		arguments := []*sdk.PromptArgument{{Name: "file", Required: true}, {Name: "style"}}
		server.AddPrompt(&sdk.Prompt{
			Name: name, Description: "a review", Arguments: arguments,
		}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			said := fmt.Sprintf("%s %v", text, r.Params.Arguments)
			return &sdk.GetPromptResult{
				Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: said}}},
			}, nil
		})
	}
	server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			if method == s.Silent {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return next(ctx, method, r)
		}
	})
	ours, theirs := sdk.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), theirs, nil); err != nil {
		t.Error(err)
	}
	return ours
}

// lookUp asks the next thing until all is asked.
func (s Server) lookUp(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	said := r.Params.RequestState
	if answer := r.Params.InputResponses["q"]; answer != nil {
		var content any = answer
		if filled, ok := answer.(*sdk.ElicitResult); ok {
			said += filled.Action + " "
			content = filled.Content
		}
		text, err := json.Marshal(content)
		if err != nil {
			return nil, err
		}
		said += string(text) + "\n"
	}
	switch n := strings.Count(said, "\n"); {
	case n < len(s.Asks):
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"q": s.Asks[n]}, RequestState: said}, nil
	case n < len(s.Asks)+len(s.Samples):
		return &sdk.CallToolResult{
			InputRequests: sdk.InputRequestMap{"q": s.Samples[n-len(s.Asks)]}, RequestState: said,
		}, nil
	}
	result := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: said}}}
	for _, uri := range s.Links {
		result.Content = append(result.Content, &sdk.ResourceLink{URI: uri, Name: "see"})
	}
	return result, nil
}
