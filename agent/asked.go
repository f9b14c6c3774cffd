package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
)

// Asked is a request to the model server, with its reason.
type Asked struct {
	Why     string // a line for people
	Kind    AskedKind
	Request model.Request // of a Load, only the model, the context size and the time that it stays loaded count
}

// AskedKind says what a request has to do with the chat.
type AskedKind string

// The kinds of requests.
const (
	ForReply AskedKind = "reply" // the chat itself
	Separate AskedKind = "apart" // something asked for beside it
	Load     AskedKind = "load"  // the model is loaded and asked nothing
)

// maxAsked is how many requests of the last run of a chat are remembered, the newest.
const maxAsked = 60

// asks keeps a request that is sent.
func (c *loop) asks(a Asked) {
	if len(c.sent) == maxAsked {
		c.sent = slices.Delete(c.sent, 0, 1)
	}
	c.sent = append(c.sent, a)
}

// around are the requests that a Send would make around the one for its reply, in order.
func (c *loop) around(ctx context.Context, reply model.Request) []Asked {
	list := append(c.ahead(), Asked{whyReply, ForReply, reply})
	if c.guidance != nil {
		for _, r := range c.guidance.Later(ctx, c.view()) {
			list = append(list, Asked{r.Why, Separate, r.Request})
		}
	}
	return list
}

// ahead are the requests that a Send makes before the reply, as far as they are known.
func (c *loop) ahead() (list []Asked) {
	if c.Model.LoadedContext != c.ContextSize && c.Model.Elsewhere() == "" {
		why := fmt.Sprintf("loads %s with a context of %d tokens, if it is not loaded so by then: at the first edit of a chat, or by Send", c.Model.Name, c.ContextSize)
		list = append(list, Asked{why, Load, model.Request{Model: c.Model.Name, ContextSize: c.ContextSize, KeepAlive: c.KeepAlive}})
	}
	if at := compose.LastQuestion(c.Turns); c.summary != nil {
		list = append(list, *c.summary)
	} else if at > 0 && c.job.Options.Summarize {
		list = append(list, c.askSummary(c.Turns[:at]))
	}
	return list
}
