package ollama

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/ollama/ollama/api"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/transport"
)

// errDone ends the reading of a stream whose last chunk has come.
var errDone = errors.New("the reply is whole")

// Chat implements [model.Backend].
func (b *Backend) Chat(ctx context.Context, req model.Request, each func(model.Chunk) error) error {
	r, err := chatRequest(req)
	if err != nil {
		return &model.Error{Kind: model.Refused, Sentence: err.Error(), Cause: err}
	}
	var stopped error // what each returned
	var over bool
	reply := &replyTransport{next: limited(b.transport, &over), each: func(line api.ChatResponse) error {
		if stopped = each(chunk(line)); stopped != nil {
			return stopped
		}
		if line.Done {
			return errDone
		}
		return nil
	}}
	err = api.NewClient(b.base, &http.Client{Transport: reply}).Chat(
		ctx, r, func(api.ChatResponse) error { return nil },
	)
	if errors.Is(err, errRead) {
		err = reply.err
	}
	switch {
	case stopped != nil:
		return stopped
	case errors.Is(err, errDone):
		return nil
	case over:
		err = transport.TooLarge(maxStream)
	case err == nil:
		err = errEarlyEnd
	}
	return b.chatFailure(ctx, req.Model, err)
}

func chatRequest(req model.Request) (*api.ChatRequest, error) {
	r := &api.ChatRequest{
		Model: req.Model, Stream: new(true), Format: req.Format, KeepAlive: duration(req.KeepAlive), Options: options(req),
		// Without these a server drops the oldest turns in silence, before it starts or while it writes.
		Truncate: new(false), Shift: new(false),
	}
	switch think := cmp.Or(req.Think, req.Sampling.Think); think {
	case "":
	case model.ThinkOn, model.ThinkOff:
		r.Think = &api.ThinkValue{Value: think == model.ThinkOn}
	default:
		r.Think = &api.ThinkValue{Value: string(think)}
	}
	for _, m := range req.Messages {
		message, err := wireMessage(m)
		if err != nil {
			return nil, err
		}
		r.Messages = append(r.Messages, message)
	}
	for _, t := range req.Tools {
		tool := api.Tool{Type: "function", Function: api.ToolFunction{Name: t.Name, Description: t.Description}}
		if err := json.Unmarshal(t.Parameters, &tool.Function.Parameters); err != nil {
			return nil, fmt.Errorf(
				"the parameters of the tool %s are not a JSON schema that Ollama understands: %w", t.Name, err,
			)
		}
		r.Tools = append(r.Tools, tool)
	}
	return r, nil
}

func wireMessage(m model.Message) (api.Message, error) {
	out := api.Message{
		Role: string(m.Role), Content: m.Text, ToolName: m.ToolName, ToolCallID: m.CallID,
	}
	for _, image := range m.Images {
		out.Images = append(out.Images, image)
	}
	for i, c := range m.Calls {
		call := api.ToolCall{ID: c.ID, Function: api.ToolCallFunction{Index: i, Name: c.Name}}
		if err := json.Unmarshal(c.Arguments, &call.Function.Arguments); err != nil {
			return out, fmt.Errorf("the arguments of an earlier call of %s are not a JSON object: %w", c.Name, err)
		}
		out.ToolCalls = append(out.ToolCalls, call)
	}
	return out, nil
}

// options holds only what is set: everything else is the server's and the model's own default.
func options(req model.Request) map[string]any {
	o, s := sized(req.ContextSize), req.Sampling
	set(o, "num_predict", s.LongestReply)
	if req.MaxTokens > 0 {
		o["num_predict"] = req.MaxTokens
	}
	set(o, "temperature", cmp.Or(req.Temperature, s.Temperature))
	set(o, "top_p", s.TopP)
	set(o, "top_k", s.TopK)
	set(o, "min_p", s.MinP)
	set(o, "repeat_penalty", s.RepeatPenalty)
	set(o, "presence_penalty", s.PresencePenalty)
	set(o, "seed", s.Seed)
	return o
}

// sized are options with a context size, where there is one.
func sized(contextSize int) map[string]any {
	o := map[string]any{}
	if contextSize > 0 {
		o["num_ctx"] = contextSize
	}
	return o
}

func set[T any](options map[string]any, key string, value *T) {
	if value != nil {
		options[key] = *value
	}
}

func chunk(line api.ChatResponse) model.Chunk {
	c := model.Chunk{
		Thinking: line.Message.Thinking, Text: line.Message.Content, RemoteHost: cmp.Or(
			line.RemoteHost, line.RemoteModel,
		),
	}
	for _, call := range line.Message.ToolCalls {
		c.Calls = append(c.Calls, model.Call{
			ID: call.ID, Name: call.Function.Name, Arguments: arguments(&call.Function.Arguments),
		})
	}
	if line.Done {
		c.Done = &model.Done{
			Reason: line.DoneReason, PromptTokens: line.PromptEvalCount, OutputTokens: line.EvalCount,
			LoadTime: line.LoadDuration, PromptTime: line.PromptEvalDuration, OutputTime: line.EvalDuration,
		}
		if cached := line.PromptEvalCachedCount; cached != nil { // from Ollama 0.34 on
			c.Done.CachedTokens, c.Done.CacheKnown = *cached, true
		}
	}
	return c
}

// arguments writes a call's arguments in the model's order and without HTML escapes, which the client's type would add
// to every < and & of a program.
func arguments(args *api.ToolCallFunctionArguments) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	write := func(v any) {
		_ = encoder.Encode(v) // what was decoded from JSON encodes
		b.Truncate(b.Len() - 1)
	}
	b.WriteByte('{')
	for key, value := range args.All() {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		write(key)
		b.WriteByte(':')
		write(value)
	}
	b.WriteByte('}')
	return b.Bytes()
}
