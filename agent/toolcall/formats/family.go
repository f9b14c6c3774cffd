package formats

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// family is a format, put together from parts: how tools are described, how calls and results are written, and the
// grammar that decodes them. Most are formats of calls in text.
type family struct {
	name     string
	prompted bool // the prompt opens a thought
	answers  bool // an answer may be written as JSON, {"response": TEXT}
	grammar  func() *grammar.Grammar
	others   *grammar.Grammar // the envelopes that are looked for besides; nil: those of all formats

	// request writes requests in another way than families do; nil: as they do
	request func(*family, string, []toolcall.Turn, []model.Tool, toolcall.Hints) model.Request

	define func([]model.Tool) string // the tools, with a word on how to call them; empty string: nothing
	// definitions go into the first user message: the template ignores the system turn
	inUser  bool
	call    func(outgoing) string      // one call of an earlier turn, where calls is not set
	calls   func([]outgoing) string    // all calls of such a turn; nil: a line for each, or without a break if joined
	result  func(toolcall.Turn) string // one result; nil: as it is, in a message of RoleTool
	role    model.Role                 // of results; empty: RoleUser
	apart   bool                       // results in a row are messages of their own
	joined  bool                       // calls are written right behind the text
	between string                     // between the text of a turn and its calls; empty: a line end, unless joined
}

// Name implements Format.
func (f *family) Name() string { return f.name }

// Decoder implements Format.
func (f *family) Decoder(tools []model.Tool) toolcall.Decoder {
	others := f.others
	if others == nil {
		others = foreign()
	}
	if f.answers {
		return grammar.NewGuidedDecoder(f.grammar(), others, tools, f.prompted)
	}
	return grammar.NewDecoder(f.grammar(), others, tools, f.prompted)
}

// thinking is the format for a prompt that opens a thought.
func (f *family) thinking() *family {
	other := *f
	other.name, other.prompted = f.name+openThought, true
	return &other
}

// Request implements Format.
func (f *family) Request(system string, turns []toolcall.Turn, tools []model.Tool, hints toolcall.Hints) model.Request {
	if f.request != nil {
		return f.request(f, system, turns, tools, hints)
	}
	definitions := ""
	if listed := withoutFound(tools); len(listed) > 0 {
		definitions = f.define(listed)
	}
	req := model.Request{Format: callSchema(tools, hints, "name")}
	opening := joinBlocks(system, definitions)
	if !f.inUser {
		req.Messages = systemMessage(opening)
	}
	given := !f.inUser
	for i, t := range turns {
		m := f.message(t, tools)
		if !given && t.Role == model.RoleUser {
			m.Text, given = joinBlocks(opening, m.Text), true
		}
		if n := len(req.Messages); !f.apart && m.Role == model.RoleUser && t.Role == model.RoleTool && i > 0 &&
			turns[i-1].Role == model.RoleTool && req.Messages[n-1].Role == model.RoleUser {
			req.Messages[n-1].Text += "\n" + m.Text // results in a row share one message
			req.Messages[n-1].Images = slices.Concat(req.Messages[n-1].Images, m.Images)
			continue
		}
		req.Messages = append(req.Messages, m)
	}
	return req
}

func (f *family) message(t toolcall.Turn, tools []model.Tool) model.Message {
	switch t.Role {
	case model.RoleAssistant:
		if t.Raw != "" {
			return model.Message{Role: t.Role, Text: t.Raw}
		}
		if len(t.Calls) == 0 {
			return model.Message{Role: t.Role, Text: t.Text}
		}
		between := f.between
		if t.Text == "" {
			between = ""
		}
		return model.Message{Role: t.Role, Text: t.Text + between + f.calls(f.outgoing(t.Calls, tools))}
	case model.RoleTool:
		if t.AnswersNothing() {
			return model.Message{Role: model.RoleUser, Text: t.Text}
		}
		m := model.Message{Role: cmp.Or(f.role, model.RoleUser), Text: f.result(t), Images: t.Images}
		if f.role == model.RoleTool {
			m.CallID, m.ToolName = t.CallID, t.Name
		}
		return m
	case model.RoleUser, model.RoleSystem:
	}
	return model.Message{Role: t.Role, Text: t.Text, Images: t.Images}
}

// entry is one format in the list.
type entry struct {
	info   Info
	format toolcall.Format
}

// familyEntry makes an entry of a family, with what most families have in common. aliases are words.
func familyEntry(name, summary, aliases string, f family) entry {
	f.name = name
	line := "\n"
	if f.joined {
		f.grammar, line = grammar.Joined(f.grammar), ""
	}
	f.between = cmp.Or(f.between, line)
	if f.calls == nil {
		f.calls = each(line, f.call)
	}
	if f.result == nil {
		f.result, f.role = plain, model.RoleTool
	}
	return entry{Info{name, strings.Fields(aliases), summary}, &f}
}

// Info names a format and the other names under which it is found.
type Info struct {
	Name    string
	Aliases []string
	Summary string // what its calls look like, one line
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
	s := grammar.NewDecoder(f.grammar(), nil, []model.Tool{tool}, false)
	want, ok := grammar.NewReader([]model.Tool{tool}).Event(
		grammar.Draft{Name: c.Name, Arguments: c.Arguments, Unchecked: true},
	).(toolcall.Called)
	if !ok {
		return true // the call could not run anyway
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
	if i := slices.IndexFunc(tools, func(t model.Tool) bool { return t.Name == c.Name }); i >= 0 {
		return tools[i]
	}
	properties := arguments(outgoing{Call: c})
	for i, m := range properties {
		properties[i].Value = values.WriteObject([]values.Member{{Key: "type", Text: values.TypeOf(m.Value)}})
	}
	return model.Tool{
		Name:       c.Name,
		Parameters: values.WriteObject([]values.Member{{Key: "properties", Value: values.WriteObject(properties)}}),
	}
}

// sameValues compares JSON. A surrogate without its pair, or a byte that is not UTF-8, is no character: where one is
// written, the two must be spelt alike.
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
