package serve

import (
	"bytes"
	"cmp"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
)

// resultOf is a result as clients get it. A single structured value that is an object is given as one, and as text for
// clients that do not read it.
func resultOf(r tools.Result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{IsError: r.Failed, Content: []mcp.Content{}}
	values := 0
	for _, part := range r.Parts {
		out.Content = append(out.Content, contentOf(part))
		if value, ok := part.(content.Value); ok {
			if values++; values == 1 && bytes.HasPrefix(bytes.TrimSpace(value.JSON), []byte("{")) {
				out.StructuredContent = value.JSON
			}
		}
	}
	if values > 1 {
		out.StructuredContent = nil
	}
	if r.Failed && len(out.Content) == 0 {
		out.Content = append(out.Content, &mcp.TextContent{Text: "The tool failed, and does not say why."})
	}
	return out
}

func contentOf(part content.Part) mcp.Content {
	switch part := part.(type) {
	case content.Image:
		return &mcp.ImageContent{Data: part.Data, MIMEType: part.Type()}
	case content.Audio:
		return &mcp.AudioContent{Data: part.Data, MIMEType: part.Type}
	case content.Link:
		// the protocol wants a name
		return &mcp.ResourceLink{URI: part.URI, Name: cmp.Or(part.Name, part.URI), MIMEType: part.Type}
	case content.Resource:
		return &mcp.EmbeddedResource{
			Resource: &mcp.ResourceContents{URI: part.URI, MIMEType: part.Type, Text: part.Text, Blob: part.Data},
		}
	}
	return &mcp.TextContent{Text: part.String()}
}
