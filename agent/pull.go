package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/sourcegraph/conc/panics"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/internal/visible"
)

// describe asks what the server knows of the model that was chosen. One that it does not have is fetched, if a person
// wants that.
func (c *loop) describe(ctx context.Context, name string) error {
	describe := c.agent.Describe
	if c.shown {
		describe = c.agent.Backend().Describe
	}
	var err error
	c.Model, err = describe(ctx, name)
	if missing, ok := errors.AsType[*model.Error](err); !ok || missing.Kind != model.NotInstalled {
		return err
	}
	if err := c.pull(ctx, name, err); err != nil {
		return err
	}
	// Who said yes to that was not told that it may run elsewhere, so it is asked about even if they named it
	// themselves.
	c.job.Options.UserModels = nil
	c.Model, err = c.agent.Backend().Describe(ctx, name)
	return err
}

// pull asks a person whether the server shall fetch a model that it does not have, and has it fetched. missing is the
// error for who cannot be asked.
func (c *loop) pull(ctx context.Context, name string, missing error) error {
	puller, ok := c.agent.Backend().(model.Puller)
	if !ok {
		return missing
	}
	from := puller.Source(name)
	if from.Host == "" {
		return missing
	}
	if err := c.calls.mustAllow(ctx, event.AskPull(name, from, missing, c.namedBy()), missing, fmt.Sprintf(
		"%s was not pulled, so nothing was sent: name another model in the chat or in the settings.",
		visible.Line(name),
	)); err != nil {
		return err
	}
	return c.fetch(ctx, puller, from.Name)
}

// fetch has the server fetch a model, and says meanwhile how far that is.
func (c *loop) fetch(ctx context.Context, puller model.Puller, name string) (err error) {
	latest, done := make(chan model.Pulled, 1), make(chan struct{})
	var task panics.Catcher
	go func() {
		defer close(done)
		task.Try(func() {
			err = puller.Pull(ctx, name, func(now model.Pulled) {
				select {
				case <-latest: // it is out of date
				default:
				}
				latest <- now
			})
		})
	}()
	c.progress(event.Pulling, name)
	var said string
	tell := func(now model.Pulled) {
		if word := now.String(); word != said {
			said = word
			c.emit(event.Progress{Stage: event.Pulling, Note: name + ": " + word, Done: now.Done, Total: now.Total})
		}
	}
	for {
		select {
		case <-done:
			task.Repanic()
			select {
			case now := <-latest: // how far it came is told, however fast it was
				tell(now)
			default:
			}
			return err
		case now := <-latest:
			tell(now)
		case request := <-c.run.requests:
			c.calls.handle(ctx, request, nil) // nothing waits
		}
	}
}

// namedBy says who names the model of the chat.
func (c *loop) namedBy() string { return engine.NamedBy(c.job.Document, c.job.Options) }
