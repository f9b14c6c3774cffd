package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
)

// marksBlock is the name of the context block that says that the model reads control marks with a dot. It is not sent.
const marksBlock = "control marks"

// guard knows which control marks must not reach a model from outside, and which it is to write itself.
type guard struct {
	control model.Control
	own     []string
}

// newGuard gathers the marks of a model: its family's, its template's, and the tags around results in all formats that it may
// know; the server's own rendering of native results uses them, too.
func newGuard(profiles *model.Profiles, profile model.Profile, info model.Info, format toolcall.Format) guard {
	marks := profiles.Marks(profile, info)
	for _, name := range profile.Formats {
		if f, err := toolcall.ByName(name); err == nil {
			marks = append(marks, toolcall.ResultMarks(f)...)
		}
	}
	marks = append(marks, toolcall.ResultMarks(format)...)
	return guard{control: model.NewControl(marks), own: toolcall.OwnMarks(format)}
}

// turn is a turn as the model may read it: nothing in it is a control mark but what the model was to write itself.
func (g guard) turn(t toolcall.Turn) toolcall.Turn {
	harmless := g.control.Escape
	if t.Role == model.RoleAssistant {
		harmless = func(text string) string { return g.control.Defuse(text, g.own) }
	}
	t.Text, t.Thinking, t.Asked, t.Raw = harmless(t.Text), harmless(t.Thinking), harmless(t.Asked), harmless(t.Raw)
	t.Name, t.CallID = g.control.Escape(t.Name), g.control.Escape(t.CallID)
	t.Calls = slices.Clone(t.Calls)
	for i, call := range t.Calls {
		t.Calls[i] = toolcall.Call{
			ID: g.control.Escape(call.ID), Name: g.control.Escape(call.Name), Arguments: mapStrings(call.Arguments, g.control.Escape),
		}
	}
	return t
}

func (g guard) turns(turns []toolcall.Turn) []toolcall.Turn {
	out := make([]toolcall.Turn, len(turns))
	for i, t := range turns {
		out[i] = g.turn(t)
	}
	return out
}

// call is a call as the model meant it: it copied what it read with dots.
func (g guard) call(c toolcall.Call) toolcall.Call {
	c.Arguments = mapStrings(c.Arguments, g.control.Unescape)
	return c
}

// sayMarks writes into the document, and not to the model, that it reads some of what stands there with dots: once a chat.
func (c *loop) sayMarks() {
	if c.dotted {
		return
	}
	for _, t := range c.turns {
		found := c.guard.control.First(t.Text)
		for _, call := range t.Calls {
			if found == "" {
				found = c.guard.control.First(string(call.Arguments))
			}
		}
		if found == "" {
			continue
		}
		c.dotted = true
		c.emit(ContextAdded{transcript.Context{Name: marksBlock, NotSent: true, Text: fmt.Sprintf(
			"Marks such as %s steer %s.\nWhere one stands in this chat the model reads it with a dot, %s, so that it is only text.",
			found, c.info.Name, c.guard.control.Escape(found))}})
		return
	}
}

// isDotted reports whether a document says so already.
func isDotted(chat *transcript.Chat) bool {
	return hasBlock(chat, func(b transcript.Context) bool { return b.NotSent && b.Name == marksBlock })
}

func hasBlock(chat *transcript.Chat, is func(transcript.Context) bool) bool {
	for _, turn := range chat.Turns {
		for _, block := range turn.Blocks {
			if b, ok := block.(transcript.Context); ok && is(b) {
				return true
			}
		}
	}
	return false
}

// mapStrings changes the texts in a JSON value and leaves every other byte as it is.
func mapStrings(raw json.RawMessage, change func(string) string) json.RawMessage {
	var out []byte
	done := 0
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			continue
		}
		end := i + 1
		for end < len(raw) && raw[end] != '"' {
			if raw[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(raw) {
			break // no JSON: it is for others to say so
		}
		if quoted, changed := requote(raw[i:end+1], change); changed {
			out = append(append(out, raw[done:i]...), quoted...)
			done = end + 1
		}
		i = end
	}
	if done == 0 {
		return raw
	}
	return append(out, raw[done:]...)
}

// requote changes one JSON string.
func requote(quoted []byte, change func(string) string) ([]byte, bool) {
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return nil, false
	}
	after := change(text)
	if after == text {
		return nil, false
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(after) != nil {
		return nil, false
	}
	return bytes.TrimSpace(out.Bytes()), true
}
