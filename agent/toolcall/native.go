package toolcall

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
)

// Fallback is a form of call that is accepted in the text of a reply besides native calls. candidate.go says when it is a
// call and when an example.
type Fallback int

// The fallbacks.
const (
	Bare   Fallback = iota + 1 // a JSON object or list that stands alone
	Fenced                     // JSON in a code fence
	Tagged                     // JSON in <tool_call> tags
)

// Native is the format of models whose server decodes calls itself. Native calls are always accepted; the fallbacks are
// for models that print what they should have called.
func Native(fallbacks ...Fallback) Format {
	return native{grammar: fallbackGrammar(fallbacks, false)}
}

type native struct{ grammar *grammar }

// Name implements Format.
func (native) Name() string { return "native" }

// Decoder implements Format.
func (f native) Decoder(tools []model.Tool) Decoder { return newStream(f.grammar, tools, false) }

// Request implements Format.
func (f native) Request(system string, turns []Turn, tools []model.Tool, hints Hints) model.Request {
	req := model.Request{Messages: systemMessage(system), Tools: tools, Format: callSchema(tools, hints, "name")}
	for _, t := range turns {
		req.Messages = append(req.Messages, f.message(t, tools))
	}
	return req
}

func (f native) message(t Turn, tools []model.Tool) model.Message {
	switch t.Role {
	case model.RoleAssistant:
		m := model.Message{Role: t.Role, Text: t.Text}
		if t.Raw != "" {
			m.Text = t.Raw
			if printed(f, t.Raw, tools) >= len(t.Calls) {
				return m // the text already holds the calls
			}
		}
		for _, c := range t.Calls {
			m.Calls = append(m.Calls, model.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		}
		return m
	case model.RoleTool:
		return model.Message{Role: t.Role, Text: t.Text, CallID: t.CallID, ToolName: t.Name}
	case model.RoleUser, model.RoleSystem:
	}
	return model.Message{Role: t.Role, Text: t.Text, Images: t.Images}
}

// printed counts the calls that the text of a reply holds.
func printed(f Format, text string, tools []model.Tool) int {
	d := f.Decoder(tools)
	count := 0
	for _, e := range append(d.Push(model.Chunk{Text: text}), d.End(true)...) {
		if _, ok := e.(Called); ok {
			count++
		}
	}
	return count
}

// fallbackGrammar decodes the chosen fallbacks; own says that bare JSON is the format's own form.
func fallbackGrammar(fallbacks []Fallback, own bool) *grammar {
	g := &grammar{thoughts: []thought{think(), {open: []string{"<thinking>"}, close: []string{"</thinking>"}}}, noise: endMarkers()}
	if slices.Contains(fallbacks, Tagged) {
		g.blocks = append(g.blocks, jsonTags("<tool_call>", "</tool_call>"))
		g.noise = append(g.noise, "</tool_call>")
	}
	if slices.Contains(fallbacks, Bare) {
		g.candidates = append(g.candidates, bareJSON(own))
	}
	if slices.Contains(fallbacks, Fenced) {
		g.candidates = append(g.candidates, fencedJSON())
	}
	return g.build()
}

// endMarkers are special tokens that servers sometimes leave at the end of a reply.
func endMarkers() []string {
	return []string{"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<end_of_turn>", "</s>"}
}

// jsonTags is an envelope that holds one JSON call, several, or a list of them.
func jsonTags(open string, closers ...string) block {
	return block{open: []string{open}, closers: closers, scan: scanTagged(closers, []string{open}, "{["), read: readTagged(closers...)}
}

// readTagged reads the JSON between tags. Text after the JSON of a tag that was never closed is dropped with it.
func readTagged(closers ...string) func(*reader, found) ([]Event, bool) {
	return func(r *reader, f found) ([]Event, bool) {
		if events := r.plainCalls(cutAny(f.body, closers)); events != nil {
			return events, true
		}
		raw, body := f.text()
		return r.jsonCalls(raw, cutRepeated(cutAny(body, closers), f.opener), f.final), true
	}
}

// plainCalls reads calls from what is JSON and nothing else, without a copy of it; nil if anything is wrong with one of them.
func (r *reader) plainCalls(body []byte) []Event {
	var events []Event
	for _, d := range draftsOfWhole(body) {
		e := r.event(d)
		if !isCall(e) {
			return nil
		}
		events = append(events, e)
	}
	return events
}

// jsonCalls reads calls from the JSON of an envelope; whatever cannot be read is reported.
func (r *reader) jsonCalls(raw, body string, final bool) []Event {
	if drafts := draftsOfWhole([]byte(body)); len(drafts) > 0 {
		return r.events(raw, drafts, true)
	}
	values := valuesIn(body)
	if inner, listed := strings.CutPrefix(strings.TrimSpace(body), "["); listed && !isContainer(strings.TrimSpace(body)) {
		if split := valuesIn(strings.TrimSuffix(strings.TrimSpace(inner), "]")); len(split) > 1 {
			values = split // a list whose commas are missing
		}
	}
	if len(values) == 0 {
		values = []string{body}
	}
	var events []Event
	for _, value := range values {
		drafts, ok := r.payload(value, final)
		if !ok {
			d := draft{raw: raw, broken: "what it holds is not a call in JSON"}
			if t := r.meant(value); t != nil {
				d.name, d.broken = t.Name, "its JSON is broken"
			}
			drafts = []draft{d}
		}
		events = append(events, r.events(raw, drafts, len(values) == 1)...)
	}
	return events
}

// events finishes drafts from one envelope; one that is alone in it is reported with all that was written.
func (r *reader) events(raw string, drafts []draft, alone bool) []Event {
	events := make([]Event, 0, len(drafts))
	for _, d := range drafts {
		if len(d.object) == 0 || alone && len(drafts) == 1 {
			d.raw = raw
		}
		events = append(events, r.event(d))
	}
	return events
}
