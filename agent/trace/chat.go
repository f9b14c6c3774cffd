package trace

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// reply is what the model answered to a request; it is kept with content alone.
type reply struct {
	text   strings.Builder
	calls  []event.CallAdded
	reason string
}

// beginChat begins the span of a request to the model.
func (r *run) beginChat(req model.Request, now time.Time) {
	s := r.child("chat", req.Model, kindClient, now)
	s.text("gen_ai.provider.name", provider(r.server))
	s.text("gen_ai.request.model", name(req.Model))
	how := model.Sampling{Temperature: req.Temperature}.Over(req.Sampling)
	s.number("gen_ai.request.temperature", how.Temperature)
	s.number("gen_ai.request.top_p", how.TopP)
	if how.TopK != nil {
		s.number("gen_ai.request.top_k", new(float64(*how.TopK))) // by the conventions
	}
	s.whole("gen_ai.request.seed", how.Seed)
	s.count("gen_ai.request.max_tokens", req.MaxTokens)
	s.text("server.address", name(r.server.Address))
	s.count("server.port", r.server.Port)
	if r.exporter.Content {
		s.text("gen_ai.input.messages", asked(req.Messages))
	}
	r.chat, r.answered, r.reply = &s, time.Time{}, reply{}
}

// answer is called when a request is over. What the model said is known a little later: its last words are decoded
// then.
func (r *run) answer(e event.RequestEnded, now time.Time) {
	r.answered = now
	r.input += e.Done.PromptTokens
	r.output += e.Done.OutputTokens
	r.reply.reason = e.Done.Reason
	r.chat.count("gen_ai.usage.input_tokens", e.Done.PromptTokens)
	r.chat.count("gen_ai.usage.output_tokens", e.Done.OutputTokens)
	r.chat.list("gen_ai.response.finish_reasons", name(e.Done.Reason))
	r.chat.seconds("assent.model.load.duration", e.Done.LoadTime)
	r.chat.seconds("assent.model.prompt.duration", e.Done.PromptTime)
	if e.Err != nil && !errors.Is(e.Err, context.Canceled) {
		r.chat.fail(errorType(e.Err), r.message(e.Err.Error()))
	}
}

// endChat ends the span of the last request, if there is one.
func (r *run) endChat(now time.Time) {
	if r.chat == nil {
		return
	}
	if r.answered.IsZero() { // the run broke off in the middle of it
		r.answered = now
	}
	if r.exporter.Content {
		if said := r.reply.message(); len(said.Parts) > 0 {
			r.chat.text("gen_ai.output.messages", string(asJSON([]message{said})))
		}
	}
	r.end(*r.chat, r.answered)
	r.chat = nil
}

// message is the reply as an attribute has it.
func (p *reply) message() message {
	left := &room{maxContent}
	m := message{Role: string(model.RoleAssistant), FinishReason: cmp.Or(p.reason, "error")}
	if p.text.Len() > 0 {
		m.Parts = append(m.Parts, part{Type: "text", Content: left.take(p.text.String())})
	}
	for _, c := range p.calls {
		m.Parts = append(m.Parts, left.call(c.Call.ID, c.Call.Name, c.Call.Arguments))
	}
	return m
}
