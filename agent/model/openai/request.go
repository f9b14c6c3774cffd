package openai

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/gbnf"
)

const chatPath = "/chat/completions"

// target is what a request is written for.
type target struct {
	kind    string
	id      string // what the server calls the model
	slots   int
	beside  int // the slot for a request of no chat; negative: the server chooses
	schema  model.SchemaWay
	whole   bool            // the reply comes at once, since streaming loses calls
	without map[string]bool // fields that the server refuses
	field   string          // the one for thinking
}

// fields are those of the body of a request. They are written in the order of their names, so that equal requests are
// equal bytes.
type fields map[string]any

// optional are the fields that a server can do without.
var optional = []string{
	"stream_options", "return_progress", "chat_template_kwargs", "reasoning_effort", "id_slot", "top_k", "min_p",
	"repeat_penalty", "repetition_penalty", "presence_penalty", "seed",
}

// body writes a request. Tools and a schema for the reply are never sent together: servers obey one of them in silence.
func (t target) body(req model.Request) ([]byte, error) {
	f := fields{"model": t.id, "messages": t.messages(req.Messages), "stream": !t.whole}
	if !t.whole {
		f["stream_options"] = map[string]any{"include_usage": true}
	}
	if err := t.constrain(f, req); err != nil {
		return nil, err
	}
	t.sample(f, req)
	t.think(f, cmp.Or(req.Think, req.Sampling.Think))
	if t.kind == LlamaCpp {
		if !t.whole {
			f["return_progress"] = true
		}
		if t.beside >= 0 {
			f["id_slot"] = t.beside
		}
	}
	for name := range t.without {
		delete(f, name)
	}
	return encode(f)
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// constrain adds the schema of the reply, else the tools.
func (t target) constrain(f fields, req model.Request) error {
	if len(req.Format) > 0 {
		if !json.Valid(req.Format) {
			return fmt.Errorf("the schema of the reply is no JSON")
		}
		switch t.schema {
		case model.ByStructuredOutputs:
			f["structured_outputs"] = map[string]any{"json": req.Format}
		case model.ByGrammar:
			if g, err := gbnf.FromSchema(req.Format); err == nil { // else a free reply, which is checked as all are
				f["grammar"] = g.Text
			}
		case model.NoSchema:
		default:
			f["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{
				"name": "reply", "schema": req.Format, "strict": true,
			}}
		}
		return nil
	}
	var tools []any
	for _, tool := range req.Tools {
		if !json.Valid(tool.Parameters) {
			return fmt.Errorf("the parameters of the tool %s are no JSON schema", tool.Name)
		}
		function := map[string]any{"name": tool.Name, "description": tool.Description, "parameters": tool.Parameters}
		if t.kind == VLLM && isStrict(tool.Parameters) {
			function["strict"] = true // only then are the arguments held to the schema
		}
		tools = append(tools, map[string]any{"type": "function", "function": function})
	}
	if len(tools) > 0 {
		f["tools"] = tools
	}
	return nil
}

// sample adds how tokens are picked. What the protocol does not know goes only to servers that are known to take it.
func (t target) sample(f fields, req model.Request) {
	s := req.Sampling
	set(f, "temperature", cmp.Or(req.Temperature, s.Temperature))
	set(f, "top_p", s.TopP)
	set(f, "seed", s.Seed)
	set(f, "presence_penalty", s.PresencePenalty)
	set(f, "max_tokens", s.LongestReply)
	if req.MaxTokens > 0 {
		f["max_tokens"] = req.MaxTokens
	}
	if n, ok := f["max_tokens"].(int); ok && n <= 0 {
		delete(f, "max_tokens") // to some servers -1 means no limit
	}
	repeat := "repeat_penalty"
	switch t.kind {
	case Other:
		return
	case VLLM, SGLang:
		repeat = "repetition_penalty"
	}
	set(f, "top_k", s.TopK)
	set(f, "min_p", s.MinP)
	set(f, repeat, s.RepeatPenalty)
}

func set[T any](f fields, key string, value *T) {
	if value != nil {
		f[key] = *value
	}
}

