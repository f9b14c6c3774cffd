package agent

import (
	"context"
	"fmt"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// whereBlock is the name of the context block that says where a model runs. It is not sent.
const whereBlock = "model"

// permit asks a person about a model that runs elsewhere, where [Agent.Permit] does not suffice. Until the answer
// nothing is sent.
func (c *loop) permit(ctx context.Context) error {
	if err := c.approve(ctx); err != nil {
		return err
	}
	refusal := c.agent.Permit(c.job.Chat, c.job.Options, c.Model)
	if refusal == nil || engine.IsForbidden(refusal) {
		return refusal
	}
	q := event.AskElsewhere(c.Model, c.namedBy())
	if err := c.calls.mustAllow(ctx, q, refusal, fmt.Sprintf(
		"Nothing was sent to %s, which runs at %s: name another model in the chat or in the settings.", q.Model, q.Host,
	)); err != nil {
		return err
	}
	c.agent.Consents.Give(c.job.Chat, c.Model)
	return nil
}

// approve asks a person about a server that nobody declared. A yes counts until another user's process listens there.
func (c *loop) approve(ctx context.Context) error {
	at := c.Model.Found
	finds, ok := c.agent.Backend().(model.Discoverer)
	if at == nil || !ok {
		return nil
	}
	err := c.calls.mustAllow(
		ctx, event.AskServer(c.Model.Name, *at), c.agent.Permit(c.job.Chat, c.job.Options, c.Model), fmt.Sprintf(
			"Nothing was sent to the server at %s: name another model in the chat or in the settings.", at.Address,
		),
	)
	if err == nil {
		err = finds.Approve(c.Model)
	}
	if err == nil {
		c.Model, err = c.agent.Backend().Describe(ctx, c.Model.Name)
	}
	return err
}

// try finds out what the server does with the model, where that is not known: servers accept what they then do not do.
func (c *loop) try(ctx context.Context) error {
	if !c.agent.MustTry(c.Model.Name) {
		return nil
	}
	give, err := c.exchange.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer give()
	c.progress(event.Loading, "finding out what the server does with "+c.Model.Name)
	c.Model, err = c.agent.Try(ctx, c.Model)
	return err
}

// sayWhere writes into the document, and not to the model, that this turn was answered elsewhere.
func (c *loop) sayWhere() {
	host := c.Model.Elsewhere()
	if host == "" {
		return
	}
	note := fmt.Sprintf("%s runs at %s. This chat was sent there.", c.Model.Name, host)
	if !holds(c.job.Document, whereBlock, note) {
		c.note(whereBlock, note)
	}
}
