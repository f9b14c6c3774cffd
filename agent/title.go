package agent

import (
	"context"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/prompts"
)

const (
	titleTokens = 48               // of a title, with what is around it in a constrained reply
	titleTime   = 30 * time.Second // after which the chat keeps its first words
)

// Title asks the model for a title of the chat, once the run has answered its first question; empty: there is none. It
// is one more turn on what the server has just read, with all that is before it, so that the next request finds its
// prefix where it was. Every chat goes first, and ends it.
func (r *Run) Title(ctx context.Context) string {
	<-r.done
	c := r.answered
	if c == nil || r.yields.Load() || !c.canTitle() {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, titleTime)
	defer cancel()
	defer c.agent.InterruptibleAt(c.Model.Name, cancel)()
	give, err := c.agent.QueueOf(c.Model.Name).Wait(ctx, engine.Requester{Later: true}, func(string) {})
	if err != nil {
		return ""
	}
	defer give()
	go c.agent.EndWhenWanted(ctx, c.Model.Name, cancel)
	asked := c.askTitle()
	if c.agent.Meter.Estimate(asked.Request).Margin()+titleTokens > c.ContextSize {
		return ""
	}
	c.exchange.asks(asked)
	c.agent.sent.Keep(c.job.Chat, c.Turns, c.context.lookup, c.exchange.sent)
	decoder := c.Format.Decoder(c.toolbox.All())
	var text strings.Builder
	cut := false
	err = c.agent.Backend().Chat(ctx, asked.Request, func(chunk model.Chunk) error {
		if engine.MovedTo(c.Model, chunk) != "" {
			return engine.ErrMoved
		}
		cut = cut || chunk.Done != nil && chunk.Done.Reason == "length"
		text.WriteString(answerIn(decoder.Push(chunk)))
		return ctx.Err()
	})
	if err != nil || cut {
		return ""
	}
	text.WriteString(answerIn(decoder.End(true)))
	return compose.TitleOf(text.String())
}

// canTitle reports whether the model is to find a title: for the first question of a chat that has none, by a model
// that would not think first, since to switch that off can change how the prompt begins.
func (c *loop) canTitle() bool {
	own := 0
	for _, turn := range c.job.Document.Turns {
		if turn.Role == transcript.You && !turn.Empty() {
			own++
		}
	}
	return c.job.Options.Titles && own == 1 && c.job.Document.Front.Title == "" && !c.Model.Can("thinking") &&
		c.Model.Elsewhere() == ""
}

// askTitle is the request for the title.
func (c *loop) askTitle() event.Asked {
	req := compose.Request(c.withQuestion(c.Turns, prompts.Title()), toolcall.Hints{RequireAnswer: true})
	req.MaxTokens = titleTokens
	return event.Asked{
		Why: "a title for the chat, once its first question is answered", Kind: event.Separate, Request: req,
	}
}
