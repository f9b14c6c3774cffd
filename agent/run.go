package agent

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/guidance"
	"github.com/assent-ls/assent/agent/images"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/toolbox"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/formats"
)

const (
	defaultMaxSteps = 25
	maxRevised      = 400 // characters of a call that a person changed, in its result
	maxMalformed    = 3   // replies in a row with nothing but calls that cannot run
	maxSameCall     = 3   // times the same call may give the same result
	stoppedSentence = "Stopped."
)

// own is the run's goroutine: it emits exactly one Finished, whatever happens.
func (r *Run) own(ctx context.Context, a *Agent, job Job) {
	c := newLoop(a, r, job)
	end := event.Finished{
		Outcome: event.Broken, Sentence: "Assent stopped this run because of a bug in it; nothing was applied.",
	}
	defer func() {
		if p := recover(); p != nil {
			end.Err = fmt.Errorf("panic in a run: %v", p)
		}
		r.cancel()
		if c.asked {
			a.sent.Keep(job.Chat, c.Turns, c.context.lookup, c.exchange.sent)
		}
		if end.Outcome == event.Completed {
			r.answered = c
		}
		r.mu.Lock()
		r.questions, r.end = nil, end
		r.mu.Unlock()
		job.Sink.Emit(end)
		close(r.done)
	}()
	end = c.conduct(ctx)
}

// conduct is the phase machine: prepare, then compose, stream, decide and execute until the model has answered.
func (c *loop) conduct(ctx context.Context) event.Finished {
	if err := c.prepare(ctx); err != nil {
		return failure(ctx, err)
	}
	more := c.interpret(ctx)
	if c.job.Resume {
		if end, over := c.calls.resume(ctx); over {
			return end
		}
	} else {
		c.context.attach(ctx, more)
	}
	if c.job.Options.Summarize && !c.exchange.compact(ctx, math.MinInt) {
		return c.exchange.notSummarized(ctx)
	}
	steps := c.job.Options.MaxSteps
	if steps <= 0 {
		steps = defaultMaxSteps
	}
	for step := 1; step <= steps; step++ {
		if c.run.yields.Load() {
			return event.Finished{Outcome: event.Completed}
		}
		c.sayMarks()
		c.emit(event.StepStarted{Step: step})
		reply, err := c.exchange.answer(ctx)
		if err != nil {
			c.calls.abandon(reply.calls)
			return failure(ctx, err)
		}
		end, over := c.finishReply(ctx, reply)
		if over {
			return end
		}
	}
	return exhausted(
		"Stopped after %d steps without a final answer. The action Resume in this chat goes on, "+
			"as `assent send` does; the setting maxSteps allows more at once.", steps,
	)
}

// prepare chooses the model, its format and its context size, and says so.
func (c *loop) prepare(ctx context.Context) error {
	why, err := c.choose(ctx)
	if err != nil {
		return err
	}
	c.run.mu.Lock()
	c.run.model = c.Model.Name
	c.run.mu.Unlock()
	for _, step := range []func(context.Context) error{c.permit, c.try, c.converse, c.exchange.settle} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	c.dotted = isDotted(c.job.Document)
	c.nextID = opencalls.NextCallID(c.job.Document)
	c.emit(event.Started{
		Model: c.Model.Name, Format: c.Format.Name(), ContextSize: c.ContextSize, Why: why, Host: c.Model.Elsewhere(),
		Server: c.Model.Endpoint,
	})
	c.sayOverride()
	c.vary()
	c.sayThink()
	c.sayWhere()
	c.context.sayUnsent()
	return nil
}

// choose finds the model that answers, and says why it is this one if the user named none.
func (c *loop) choose(ctx context.Context) (why string, err error) {
	choose := c.agent.ChooseModelToSend
	if c.shown {
		choose = c.agent.ChooseModel
	}
	name, why, err := choose(ctx, c.job.Document, c.job.Options)
	if err != nil {
		return "", err
	}
	return why, c.describe(ctx, name)
}

// converse makes the conversation with the chosen model, as far as the document goes.
func (c *loop) converse(ctx context.Context) (err error) {
	if c.job.Prompt != nil {
		c.job.System = c.job.Prompt(ctx, c.Model.Name, c.agent.FamilyOf(c.Model.Name, c.Model))
	}
	if c.context.lookup, err = images.Load(ctx, c.job.Document, c.job.Images, c.Model); err != nil {
		return err
	}
	if c.Conversation, c.toolbox, err = c.agent.conversation(c.job, c.Model, c.context.lookup); err != nil {
		return err
	}
	c.guide()
	return nil
}

// hints are the limits of the next reply: none, but where the model is helped, and for the one call that is made again
// because it could not be read.
func (c *loop) hints(ctx context.Context) toolcall.Hints {
	c.Tools = c.toolbox.After(c.Turns) // what was found since the last reply can be called
	defer func() { c.retry = "" }()
	if c.guidance != nil {
		return c.guidance.Hint(ctx, c.view())
	}
	// a schema would forbid its thoughts
	if c.retry == "" || c.Profile.Constraint != model.Constrainable || c.Model.Can("thinking") {
		return toolcall.Hints{}
	}
	return toolcall.Hints{RequireCall: true, Only: []string{c.retry}}
}

// request composes what is sent next: runs send it, and Inspect shows it.
func (c *loop) request(hints toolcall.Hints) model.Request {
	c.Tools = c.toolbox.After(c.Turns)
	return compose.Request(c.Conversation, hints)
}

