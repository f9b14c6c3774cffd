package openai

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model"
)

// wireChunk is one piece of a reply, or a whole one. Of what servers add, only what is used is read.
type wireChunk struct {
	Choices  []wireChoice    `json:"choices"`
	Usage    *wireUsage      `json:"usage"`
	Timings  *wireTimings    `json:"timings"`
	Progress *wireProgress   `json:"prompt_progress"`
	Error    json.RawMessage `json:"error"` // some servers send it beside the last piece
}

type wireChoice struct {
	Index        count        `json:"index"`
	Delta        *wireMessage `json:"delta"`
	Message      *wireMessage `json:"message"` // of a reply that does not stream
	Text         text         `json:"text"`    // of servers that know completions alone
	FinishReason *string      `json:"finish_reason"`
}

// wireMessage is what a piece adds to the message. Its role says nothing: some servers repeat it in each piece.
type wireMessage struct {
	Content          text          `json:"content"`
	Reasoning        text          `json:"reasoning"`
	ReasoningContent text          `json:"reasoning_content"`
	Refusal          text          `json:"refusal"` // in the place of the content
	Calls            wireCalls     `json:"tool_calls"`
	Call             *wireFunction `json:"function_call"` // of an older version of the protocol
}

type wireCall struct {
	ID       text         `json:"id"`
	Index    *count       `json:"index"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      text      `json:"name"`
	Arguments arguments `json:"arguments"`
}

type wireUsage struct {
	Prompt     count `json:"prompt_tokens"`
	Completion count `json:"completion_tokens"`
	Details    *struct {
		Cached *count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

type wireTimings struct {
	Cached      *count  `json:"cache_n"`
	PromptMS    float64 `json:"prompt_ms"`
	PredictedMS float64 `json:"predicted_ms"`
}

// wireProgress is how much of a prompt was read. What was cached counts as processed.
type wireProgress struct {
	Total     count `json:"total"`
	Processed count `json:"processed"`
}

// count is a number from zero on, which may be written as a text. What is no number counts as zero.
type count int

// UnmarshalJSON implements json.Unmarshaler.
func (c *count) UnmarshalJSON(data []byte) error {
	const most = 1e9
	if n, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64); err == nil {
		*c = count(min(max(n, 0), most))
	}
	return nil
}

// wireCalls are a list, or the only one without a list.
type wireCalls []wireCall

// UnmarshalJSON implements json.Unmarshaler.
func (c *wireCalls) UnmarshalJSON(data []byte) error {
	if data[0] == '{' {
		data = slices.Concat([]byte("["), data, []byte("]"))
	}
	_ = json.Unmarshal(data, (*[]wireCall)(c)) // what is of another type stays zero
	return nil
}

// text is a string, a number, or a part or a list of parts with texts. Anything else is none.
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	switch data[0] {
	case '[':
		_ = json.Unmarshal(data, &parts) // it is a list
		for _, p := range parts {
			*t += plain(p)
		}
	case '"', '{':
		*t = plain(data)
	case 'n', 't', 'f':
	default:
		*t = text(data)
	}
	return nil
}

// plain is a string, or the text of a part.
func plain(data json.RawMessage) (t text) {
	var part struct {
		Text string `json:"text"`
	}
	if data[0] == '"' {
		_ = json.Unmarshal(data, (*string)(&t)) // it is a string
		return t
	}
	_ = json.Unmarshal(data, &part) // what has no text is none
	return text(part.Text)
}

// arguments are a piece of JSON in a string, or an object that is whole.
type arguments string

// UnmarshalJSON implements json.Unmarshaler.
func (a *arguments) UnmarshalJSON(data []byte) error {
	switch {
	case string(data) == "null":
	case data[0] == '"':
		return json.Unmarshal(data, (*string)(a))
	default:
		*a = arguments(data)
	}
	return nil
}

// assembler puts calls together from their pieces: by id, else by index, else into the last one that is open.
type assembler struct {
	calls []*assembled
}

type assembled struct {
	id, name  string
	index     int // -1: none was given
	arguments strings.Builder
}

// add takes the pieces of one chunk.
func (a *assembler) add(m *wireMessage) {
	for _, piece := range m.Calls {
		a.take(piece)
	}
	if m.Call != nil {
		a.take(wireCall{Function: *m.Call})
	}
}

func (a *assembler) take(piece wireCall) {
	call := a.find(piece)
	if call == nil {
		call = &assembled{index: -1}
		a.calls = append(a.calls, call)
	}
	if call.id == "" {
		call.id = string(piece.ID)
	}
	if call.index < 0 && piece.Index != nil {
		call.index = int(*piece.Index)
	}
	if call.name == "" {
		call.name = string(piece.Function.Name)
	}
	call.arguments.WriteString(string(piece.Function.Arguments))
}

// find gives the call that a piece goes on with; nil: it begins another one. What names no tool begins none.
func (a *assembler) find(piece wireCall) *assembled {
	var same *assembled // the newest one at the index, or the newest of all
	for _, call := range a.calls {
		if piece.ID != "" && call.id == string(piece.ID) {
			return call
		}
		if piece.Index == nil || call.index < 0 || call.index == int(*piece.Index) {
			same = call
		}
	}
	switch {
	case piece.Function.Name != "" && (same == nil || same.endsBefore(piece)):
		return nil
	case same == nil && len(a.calls) > 0:
		return a.calls[len(a.calls)-1]
	}
	return same
}

// endsBefore reports whether a piece that names a tool begins another call than this one. Some servers repeat the name
// in each piece, some change the id, and some give every call the same index.
func (c *assembled) endsBefore(piece wireCall) bool {
	have, otherID := c.arguments.String(), piece.ID != "" && c.id != ""
	switch {
	case c.name == "":
		return false
	case c.name != string(piece.Function.Name):
		return true
	case have == "":
		return otherID
	case json.Valid([]byte(have)):
		return true
	}
	return otherID && strings.HasPrefix(strings.TrimSpace(string(piece.Function.Arguments)), "{")
}

// whole gives the calls in the order in which they began. Those without a name are none.
func (a *assembler) whole() []model.Call {
	var calls []model.Call
	for _, c := range a.calls {
		if c.name != "" {
			calls = append(calls, model.Call{ID: c.id, Name: c.name, Arguments: json.RawMessage(c.arguments.String())})
		}
	}
	return calls
}

// done makes the end of a reply of what the server told.
func done(reason string, usage *wireUsage, timings *wireTimings) *model.Done {
	d := &model.Done{Reason: reason}
	if usage != nil {
		d.PromptTokens, d.OutputTokens = int(usage.Prompt), int(usage.Completion)
		if usage.Details != nil && usage.Details.Cached != nil {
			d.CachedTokens, d.CacheKnown = int(*usage.Details.Cached), true
		}
	}
	if timings != nil {
		if timings.Cached != nil {
			d.CachedTokens, d.CacheKnown = int(*timings.Cached), true
		}
		d.PromptTime, d.OutputTime = milliseconds(timings.PromptMS), milliseconds(timings.PredictedMS)
	}
	if d.CachedTokens < 0 || d.CachedTokens > d.PromptTokens {
		d.CachedTokens, d.CacheKnown = 0, false // nothing that could be true
	}
	return d
}

func milliseconds(n float64) time.Duration {
	const most = 1e12
	return time.Duration(min(max(n, 0), most) * float64(time.Millisecond))
}
