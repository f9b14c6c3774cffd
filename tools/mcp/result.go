package mcp

import (
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/mcp/tooldef"
)

// result is what a tool answered. hide takes out what the server was told in confidence.
func result(d *tooldef.Definition, r *sdk.CallToolResult, hide func(string) string) tools.Result {
	out := tools.Result{Failed: r.IsError}
	for _, c := range r.Content {
		out.Parts = append(out.Parts, part(c, hide))
	}
	out.Parts = append(out.Parts, structured(d, r, hide)...)
	if len(out.Parts) == 0 || content.Plain(out.Parts) == "" && len(content.Images(out.Parts)) == 0 {
		out.Parts = content.Texts("[The tool answered, and said nothing.]")
		if r.IsError {
			out.Parts = content.Texts("[The tool failed, and did not say why.]")
		}
	}
	return out
}

// part is a piece of a result.
func part(c sdk.Content, hide func(string) string) content.Part {
	switch c := c.(type) {
	case *sdk.TextContent:
		return content.Text(hide(c.Text))
	case *sdk.ImageContent:
		image, err := content.NewImage(c.Data)
		if err != nil {
			return content.Text(fmt.Sprintf("[An image of the answer %v.]", err))
		}
		return image
	case *sdk.AudioContent:
		sound, err := content.NewImage(c.Data)
		if err != nil {
			return content.Audio{Type: c.MIMEType, Data: c.Data}
		}
		return sound
	case *sdk.ResourceLink:
		return content.Link{URI: hide(c.URI), Name: hide(c.Name), Type: c.MIMEType}
	case *sdk.EmbeddedResource:
		if r := c.Resource; r != nil {
			return content.Resource{
				Link: content.Link{URI: hide(r.URI), Type: r.MIMEType}, Text: hide(r.Text), Data: r.Blob,
			}
		}
	}
	return content.Text("[A part of the answer cannot be shown here.]")
}

// maxStructured is how deep lists and objects may lie in each other in the structured part of a result: of more, the
// message was cut.
const maxStructured = tooldef.MaxMessageDepth - 10

// structured is the structured part of a result, unless a text says the same, and what is wrong with it.
func structured(d *tooldef.Definition, r *sdk.CallToolResult, hide func(string) string) (parts []content.Part) {
	if r.StructuredContent == nil {
		return nil
	}
	if tooldef.Depth(r.StructuredContent) > maxStructured {
		return content.Texts("[The structured part of the answer is nested too deeply to be read.]")
	}
	raw, err := json.Marshal(r.StructuredContent)
	if err != nil {
		return content.Texts("[The structured part of the answer cannot be read.]")
	}
	said := false
	for _, c := range r.Content {
		text, ok := c.(*sdk.TextContent)
		said = said || ok && tools.Canonical([]byte(text.Text)) == tools.Canonical(raw)
	}
	if !said {
		parts = append(parts, content.Value{JSON: json.RawMessage(hide(string(raw)))})
	}
	if d.Output != nil && !r.IsError {
		if err := d.Output.Validate(r.StructuredContent); err != nil {
			parts = append(
				parts,
				content.Text(fmt.Sprintf(
					"[The structured part of the answer does not fit what the tool says about its answers: %s.]",
					plain(err, hide),
				)),
			)
		}
	}
	return parts
}

// rawJSON is JSON that is sent as it is.
type rawJSON []byte

// MarshalJSON implements json.Marshaler.
func (r rawJSON) MarshalJSON() ([]byte, error) { return r, nil }
