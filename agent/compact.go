package agent

import (
	"context"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/prompts"
)

const (
	summaryTokens = 600  // of a summary
	maxSummary    = 4000 // bytes of it that are kept
	saidShare     = 8    // what the user said is kept word by word within one part of so many of the context
)

// compact lets the model write a summary of the turns above the last question, and goes on with it instead of them. The
// document keeps them all. It is one more turn on the same prefix, so the server reads little of it again. It reports
// whether that makes enough room.
func (c *exchange) compact(ctx context.Context, over int) bool {
	at := compose.LastQuestion(c.Turns)
	if at == 0 {
		return false
	}
	said := compose.Said(c.job.Document, c.ContextSize/saidShare, c.tokens)
	saved := -summaryTokens - c.tokens(said)
	for _, turn := range c.Turns[:at] {
		saved += max(c.tokens(turn.Text), c.tokens(turn.Raw))
	}
	if saved < over {
		return false
	}
	if c.shown {
		c.summary = new(c.askSummary(c.Turns[:at]))
		return false
	}
	summary := c.summarize(ctx, c.Turns[:at])
	if summary == "" || ctx.Err() != nil {
		return false
	}
	summary = compose.WithSaid(said, summary)
	c.emit(event.ContextAdded{Block: attach.Block{Name: compose.SummaryBlock, Parts: content.Texts(summary)}})
	c.Turns = compose.Summarize(c.Turns, summary)
	return true
}

// summarize asks for the summary; empty: there is none.
func (c *exchange) summarize(ctx context.Context, turns []toolcall.Turn) string {
	give, err := c.takeTurn(ctx)
	if err != nil {
		return ""
	}
	defer give()
	note := "the chat is too long for the context, so a summary of its beginning is written"
	if c.job.Options.Summarize {
		note = "a summary of the chat so far is written"
	}
	c.progress(event.Reading, note)
	decoder := c.Format.Decoder(c.toolbox.All())
	var text strings.Builder
	err = c.chat(ctx, c.askSummary(turns), func(chunk model.Chunk) string {
		events := decoder.Push(chunk)
		text.WriteString(answerIn(events))
		return said(events)
	})
	if err != nil {
		return ""
	}
	text.WriteString(answerIn(decoder.End(true)))
	summary := strings.TrimSpace(transcript.NormalText(text.String()))
	if len(summary) > maxSummary {
		summary = strings.ToValidUTF8(summary[:maxSummary], "") + " …"
	}
	return summary
}

// askSummary is the request for a summary of turns: one more turn on the same prefix.
func (c *exchange) askSummary(turns []toolcall.Turn) event.Asked {
	about, hints := c.withQuestion(turns, prompts.Summarize()), toolcall.Hints{RequireAnswer: true}
	req := compose.Request(about, hints)
	if int(float64(c.agent.Meter.Estimate(req).Tokens)*c.off)+summaryTokens > c.ContextSize {
		about.Turns, _ = compose.Fit(about.Turns, c.ContextSize, true, c.tokens)
		req = compose.Request(about, hints)
	}
	req.MaxTokens = summaryTokens
	return event.Asked{
		Why: "a summary of what is above the question, which is sent in its place", Kind: event.Separate,
		Request: req,
	}
}

// notSummarized ends a run that was to begin with a summary.
func (c *exchange) notSummarized(ctx context.Context) event.Finished {
	if ctx.Err() != nil {
		return failure(ctx, ctx.Err())
	}
	why := c.Model.Name +
		" wrote no summary, so the question was not sent: Send asks it, and all of the chat goes with it."
	if compose.LastQuestion(c.Turns) == 0 {
		why = "There is nothing above this question that could be summarised: it was not sent. Send asks it."
	}
	return event.Finished{Outcome: event.Broken, Sentence: why}
}
