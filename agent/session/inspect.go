package session

import (
	"context"
	"errors"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/inspect"
	"github.com/assent-ls/assent/agent/model"
)

// Inspect returns the request that Send would make now. If Send would make none, it is what the model sees of the chat as it stands.
// Nothing is sent or written. render asks the server for the prompt that it makes of the request.
func (s *Session) Inspect(ctx context.Context, render bool) (inspect.Request, error) {
	env, err := s.environment()
	if err != nil {
		return inspect.Request{}, err
	}
	snapshot, err := s.document.Read()
	if err != nil {
		return inspect.Request{}, err
	}
	chat := snapshot.Chat()
	if err := checkHead(chat); err != nil {
		return inspect.Request{}, err
	}
	document := *chat
	r := inspect.Request{Chat: s.document.Path(), Document: &document}
	turn, _, err := toSend(chat, env.Begun(r.Chat))
	if err == nil {
		document.Turns = document.Turns[:turn+1]
	} else {
		r.Unsent = err.Error()
	}
	job := agent.Job{Chat: r.Chat, Document: &document, Options: env.Options, Resume: r.Unsent != ""}
	if err := env.Configure(ctx, &job, s.reads.Clone()); err != nil { // of a clone: nothing is read by being looked at
		r.Notes = append(r.Notes, err.Error())
	}
	if r.Inspection, err = env.Agent.Inspect(ctx, job); err != nil {
		return r, err
	}
	// What is wrong with a prompt was noted before.
	r.Prompt, _ = env.Prompt(ctx, r.Model.Name)
	backend, ok := env.Agent.Backend().(model.Inspector)
	if !ok {
		return r, errors.New(env.Agent.Backend().Name() + " does not show requests")
	}
	if r.Body, err = backend.Body(ctx, r.Request); err == nil && render {
		s.render(ctx, env, backend, &r)
	}
	return r, err
}

// render asks the server for the prompt that it makes of a request, or says why it is not asked.
func (s *Session) render(ctx context.Context, env Environment, backend model.Inspector, r *inspect.Request) {
	if host := r.Model.Elsewhere(); host != "" {
		r.Unrendered = "It is left out: " + r.Model.Name + " runs at " + host + ", and the chat would have to be sent there."
		return
	}
	give, ok := env.Agent.TryTurn()
	if !ok {
		r.Unrendered = "It is left out: the model is answering something."
		return
	}
	defer give()
	var err error
	if r.Rendered, err = backend.RenderOnly(ctx, r.Request); err != nil {
		r.Unrendered = "It is left out: " + err.Error()
	}
}
