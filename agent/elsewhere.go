package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/internal/visible"
)

// whereBlock is the name of the context block that says where a model runs. It is not sent.
const whereBlock = "model"

// consents remembers, until the process ends, which models that run elsewhere a person wants in which chat.
type consents struct {
	mu    sync.Mutex
	given map[consent]bool // guarded by mu
}

// consent is for a model as it was described: under the same name another one may run at another place later.
type consent struct{ chat, model, host string }

func newConsents() *consents { return &consents{given: map[consent]bool{}} }

func (c *consents) give(chat string, info model.Info) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given[consent{chat, info.Name, info.RemoteHost}] = true
}

func (c *consents) has(chat string, info model.Info) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.given[consent{chat, info.Name, info.RemoteHost}]
}

// Permit refuses a model that runs elsewhere, unless the user named it themselves or said yes to it in this chat.
func (a *Agent) Permit(chat string, o Options, info model.Info) error {
	host := info.Elsewhere()
	named := func(own string) bool { return model.SameName(own, info.Name) }
	if host == "" || slices.ContainsFunc(o.UserModels, named) || a.consents.has(chat, info) {
		return nil
	}
	return &model.Error{Kind: model.Refused, Sentence: fmt.Sprintf(
		"%s runs at %s and you did not name it yourself, so nothing was sent: name it with --model or in your settings file, or choose another model.",
		info.Name, host)}
}

// permit asks a person about a model that runs elsewhere, where [Agent.Permit] does not suffice. Until the answer
// nothing is sent.
func (c *loop) permit(ctx context.Context) error {
	refusal := c.agent.Permit(c.job.Chat, c.job.Options, c.Model)
	if refusal == nil {
		return nil
	}
	q := c.modelQuestion()
	asked, allowed, err := c.askAlone(ctx, q)
	switch {
	case err != nil:
		return err
	case !asked:
		return refusal
	case !allowed:
		return declinedError{fmt.Sprintf("Nothing was sent to %s, which runs at %s: name another model in the chat or in the settings.", q.Model, q.Host)}
	}
	c.agent.consents.give(c.job.Chat, c.Model)
	return nil
}

func (c *loop) modelQuestion() Question {
	name, host, by := visible.Line(c.Model.Name), visible.Line(c.Model.Elsewhere()), c.namedBy()
	return Question{
		ID: rand.Text(), Model: name, Host: host,
		AskedCall: AskedCall{
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

var errMoved = errors.New("the model runs somewhere else by now, which nobody was asked about")

// movedTo is where a part of a reply was written, if that is another machine than was told of the model; empty: it is
// not.
func movedTo(info model.Info, chunk model.Chunk) string {
	if host := (model.Info{RemoteHost: chunk.RemoteHost}).Elsewhere(); host != info.Elsewhere() {
		return host
	}
	return ""
}