// conversation is what the request to a model is made of, as far as a job's document goes, and what the model may call.
func (a *Agent) conversation(
	job Job, info model.Info, images images.Lookup,
) (compose.Conversation, toolbox.Box, error) {
	profiles := a.Profiles.Load()
	profile, _ := profiles.For(info)
	sampling := engine.SamplingOf(job.Document).Over(job.Options.Sampling)
	format, err := a.ChooseFormat(job.Options, profile, sampling.Over(profile.Sampling).Think)
	if err != nil {
		return compose.Conversation{}, toolbox.Box{}, err
	}
	marks := compose.NewMarks(profiles, profile, info, format)
	format = formats.WithWords(format, marks.Escape(job.Options.ToolPrompt))
	// also where there is no image yet: what was sent must not change once there is one
	if info.Can("vision") || info.Can("audio") {
		marks = marks.WithImages()
	}
	var aside compose.Aside
	if a.guides(format) {
		aside = guidance.Aside{}
	}
	memory := a.memory(job.Begun)
	memory.Image, memory.Aside, memory.Facts = images.Find, aside, job.facts
	turns := compose.Turns(job.Document, memory)
	var box toolbox.Box
	if job.Tools != nil {
		box = toolbox.New(job.Tools.Registry().Specs(), job.Document.Front.Tools, profiles.CoreOf(profile), job.Options.ToolSearch)
	}
	return compose.Conversation{
		Model: info, Profile: profile, Format: format, Marks: marks,
		ContextSize: a.ExpectedSize(job.Options, info), KeepAlive: job.Options.KeepAlive,
		Temperature: cmp.Or(job.Document.Front.Sampling.Temperature, job.Options.Temperature), Sampling: sampling,
		Aside:  aside,
		System: job.System, Tools: box.After(turns), Turns: turns,
	}, box, nil
}

// finishReply acts on a complete reply: it ends the run when the reply has no call, else it decides and executes the
// calls.
func (c *loop) finishReply(ctx context.Context, reply *reply) (event.Finished, bool) {
	turn := toolcall.Turn{
		Role: model.RoleAssistant, Text: strings.TrimSpace(reply.text.String()), Calls: callsOf(reply.calls),
	}
	wrong := make([]string, len(reply.malformed))
	for i, m := range reply.malformed {
		wrong[i] = m.Raw
	}
	c.agent.raws.Keep(turn, wrong, reply.raw.String())
	turn.Raw = reply.raw.String()
	c.Turns = append(c.Turns, compose.WithMalformed(turn, wrong))
	c.emit(event.StepEnded{Done: reply.done, Took: reply.took, Usage: reply.usage})

	if len(reply.calls) == 0 {
		return c.finishWithoutCalls(reply)
	}
	c.malformed = 0
	if end, over := c.calls.execute(ctx, reply.calls); over {
		return end, true
	}
	c.complain(reply.malformed)
	return event.Finished{}, false
}

func (c *loop) finishWithoutCalls(reply *reply) (event.Finished, bool) {
	if reply.shown != nil && len(reply.malformed) == 1 {
		return c.finishShownReply(reply)
	}
	if len(reply.malformed) > 0 {
		c.malformed++
		if c.malformed >= maxMalformed {
			return exhausted(
				"%s wrote %d replies in a row with tool calls that cannot be read. "+
					"The action \"Find out how this model calls tools\" in this chat, or `assent doctor --probe %s`, "+
					"finds the way that works best.", c.Model.Name, c.malformed, c.Model.Name,
			), true
		}
		c.complain(reply.malformed)
		return event.Finished{}, false
	}
	if most := c.Sampling.Over(c.Profile.Sampling).LongestReply; reply.done.Reason == "length" && most != nil &&
		reply.done.OutputTokens >= *most {
		return exhausted(
			"The reply was cut after %d tokens, as longestReply says in your settings, "+
				"or num_predict in the chat or the model's profile.", *most,
		), true
	}
	if reply.done.Reason == "length" {
		return exhausted(
			"The reply was cut at the end of the context of %d tokens. "+
				"Start a New chat, or raise the setting contextSize.", c.ContextSize,
		), true
	}
	if reply.text.Len() == 0 {
		return exhausted("%s answered with nothing. Retry, or ask in other words.", c.Model.Name), true
	}
	return event.Finished{Outcome: event.Completed}, true
}

// finishShownReply ends a run whose reply has no call but one that is only shown: it is an answer, and the model reads
// that nothing was run with whatever comes next. A reply that is only such a call was hardly meant as an answer, so
// once in a run the model reads that at once and goes on.
func (c *loop) finishShownReply(reply *reply) (event.Finished, bool) {
	c.complain(reply.malformed)
	if reply.shown.Alone && !c.explained {
		c.explained = true
		return event.Finished{}, false
	}
	return event.Finished{Outcome: event.Completed}, true
}

// complain tells the model what was wrong with calls that cannot run. If it was one call of a known tool, the next
// reply is constrained to that tool's schema.
func (c *loop) complain(malformed []toolcall.Malformed) {
	for _, m := range malformed {
		c.Turns = append(c.Turns, compose.Complaint(m.Raw, m.Reason))
	}
	if len(malformed) == 1 &&
		slices.ContainsFunc(c.Tools, func(t model.Tool) bool { return t.Name == malformed[0].Name }) {
		c.retry = malformed[0].Name
	}
}

// Start begins a run and returns at once. The run ends when ctx does, on Stop, or by itself; the sink's last event is
// its one Finished.
func (a *Agent) Start(ctx context.Context, job Job) *Run {
	ctx, cancel := context.WithCancel(ctx)
	r := &Run{cancel: cancel, requests: make(chan request), done: make(chan struct{}), output: newOutput()}
	go r.own(ctx, a, job)
	return r
}
