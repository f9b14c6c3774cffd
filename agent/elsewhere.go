package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/visible"
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

// declinedError says that a person does not want a model that runs elsewhere.
type declinedError struct{ name, host string }

func (e declinedError) Error() string {
	return fmt.Sprintf("Nothing was sent to %s, which runs at %s: name another model in the chat or in the settings.", e.name, e.host)
}

// permit asks a person about a model that runs elsewhere, where [Agent.Permit] does not suffice. Until the answer nothing
// is sent.
func (c *loop) permit(ctx context.Context) error {
	refusal := c.agent.Permit(c.job.Chat, c.job.Options, c.Model)
	if refusal == nil {
		return nil
	}
	q := c.modelQuestion()
	if c.job.CanAsk == nil || !c.job.CanAsk(q) {
		return refusal
	}
	c.publish([]Question{q})
	defer c.publish(nil)
	c.emit(Progress{Stage: Waiting, Note: q.Target})
	c.emit(CallWaiting{Question: q})
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case letter := <-c.run.mail:
			if over, err := c.openAbout(q, letter); over {
				return err
			}
		}
	}
}

// openAbout handles one letter while the question about the model waits.
func (c *loop) openAbout(q Question, letter any) (over bool, err error) {
	switch l := letter.(type) {
	case answerLetter:
		switch {
		case l.question != q.ID:
			l.reply <- ErrNoQuestion
		case l.answer.Kind == Deny:
			c.publish(nil) // before who answered looks what waits
			l.reply <- nil
			return true, declinedError{q.Model, q.Host}
		case l.answer.Kind == Once:
			c.agent.consents.give(c.job.Chat, c.Model)
			c.publish(nil)
			l.reply <- nil
			return true, nil
		default:
			l.reply <- errors.New("a model that runs elsewhere is allowed for this chat or not at all")
		}
	case reviseLetter:
		l.reply <- nil // no call waits
	case recheckLetter:
		l.reply <- nil
	}
	return false, nil
}

func (c *loop) modelQuestion() Question {
	name, host, by := visible.Line(c.Model.Name), visible.Line(c.Model.Elsewhere()), "The settings name it, and not your own settings file"
	if c.job.Document.Front.Model != "" {
		by = "The head of this chat names it"
	}
	return Question{
		ID: rand.Text(), Model: name, Host: host, Target: fmt.Sprintf("%s, which runs at %s", name, host),
		Preview: fmt.Sprintf("%s does not run on your model server but at %s.\n%s.\nIf you allow it, all of this chat is sent there: what you wrote, the list of files, "+
			"and every file and result that the model gets to see.\nIt is asked again when the server was restarted, or if the model runs elsewhere by then.\n", name, host, by),
	}
}

// sayWhere writes into the document, and not to the model, that this turn was answered elsewhere.
func (c *loop) sayWhere() {
	host := c.Model.Elsewhere()
	if host == "" {
		return
	}
	note := transcript.Context{Name: whereBlock, NotSent: true, Text: fmt.Sprintf("%s runs at %s. This chat was sent there.", c.Model.Name, host)}
	if !holds(c.job.Document, note) {
		c.emit(ContextAdded{note})
	}
}

// moved is the error of a reply that came from elsewhere though the model was said to run here: it was replaced meanwhile.
func (c *loop) moved(host string) error {
	return &model.Error{Kind: model.Incomplete, Sentence: fmt.Sprintf(
		"%s runs at %s by now, which nobody was asked about, so its reply was not taken: see what `ollama list` says of it.",
		c.Model.Name, host)}
}
