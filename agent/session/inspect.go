package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/inspect"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/prompts"
)

// Render says whether Inspect asks the server for the prompt that it makes of a request.
type Render int

// The server loads a model for that, if it is not loaded with the context size of the request.
const (
	RenderNot    Render = iota
	RenderLoaded        // only if that is so already
	RenderAlways
)

// renderTime is how long a server may take for a prompt of a model that is loaded.
const renderTime = 10 * time.Second

// Prompt is the system prompt that Send would use now, and about how many tokens it takes. No model server is asked: if
// no model is named, it is the one for any.
func (s *Session) Prompt(ctx context.Context) (prompt prompts.Prompt, tokens int, err error) {
	env, snapshot, err := readNow(s)
	if err != nil {
		return prompt, 0, err
	}
	prompt, _ = env.PromptNow(ctx, snapshot.Chat()) // its layers say what is wrong with them
	return prompt, env.Agent.Tokens(engine.Named(snapshot.Chat(), env.Options), prompt.Text), nil
}

// Check says in sentences which places of the chat are sent in another way than they are there.
func (s *Session) Check() ([]string, error) {
	snapshot, err := s.document.Read()
	if err != nil {
		return nil, err
	}
	return check(snapshot), nil
}

func check(snapshot Snapshot) []string {
	var said []string
	for _, p := range snapshot.Chat().Problems {
		if p.Hint {
			said = append(said, p.Message)
		}
	}
	for _, f := range compose.Check(snapshot.Chat()) {
		said = append(
			said, fmt.Sprintf("Line %d: %s", strings.Count(snapshot.Text()[:f.Span.Start], "\n")+1, f.Message),
		)
	}
	return said
}

// ReadAgain finds the first turn in a state of the chat from which the model has to read the prompt again, since it was
// changed after it was sent.
func (s *Session) ReadAgain(chat *transcript.Chat) (turn int, ok bool) {
	env, err := s.environment()
	if err != nil || env.Agent == nil {
		return 0, false
	}
	path := s.document.Path()
	return env.Agent.ReadAgain(path, chat, env.Begun(path))
}

// Inspect returns the request that Send would make now. If Send would make none, it is what the model sees of the chat
// as it is. Nothing is sent to the model, and nothing is written.
func (s *Session) Inspect(ctx context.Context, render Render) (inspect.Request, error) {
	env, snapshot, err := readNow(s)
	if err != nil {
		return inspect.Request{}, err
	}
	chat := snapshot.Chat()
	if err := checkHead(chat); err != nil {
		return inspect.Request{}, err
	}
	e, wrong := env.expanded(ctx, snapshot, true)
	if e.text != "" {
		chat = transcript.Parse(snapshot.Text()[:e.at.Start] + e.text + snapshot.Text()[e.at.End:])
	}
	document := *chat
	r := inspect.Request{Chat: s.document.Path(), Document: &document, Notes: check(snapshot), Flags: env.Flags}
	if e.command.Summarizes {
		r.Notes = append(
			r.Notes,
			"Send has the model write a summary first, which takes the place of what was said before. It is not known yet, so this is the request without it.",
		)
	}
	turn, _, err := toSend(chat, env.Begun(r.Chat))
	switch err = errors.Join(wrong, err); {
	case s.Running():
		r.Unsent = ErrBusy.Error()
	case err != nil:
		r.Unsent = err.Error()
	default:
		document.Turns = document.Turns[:turn+1]
	}
	job := agent.Job{Chat: r.Chat, Document: &document, Options: env.Options, Resume: r.Unsent != ""}
	job.Options.Summarize = e.command.Summarizes
	if err := env.Configure(ctx, &job, s.reads.Clone()); err != nil { // of a clone: nothing is read by being looked at
		r.Notes = append(r.Notes, err.Error())
	}
	if r.Inspection, err = env.Agent.Inspect(ctx, job); err != nil {
		return r, err
	}
	// What is wrong with a prompt was noted before.
	r.Prompt, _ = env.Prompt(ctx, &document, r.Model.Name, env.Agent.Family(r.Model.Name))
	backend, ok := env.Agent.Backend().(model.Inspector)
	if !ok {
		return r, errors.New(env.Agent.Backend().Name() + " does not show requests")
	}
	if r.Body, err = backend.Body(ctx, r.Request); err == nil {
		r.Rendered, r.Unrendered = env.rendered(ctx, backend, r.Inspection, render)
		r.All, err = withBodies(ctx, backend, r.Inspection.All)
	}
	if err == nil {
		r.Sent, err = withBodies(ctx, backend, r.Inspection.Sent)
	}
	return r, err
}

// withBodies are requests with what goes over the wire.
func withBodies(ctx context.Context, backend model.Inspector, list []event.Asked) (all []inspect.Asked, err error) {
	for _, asked := range list {
		with := inspect.Asked{Asked: asked}
		if req := asked.Request; asked.Kind == event.Load {
			with.Body, err = backend.PreloadBody(ctx, req.Model, req.ContextSize, req.KeepAlive)
		} else {
			with.Body, err = backend.Body(ctx, req)
		}
		if err != nil {
			return all, err
		}
		all = append(all, with)
	}
	return all, nil
}

// rendered asks the server for the prompt that it makes of a request, or says why it is not asked.
func (e Environment) rendered(
	ctx context.Context, backend model.Inspector, in agent.Inspection, render Render,
) (prompt, unrendered string) {
	const leftOut = "It is left out: "
	switch host := in.Model.Elsewhere(); {
	case render == RenderNot:
		return "", leftOut + "it was not asked for."
	case host != "":
		return "", leftOut + in.Model.Name + " runs at " + host + ", and the chat would have to be sent there."
	case render == RenderLoaded && in.Model.LoadedContext != in.Request.ContextSize:
		return "", fmt.Sprintf(
			leftOut+
				"%s is not loaded with %d tokens of context, and the server would have to load it. After a Send it is.",
			in.Model.Name, in.Request.ContextSize,
		)
	}
	give, ok := e.Agent.TryTurn(in.Model.Name)
	if !ok {
		return "", leftOut + "the model is answering something."
	}
	defer give()
	if render == RenderLoaded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, renderTime)
		defer cancel()
	}
	prompt, err := backend.RenderOnly(ctx, in.Request)
	if err != nil {
		return "", leftOut + err.Error()
	}
	return prompt, ""
}
