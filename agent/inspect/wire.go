package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
)

// body is a request as it goes over the wire, as far as it is shown in words.
type body struct {
	Messages []wireMessage   `json:"messages"`
	Tools    json.RawMessage `json:"tools"`
	Format   json.RawMessage `json:"format"`
	settings json.RawMessage // all else
}

func readBody(raw []byte) (b body, err error) {
	var rest map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(raw, &b), json.Unmarshal(raw, &rest)); err != nil {
		return b, err
	}
	for _, shown := range []string{"messages", "tools", "format"} {
		delete(rest, shown)
	}
	b.settings, err = json.Marshal(rest)
	return b, err
}

type wireMessage struct {
	Role      string          `json:"role"`
	Content   string          `json:"content"`
	Images    [][]byte        `json:"images"`
	ToolCalls json.RawMessage `json:"tool_calls"`
	ToolName  string          `json:"tool_name"`
	CallID    string          `json:"tool_call_id"`
}

func (m wireMessage) write(b *strings.Builder) {
	if m.ToolName != "" || m.CallID != "" {
		b.WriteString("The result of a call:\n\n")
		writeFenced(b, "", strings.TrimSpace(visible.Line(m.ToolName)+" "+visible.Line(m.CallID)))
		b.WriteString("\n")
	}
	if m.Content != "" || len(m.ToolCalls)+len(m.Images) == 0 {
		writeFenced(b, "", m.Content)
	}
	for i, image := range m.Images {
		fmt.Fprintf(b, "\nImage %d: %d bytes.\n", i+1, len(image))
	}
	if len(m.ToolCalls) > 0 {
		b.WriteString("\nCalls:\n\n")
		writeFenced(b, "json", indented(m.ToolCalls))
	}
}

func indented(raw json.RawMessage) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}
