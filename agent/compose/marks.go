package compose

import (
	"encoding/json"
	"slices"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/formats"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// Marks are the control marks that must not reach a model from outside, and those that it is to write itself. The zero
// value knows none.
type Marks struct {
	model.Control
	own []string
}

// NewMarks gathers the marks of a model: its family's, its template's, and the tags around results in all formats that
// it may know; the server's own rendering of native results uses them, too.
func NewMarks(profiles *model.Profiles, profile model.Profile, info model.Info, format toolcall.Format) Marks {
	marks := profiles.Marks(profile, info)
	for _, name := range profile.Formats {
		if f, err := formats.With(profiles.Declared()).ByName(name); err == nil {
			marks = append(marks, formats.ResultMarks(f)...)
		}
	}
	marks = append(marks, formats.ResultMarks(format)...)
	return Marks{Control: model.NewControl(marks), own: formats.OwnMarks(format)}
}

// turn is a turn as the model may read it: nothing in it is a control mark but what the model was to write itself.
func (m Marks) turn(t toolcall.Turn) toolcall.Turn {
	harmless := m.Escape
	if t.Role == model.RoleAssistant {
		harmless = func(text string) string { return m.Defuse(text, m.own) }
	}
	t.Text, t.Asked, t.Raw = harmless(t.Text), harmless(t.Asked), harmless(t.Raw)
	t.Name, t.CallID = m.Escape(t.Name), m.Escape(t.CallID)
	t.Calls = slices.Clone(t.Calls)
	for i, call := range t.Calls {
		t.Calls[i] = toolcall.Call{
			ID: m.Escape(call.ID), Name: m.Escape(call.Name), Arguments: mapStrings(call.Arguments, m.Escape),
		}
	}
	return t
}

func (m Marks) turns(turns []toolcall.Turn) []toolcall.Turn {
	out := make([]toolcall.Turn, len(turns))
	for i, t := range turns {
		out[i] = m.turn(t)
	}
	return out
}

// Meant is a call as the model meant it: it copied what it read with dots.
func (m Marks) Meant(c toolcall.Call) toolcall.Call {
	c.Arguments = mapStrings(c.Arguments, m.Unescape)
	return c
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
	return values.Quote(after), after != text
}
