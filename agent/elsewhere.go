package agent

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/internal/visible"
)

// whereBlock is the name of the context block that says where a model runs. It is not sent.
const whereBlock = "model"

// permit asks a person about a model that runs elsewhere, where [Agent.Permit] does not suffice. Until the answer
// nothing is sent.
func (c *loop) permit(ctx context.Context) error {
	refusal := c.agent.Permit(c.job.Chat, c.job.Options, c.Model)
	if refusal == nil {
		return nil
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
