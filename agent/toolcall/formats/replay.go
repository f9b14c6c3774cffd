package formats

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// Replay is a reply to decode again, to see its events.
type Replay struct {
	Format toolcall.Format
	// Tools that were offered. nil: any name counts as offered, and no schema is known.
	Tools []model.Tool
	Text  string
	Chunk string // how the text is fed: "whole" (or empty), "rune", "byte", or a number of bytes
}

// Decode feeds the text and gives the events, neighbours of one kind joined.
func (r Replay) Decode() ([]toolcall.Event, error) {
	pieces, err := split(r.Text, r.Chunk)
	if err != nil {
		return nil, err
	}
	d := r.Format.Decoder(r.Tools)
	if any, ok := d.(interface{ OfferAll() }); ok && r.Tools == nil {
		any.OfferAll()
	}
	var events []toolcall.Event
	for _, p := range pieces {
		events = join(events, d.Push(model.Chunk{Text: p}))
	}
	return join(events, d.End(true)), nil
}

func split(text, chunk string) ([]string, error) {
	switch chunk {
	case "", "whole":
		return []string{text}, nil
	case "byte":
		chunk = "1"
	case "rune":
		return strings.Split(text, ""), nil
	}
	size, err := strconv.Atoi(chunk)
	if err != nil || size < 1 {
		return nil, fmt.Errorf("there is no chunking %q; use whole, rune, byte or a number of bytes", chunk)
	}
	var pieces []string
	for len(text) > 0 {
		n := min(size, len(text))
		pieces, text = append(pieces, text[:n]), text[n:]
	}
	return pieces, nil
}

func join(events, more []toolcall.Event) []toolcall.Event {
	for _, e := range more {
		last := len(events) - 1
		switch e := e.(type) {
		case toolcall.Text:
			if last >= 0 {
				if before, ok := events[last].(toolcall.Text); ok {
					events[last] = toolcall.Text{Text: before.Text + e.Text}
					continue
				}
			}
		case toolcall.Thinking:
			if last >= 0 {
				if before, ok := events[last].(toolcall.Thinking); ok {
					events[last] = toolcall.Thinking{Text: before.Text + e.Text}
					continue
				}
			}
		case toolcall.Called, toolcall.Malformed, toolcall.Quoted, toolcall.Unclosed:
		}
		events = append(events, e)
	}
	return events
}

// ReadTools reads tool definitions as OpenAI's API has them: a list, or an object with the list under "tools". The
// wrapper {"type": "function", "function": ...} may be missing.
func ReadTools(raw []byte) ([]model.Tool, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		var wrapped struct {
			Tools []json.RawMessage `json:"tools"`
		}
		if json.Unmarshal(raw, &wrapped) != nil || wrapped.Tools == nil {
			return nil, fmt.Errorf("the tools must be a JSON list of definitions: %w", err)
		}
		list = wrapped.Tools
	}
	tools := make([]model.Tool, 0, len(list))
	for i, item := range list {
		t, err := readTool(item)
		if err != nil {
			return nil, fmt.Errorf("tool %d: %w", i+1, err)
		}
		tools = append(tools, t)
	}
	return tools, nil
}

func readTool(raw json.RawMessage) (model.Tool, error) {
	type definition struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		InputSchema json.RawMessage `json:"input_schema"`
	}
	var d struct {
		definition
		Function *definition `json:"function"`
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return model.Tool{}, fmt.Errorf("read the definition: %w", err)
	}
	if d.Function != nil {
		d.definition = *d.Function
	}
	if d.Name == "" {
		return model.Tool{}, errors.New("it has no name")
	}
	if d.Parameters == nil {
		d.Parameters = d.InputSchema
	}
	return model.Tool{Name: d.Name, Description: d.Description, Parameters: d.Parameters}, nil
}

// WriteEvents prints events, one JSON object per line: {"thinking"}, {"text"}, {"call": {"name", "arguments"}},
// {"notice"} or {"error"}.
func WriteEvents(w io.Writer, events []toolcall.Event) error {
	enc := encoder(w)
	for _, e := range events {
		var line any
		switch e := e.(type) {
		case toolcall.Text:
			line = map[string]string{"text": e.Text}
		case toolcall.Thinking:
			line = map[string]string{"thinking": e.Text}
		case toolcall.Called:
			line = map[string]callLine{"call": {e.Call.Name, e.Call.Arguments}}
		case toolcall.Malformed:
			line = map[string]string{"error": e.Reason}
		case toolcall.Quoted:
			line = map[string]string{"notice": e.Reason}
		case toolcall.Unclosed:
			line = map[string]string{"error": e.String()}
		}
		if err := enc.Encode(line); err != nil {
			return fmt.Errorf("write an event: %w", err)
		}
	}
	return nil
}

func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

type callLine struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type batchCase struct {
	ID     json.RawMessage `json:"id"`
	Format string          `json:"format"`
	Model  string          `json:"model"`
	Tools  json.RawMessage `json:"tools"`
	Text   string          `json:"text"`
	Chunk  any             `json:"chunk"`
}

type batchResult struct {
	ID       json.RawMessage `json:"id"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	Calls    []callLine      `json:"calls"`
	Error    *string         `json:"error"`
}

// ReplayBatch decodes one case per line, {"id", "format" or "model", "tools", "text", "chunk"}, and answers one per
// line, {"id", "text", "thinking", "calls", "error"}. A bad line is answered with an error and does not stop the rest.
// find gives the format for a line's format and model.
func ReplayBatch(w io.Writer, in io.Reader, find func(format, model string) (toolcall.Format, error)) error {
	out := bufio.NewWriter(w)
	enc := encoder(out)
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			if err := enc.Encode(replayLine(line, find)); err != nil {
				return fmt.Errorf("write a result: %w", err)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read the cases: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	return nil
}

func replayLine(line string, find func(format, model string) (toolcall.Format, error)) batchResult {
	result := batchResult{ID: json.RawMessage("null"), Calls: []callLine{}}
	fail := func(err error) batchResult {
		sentence := err.Error()
		result.Error = &sentence
		return result
	}
	var c batchCase
	if err := json.Unmarshal([]byte(line), &c); err != nil {
		return fail(fmt.Errorf("the line is not a case: %w", err))
	}
	if c.ID != nil {
		result.ID = c.ID
	}
	format, err := find(c.Format, c.Model)
	if err != nil {
		return fail(err)
	}
	replay := Replay{Format: format, Text: c.Text}
	if c.Chunk != nil {
		replay.Chunk = fmt.Sprint(c.Chunk)
	}
	if len(c.Tools) > 0 && string(c.Tools) != "null" {
		if replay.Tools, err = ReadTools(c.Tools); err != nil {
			return fail(err)
		}
	}
	events, err := replay.Decode()
	if err != nil {
		return fail(err)
	}
	var failures []string
	for _, e := range events {
		switch e := e.(type) {
		case toolcall.Text:
			result.Text += e.Text
		case toolcall.Thinking:
			result.Thinking += e.Text
		case toolcall.Called:
			result.Calls = append(result.Calls, callLine{e.Call.Name, e.Call.Arguments})
		case toolcall.Malformed:
			failures = append(failures, e.Reason)
		case toolcall.Quoted: // part of the text
		case toolcall.Unclosed:
			failures = append(failures, e.String())
		}
	}
	if len(failures) > 0 {
		return fail(errors.New(strings.Join(failures, " ")))
	}
	return result
}
