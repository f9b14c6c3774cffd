package agenttest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// The types below are the part of Ollama's protocol that the server needs. They are declared a second time on purpose:
// a test with the client's own types would not notice a wrong field name.

type chatBody struct {
	Model           string            `json:"model"`
	Messages        []chatMessage     `json:"messages"`
	Tools           []json.RawMessage `json:"tools"`
	Format          json.RawMessage   `json:"format"`
	Options         map[string]any    `json:"options"`
	Think           any               `json:"think"`
	KeepAlive       json.RawMessage   `json:"keep_alive"`
	DebugRenderOnly bool              `json:"_debug_render_only"`
	Suffix          string            `json:"suffix"`
}

type chatMessage struct {
	Role      string     `json:"role"`
	Content   string     `json:"content"`
	Images    [][]byte   `json:"images,omitempty"`
	Thinking  string     `json:"thinking,omitempty"`
	ToolName  string     `json:"tool_name,omitempty"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`
}

type toolCall struct {
	ID       string       `json:"id,omitempty"`
	Function toolFunction `json:"function"`
}

type toolFunction struct {
	Index     int             `json:"index"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type chatLine struct {
	Model      string      `json:"model"`
	RemoteHost string      `json:"remote_host,omitempty"`
	CreatedAt  time.Time   `json:"created_at"`
	Message    chatMessage `json:"message"`
	Done       bool        `json:"done"`
	DoneReason string      `json:"done_reason,omitempty"`
	*metrics
}

type metrics struct {
	TotalDuration      time.Duration `json:"total_duration"`
	LoadDuration       time.Duration `json:"load_duration"`
	PromptEvalCount    int           `json:"prompt_eval_count"`
	PromptEvalCached   *int          `json:"prompt_eval_cached_count,omitempty"`
	PromptEvalDuration time.Duration `json:"prompt_eval_duration"`
	EvalCount          int           `json:"eval_count"`
	EvalDuration       time.Duration `json:"eval_duration"`
}

type details struct {
	Format            string   `json:"format"`
	Family            string   `json:"family"`
	Families          []string `json:"families"`
	ParameterSize     string   `json:"parameter_size"`
	QuantizationLevel string   `json:"quantization_level"`
}

// digest differs from model to model.
func (m *installed) digest() string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%+v", *m)))
}

// vramOf is what of the model is in the memory of a GPU.
func (m *installed) vramOf() int64 {
	if m.vram == 0 {
		return m.bytes
	}
	return m.vram
}

// modified is when the model was installed.
func (m *installed) modified() time.Time {
	return time.Date(2025, time.January, 1, 12, 0, 0, 0, time.UTC)
}

func (m *installed) details() details {
	return details{"gguf", m.family, []string{m.family}, m.parameters, m.quantization}
}

// hasFormat distinguishes a schema from the forms of "no format".
func (b *chatBody) hasFormat() bool {
	f := strings.TrimSpace(string(b.Format))
	return f != "" && f != "null" && f != `""`
}

// readable is the request as a person would search it: every message, then every tool.
func (b *chatBody) readable() string {
	var s strings.Builder
	for _, m := range b.Messages {
		s.WriteString(m.Role + ": " + m.readable() + "\n")
	}
	for _, t := range b.Tools {
		s.WriteString("tool definition: " + string(t) + "\n")
	}
	return s.String()
}

// tokens is how many tokens the request takes, by a rough rule: four bytes to a token.
func (b *chatBody) tokens() int { return len(b.readable()) / 4 }

func (m chatMessage) readable() string {
	parts := []string{m.Content}
	for _, image := range m.Images {
		parts = append(parts, fmt.Sprintf("image: %x", sha256.Sum256(image)))
	}
	if m.Thinking != "" {
		parts = append(parts, "thinking: "+m.Thinking)
	}
	for _, c := range m.ToolCalls {
		parts = append(parts, "call: "+c.Function.Name+" "+string(c.Function.Arguments))
	}
	return strings.Join(parts, "\n")
}
