package agent

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/internal/visible"
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
	q := c.modelQuestion()
	asked, allowed, err := c.calls.askAlone(ctx, q)
	switch {
	case err != nil:
		return err
	case !asked:
		return refusal
	case !allowed:
		return declinedError{fmt.Sprintf(
			"Nothing was sent to %s, which runs at %s: name another model in the chat or in the settings.", q.Model,
			q.Host,
		)}
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
	asked, allowed, err := c.calls.askAlone(ctx, c.serverQuestion(*at))
	switch {
	case err != nil:
		return err
	case !asked:
		return c.agent.Permit(c.job.Chat, c.job.Options, c.Model)
	case !allowed:
		return declinedError{fmt.Sprintf(
			"Nothing was sent to the server at %s: name another model in the chat or in the settings.", at.Address,
		)}
	}
	if err := finds.Approve(c.Model); err != nil {
		return err
	}
	c.Model, err = c.agent.Backend().Describe(ctx, c.Model.Name)
	return err
}

func (c *loop) serverQuestion(at model.Listener) event.Question {
	name, process := visible.Line(c.Model.Name), "Whose process listens there is not known."
	if at.Process != "" {
		process = "There listens " + at.Process + "."
	}
	return event.Question{
		ID: rand.Text(), Model: name, Host: at.Address,
		AskedCall: event.AskedCall{
			Target: fmt.Sprintf("%s at %s, which you did not declare", name, at.Address), Notice: process,
			Preview: fmt.Sprintf("What answers at %s of this machine says that it is a model server.\n"+
				"It was asked what it is and which models it has, and nothing else.\n"+
				"If you allow it, this chat is sent there, and so are other chats that name a model of it, without a question.\n"+
				"It is asked again if a process of another user listens there. To give it a name of your own, declare it in servers.json.\n",
				at.Address),
		},
	}
}

func (c *loop) modelQuestion() event.Question {
	name, host, by := visible.Line(c.Model.Name), visible.Line(c.Model.Elsewhere()), c.namedBy()
	return event.Question{
		ID: rand.Text(), Model: name, Host: host,
		AskedCall: event.AskedCall{
			Target: fmt.Sprintf("%s, which runs at %s", name, host),
			Preview: fmt.Sprintf("%s does not run on your model server but at %s.\n%s.\nIf you allow it, all of this chat is sent there: what you wrote, the list of files, "+
				"and every file and result that the model gets to see.\nIt is asked again when the server was restarted, or if the model runs elsewhere by then.\n", name, host, by),
		},
	}
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

// moved is the error of a reply that came from elsewhere though the model was said to run here: it was replaced
// meanwhile.
func (c *loop) moved(host string) error {
	return &model.Error{Kind: model.Incomplete, Sentence: fmt.Sprintf(
		"%s runs at %s by now, which nobody was asked about, so its reply was not taken: see what `ollama list` says of it.",
		c.Model.Name, host)}
}