// think says how much the model thinks, in the words of its chat template or of the protocol.
func (t target) think(f fields, think model.Think) {
	switch think {
	case "":
		return
	case model.ThinkOn, model.ThinkOff:
		if t.kind != Other {
			f["chat_template_kwargs"] = map[string]any{"enable_thinking": think == model.ThinkOn}
		}
	default:
		f["reasoning_effort"] = string(think)
		if t.kind == LlamaCpp {
			f["chat_template_kwargs"] = map[string]any{"enable_thinking": true, "reasoning_effort": string(think)}
		}
	}
}

// messages writes the conversation. The system prompt is one message, and the first: chat templates refuse others.
func (t target) messages(given []model.Message) []any {
	var system []string
	for len(given) > 0 && given[0].Role == model.RoleSystem {
		system = append(system, given[0].Text)
		given = given[1:]
	}
	out := []any{}
	if len(system) > 0 {
		out = append(out, fields{"role": "system", "content": strings.Join(system, "\n\n")})
	}
	ids := callIDs{}
	for _, m := range given {
		out = append(out, t.message(m, &ids))
	}
	return out
}

func (t target) message(m model.Message, ids *callIDs) fields {
	if m.Role == model.RoleSystem {
		m.Role = model.RoleUser
	}
	f := fields{"role": string(m.Role), "content": content(m)}
	if m.Thinking != "" {
		f[cmp.Or(t.field, "reasoning_content")] = m.Thinking
	}
	if m.Role == model.RoleTool {
		f["tool_call_id"] = ids.answered(m.CallID)
		if m.ToolName != "" {
			f["name"] = m.ToolName
		}
	}
	var calls []any
	for _, c := range m.Calls {
		arguments := string(c.Arguments)
		if strings.TrimSpace(arguments) == "" {
			arguments = "{}"
		}
		calls = append(calls, fields{
			"id": ids.called(c.ID), "type": "function", "function": fields{"name": c.Name, "arguments": arguments},
		})
	}
	if len(calls) > 0 {
		f["tool_calls"] = calls
	}
	return f
}

// callIDs gives calls without an id one, and their results the same.
type callIDs struct {
	made    int
	waiting []string // that have no result yet
}

func (c *callIDs) called(id string) string {
	if id == "" {
		c.made++
		id = "call" + strconv.Itoa(c.made)
		c.waiting = append(c.waiting, id)
	}
	return id
}

func (c *callIDs) answered(id string) string {
	if id == "" && len(c.waiting) > 0 {
		id, c.waiting = c.waiting[0], c.waiting[1:]
	}
	return id
}

// content is a text, or parts where there is more than text.
func content(m model.Message) any {
	if len(m.Images) == 0 {
		return m.Text
	}
	var parts []any
	if m.Text != "" {
		parts = append(parts, fields{"type": "text", "text": m.Text})
	}
	for _, data := range m.Images {
		kind, encoded := http.DetectContentType(data), base64.StdEncoding.EncodeToString(data)
		switch {
		case kind == "audio/mpeg":
			parts = append(parts, sound(encoded, "mp3"))
		case strings.HasPrefix(kind, "audio/"):
			parts = append(parts, sound(encoded, "wav"))
		default:
			image := fields{"url": "data:" + kind + ";base64," + encoded}
			parts = append(parts, fields{"type": "image_url", "image_url": image})
		}
	}
	return parts
}

func sound(encoded, format string) fields {
	return fields{"type": "input_audio", "input_audio": fields{"data": encoded, "format": format}}
}

// isStrict reports whether a schema is of the kind that servers take as strict: every object has all of its properties
// and no others.
func isStrict(schema json.RawMessage) bool {
	var s any
	return json.Unmarshal(schema, &s) == nil && !isLoose(s)
}

// isLoose reports whether an object in a value is not strict.
func isLoose(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return v["type"] == "object" && !strictObject(v) ||
			slices.ContainsFunc(slices.Collect(maps.Values(v)), isLoose)
	case []any:
		return slices.ContainsFunc(v, isLoose)
	}
	return false
}

func strictObject(o map[string]any) bool {
	properties, _ := o["properties"].(map[string]any)
	required, _ := o["required"].([]any)
	return o["additionalProperties"] == false && len(required) == len(properties)
}
