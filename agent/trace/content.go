package trace

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/assent-ls/assent/agent/model"
)

const (
	maxContent = 32 << 10 // bytes of one attribute with content
	maxName    = 200      // bytes of a name
)

// message is one of gen_ai.input.messages and gen_ai.output.messages.
type message struct {
	Role         string `json:"role"`
	Parts        []part `json:"parts"`
	FinishReason string `json:"finish_reason,omitempty"`
}

type part struct {
	Type      string          `json:"type"`
	Content   string          `json:"content,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Response  *string         `json:"response,omitempty"`
}

// room is how many bytes of content there is room for.
type room struct{ left int }

// take is a text, in valid UTF-8, as far as there is room for it; it says what is left out.
func (r *room) take(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	cut := min(len(text), r.left)
	for cut < len(text) && cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	r.left -= cut
	if cut == len(text) {
		return text
	}
	return fmt.Sprintf("%s\n[%d bytes more are left out of this trace]", text[:cut], len(text)-cut)
}

// bounded is a text of at most maxContent bytes.
func bounded(text string) string { return (&room{maxContent}).take(text) }

// name is a short text that may come from a model.
func name(text string) string { return (&room{maxName}).take(text) }

// call is a part for a call.
func (r *room) call(id, tool string, arguments json.RawMessage) part {
	p := part{Type: "tool_call", ID: id, Name: name(tool)}
	text := r.take(string(arguments))
	// cut, or never good: it is shown as text
	if p.Arguments = json.RawMessage(text); text != string(arguments) || !json.Valid(p.Arguments) {
		p.Arguments = asJSON(text)
	}
	return p
}

// asked are the messages of a request, the newest first considered: what there is no room for is left out, and that is
// said.
func asked(messages []model.Message) string {
	r := &room{maxContent}
	from := len(messages)
	all := make([]message, len(messages))
	for from > 0 && r.left > 0 {
		from--
		all[from] = r.message(messages[from])
	}
	if from > 0 {
		from--
		text := fmt.Sprintf("[%d messages are left out of this trace]", from+1)
		all[from] = message{Role: string(messages[from].Role), Parts: []part{{Type: "text", Content: text}}}
	}
	return string(asJSON(all[from:]))
}

// message is one of the messages of a request. Images are only counted.
func (r *room) message(m model.Message) message {
	out := message{Role: string(m.Role), Parts: []part{}}
	switch {
	case m.Role == model.RoleTool:
		out.Parts = append(
			out.Parts,
			part{Type: "tool_call_response", ID: m.CallID, Name: name(m.ToolName), Response: new(r.take(m.Text))},
		)
	case m.Text != "":
		out.Parts = append(out.Parts, part{Type: "text", Content: r.take(m.Text)})
	}
	for _, call := range m.Calls {
		out.Parts = append(out.Parts, r.call(call.ID, call.Name, call.Arguments))
	}
	if len(m.Images) > 0 {
		out.Parts = append(
			out.Parts,
			part{Type: "text", Content: fmt.Sprintf("[%d images or sounds are left out of this trace]", len(m.Images))},
		)
	}
	return out
}

func asJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}
