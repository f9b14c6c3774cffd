package agent

import (
	"context"
	"fmt"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// around are the requests that a Send would make around the one for its reply, in order.
func (c *exchange) around(ctx context.Context, reply model.Request) []event.Asked {
	list := append(c.ahead(), event.Asked{Why: whyReply, Kind: event.ForReply, Request: reply})
	if c.guidance != nil {
		for _, r := range c.guidance.Later(ctx, c.view()) {
			list = append(list, event.Asked{Why: r.Why, Kind: event.Separate, Request: r.Request})
		}
	}
	return list
}

// ahead are the requests that a Send makes before the reply, as far as they are known.
func (c *exchange) ahead() (list []event.Asked) {
	if c.Model.LoadedContext != c.ContextSize && c.Model.Elsewhere() == "" {
		why := fmt.Sprintf(
			"loads %s with a context of %d tokens, if it is not loaded so by then: at the first edit of a chat, "+
				"or by Send",
			c.Model.Name, c.ContextSize,
		)
		list = append(
			list,
			event.Asked{
				Why: why, Kind: event.Load,
				Request: model.Request{Model: c.Model.Name, ContextSize: c.ContextSize, KeepAlive: c.KeepAlive},
			},
		)
	}
	if at := compose.LastQuestion(c.Turns); c.summary != nil {
		list = append(list, *c.summary)
	} else if at > 0 && c.job.Options.Summarize {
		list = append(list, c.askSummary(c.Turns[:at]))
	}
	return list
}
