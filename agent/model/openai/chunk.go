package openai

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model"
)

// wireChunk is one piece of a reply, or a whole one. Of what servers add, only what is used is read.
type wireChunk struct {
	Choices  []wireChoice  `json:"choices"`
	Usage    *wireUsage    `json:"usage"`
	Timings  *wireTimings  `json:"timings"`
	Progress *wireProgress `json:"prompt_progress"`
}

type wireChoice struct {
	Delta        *wireMessage `json:"delta"`
	Message      *wireMessage `json:"message"` // of a reply that does not stream
	FinishReason *string      `json:"finish_reason"`
}

// wireMessage is what a piece adds to the message. Its role says nothing: some servers repeat it in each piece.
type wireMessage struct {
	Content          text          `json:"content"`
	Reasoning        text          `json:"reasoning"`
	ReasoningContent text          `json:"reasoning_content"`
	Calls            []wireCall    `json:"tool_calls"`
	Call             *wireFunction `json:"function_call"` // of an older version of the protocol
}

type wireCall struct {
	ID       text         `json:"id"`
	Index    *int         `json:"index"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      text      `json:"name"`
	Arguments arguments `json:"arguments"`
}

type wireUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Details    *struct {
		Cached *int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

type wireTimings struct {
	Cached      *int    `json:"cache_n"`
	PromptMS    float64 `json:"prompt_ms"`
	PredictedMS float64 `json:"predicted_ms"`
}

// wireProgress is how much of a prompt was read. What was cached counts as processed.
type wireProgress struct {
	Total     int `json:"total"`
	Processed int `json:"processed"`
}

// text is a string, null, a number, or a list of parts with texts.
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(data []byte) error {
	var parts []struct {
		Text string `json:"text"`
	}
	switch {
	case string(data) == "null":
	case data[0] == '"':
		return json.Unmarshal(data, (*string)(t))
	case data[0] == '[':
		if err := json.Unmarshal(data, &parts); err != nil {
			return err
		}
		for _, p := range parts {
			*t += text(p.Text)
		}
	default:
		*t = text(data)
	}
	return nil
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
		call.index = *piece.Index
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
		if piece.Index == nil || call.index < 0 || call.index == *piece.Index {
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
		d.PromptTokens, d.OutputTokens = usage.Prompt, usage.Completion
		if usage.Details != nil && usage.Details.Cached != nil {
			d.CachedTokens, d.CacheKnown = *usage.Details.Cached, true
		}
	}
	if timings != nil {
		if timings.Cached != nil {
			d.CachedTokens, d.CacheKnown = *timings.Cached, true
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
