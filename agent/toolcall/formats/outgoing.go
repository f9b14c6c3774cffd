package formats

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// outgoing is a call that is written for the model. inJSON says that its arguments stand as one JSON object where the format
// writes tags: so they are written if their tags would not be read as the same values, since tags have no escapes.
type outgoing struct {
	toolcall.Call
	inJSON bool
}

// object writes the arguments where tags should stand. No tag can begin in it.
func (o outgoing) object() string {
	return strings.ReplaceAll(values.Spaced(o.Arguments), "<", `\u003c`)
}

// outgoing prepares the calls of a turn.
func (f *family) outgoing(calls []toolcall.Call, tools []model.Tool) []outgoing {
	list := make([]outgoing, len(calls))
	for i, c := range calls {
		list[i].Call = c
		escaped := outgoing{Call: c, inJSON: true}
		text := f.calls([]outgoing{list[i]})
		if f.calls([]outgoing{escaped}) != text && !f.readsAs(text, c, tools) {
			list[i] = escaped
		}
	}
	return list
}

// readsAs reports whether text is decoded to the call that it was made of.
func (f *family) readsAs(text string, c toolcall.Call, tools []model.Tool) bool {
	tool := offeredFor(c, tools)
	s := grammar.NewDecoder(f.grammar(), []model.Tool{tool}, false)
	want, ok := grammar.NewReader([]model.Tool{tool}).Event(grammar.Draft{Name: c.Name, Arguments: c.Arguments, Unchecked: true}).(toolcall.Called)
	if !ok {
		return true // it was no call that could run
	}
	events := append(s.Push(model.Chunk{Text: text}), s.End(true)...)
	if len(events) != 1 {
		return false
	}
	got, ok := events[0].(toolcall.Called)
	return ok && sameValues(got.Call.Arguments, want.Call.Arguments)
}

// offeredFor is the tool of a call; of one that is not offered, the types of its arguments are those of their values.
func offeredFor(c toolcall.Call, tools []model.Tool) model.Tool {
	for _, t := range tools {
		if t.Name == c.Name {
			return t
		}
	}
	var properties []values.Member
	for _, m := range arguments(outgoing{Call: c}) {
		properties = append(properties, values.Member{Key: m.Key, Value: values.WriteObject([]values.Member{{Key: "type", Text: values.TypeOf(m.Value)}})})
	}
	return model.Tool{Name: c.Name, Parameters: values.WriteObject([]values.Member{{Key: "properties", Value: values.WriteObject(properties)}})}
}

// sameValues compares JSON. A surrogate without its pair, or a byte that is not UTF-8, is no character: where one is written,
// the two must be spelt alike.
func sameValues(a, b json.RawMessage) bool {
	if a, b = values.Compact(a), values.Compact(b); bytes.Equal(a, b) {
		return true
	}
	x, plainA := valueOf(a)
	y, plainB := valueOf(b)
	return plainA && plainB && reflect.DeepEqual(x, y)
}

// valueOf reads JSON; plain says that it holds nothing but characters.
func valueOf(raw json.RawMessage) (value any, plain bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err := d.Decode(&value)
	lower := bytes.ToLower(raw)
	return value, err == nil && !bytes.Contains(lower, []byte(`\ud`)) && bytes.Equal(raw, bytes.ToValidUTF8(raw, nil))
}
