package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
)

// The bounds of what a server may ask the model.
const (
	maxSampled      = 32 << 10 // bytes of all its messages: a person reads them
	maxMessages     = 50
	maxSampleTokens = 2048 // of an answer
	maxSamples      = 3    // during one call
)

// codeRejected tells a server that the person did not want it.
const codeRejected = -1

// sample asks the model for the server in the older protocol, where it does not say for which call it asks.
func (c *connection) sample(
	ctx context.Context, p *sdk.CreateMessageWithToolsParams,
) (*sdk.CreateMessageWithToolsResult, error) {
	r := c.newest()
	if r == nil {
		c.log.say("it asked the model something while no call ran: nobody was asked")
		return nil, rejected("nobody is there who could be asked")
	}
	return c.sampleFor(ctx, r, p)
}

// sampleFor asks the person whether the model answers the server during a call, and gives it the answer.
func (c *connection) sampleFor(
	ctx context.Context, r *runningCall, p *sdk.CreateMessageWithToolsParams,
) (*sdk.CreateMessageWithToolsResult, error) {
	if p == nil {
		p = &sdk.CreateMessageWithToolsParams{}
	}
	if !r.mayAsk() {
		return nil, rejected(errOften.Error())
	}
	asked, err := c.modelInquiry(p)
	if err != nil {
		return nil, c.invalid("it asked the model something that cannot be asked: ", err)
	}
	if r.samples.Add(1) > maxSamples {
		err = fmt.Errorf("it asked the model more than %d times during one call", maxSamples)
		c.log.say(err.Error())
		return nil, rejected(err.Error())
	}
	reply, err := r.ask(ctx, tools.Inquiry{
		From: "the server " + c.name, Model: asked, Yes: "Let the model answer the server",
		Target: fmt.Sprintf(
			"The server %s wants the model to answer: %q", c.name,
			visible.Shorten(visible.Line(asked.Messages[len(asked.Messages)-1].Text), 200),
		),
		Text:   c.sampleText(r.tool, asked),
		Notice: fmt.Sprintf("What the model answers goes to the server %s.", c.name),
	})
	switch {
	case err != nil:
		c.log.say("the model did not answer it: " + err.Error())
		return nil, rejected(whyNoAnswer(err))
	case !reply.Yes:
		return nil, rejected("the user said no")
	}
	result := &sdk.CreateMessageWithToolsResult{Role: "assistant", Model: reply.Model, StopReason: "endTurn"}
	text := reply.Text
	if reply.Cut {
		result.StopReason = "maxTokens"
	}
	for _, stop := range p.StopSequences {
		if before, _, found := strings.Cut(text, stop); found && stop != "" {
			text, result.StopReason = before, "stopSequence"
		}
	}
	result.Content = []sdk.Content{&sdk.TextContent{Text: text}}
	return result, nil
}

func rejected(why string) error { return &jsonrpc.Error{Code: codeRejected, Message: why} }

// whyNoAnswer says to a server why the model did not answer. It learns nothing of the model or of where that runs.
func whyNoAnswer(err error) string {
	for _, known := range []error{tools.ErrNobody, tools.ErrLong} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "the model did not answer"
}

// lineEnds makes one kind of line end of all that a person may see as one.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// modelInquiry is what a server wants the model to answer, without its secrets and with nothing hidden, as a person
// sees it. What it says about tools, of other context and of which model it likes is not heeded.
func (c *connection) modelInquiry(p *sdk.CreateMessageWithToolsParams) (*tools.ModelInquiry, error) {
	clean := func(text string) string {
		return visible.Text(lineEnds.Replace(strings.ToValidUTF8(c.hide(text), "\ufffd")))
	}
	asked := &tools.ModelInquiry{System: clean(p.SystemPrompt), MaxTokens: int(min(p.MaxTokens, maxSampleTokens))}
	size := len(asked.System)
	switch {
	case p.MaxTokens <= 0:
		return nil, errors.New("it does not say how many tokens the answer may have")
	case len(p.Tools) > 0:
		return nil, errors.New("the model gets no tools for servers")
	case len(p.Messages) > maxMessages:
		return nil, fmt.Errorf("it has more than %d messages", maxMessages)
	}
	if p.Temperature != 0 {
		asked.Temperature = &p.Temperature
	}
	for _, m := range p.Messages {
		if m == nil {
			continue
		}
		said := tools.ModelMessage{Assistant: m.Role == "assistant"}
		for _, part := range m.Content {
			text, ok := part.(*sdk.TextContent)
			if !ok {
				return nil, errors.New("the model gets nothing but text from servers")
			}
			said.Text += clean(text.Text)
		}
		size += len(said.Text)
		asked.Messages = append(asked.Messages, said)
	}
	switch {
	case len(asked.Messages) == 0:
		return nil, errors.New("it has no message for the model")
	case size > maxSampled:
		return nil, fmt.Errorf("it is more than %d KB, which nobody would read", maxSampled>>10)
	}
	return asked, nil
}

// sampleText shows all that would be sent to the model.
func (c *connection) sampleText(tool string, asked *tools.ModelInquiry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The server %s, whose tool %s runs, wants the model to answer this, in at most %d tokens. "+
		"The model gets nothing else: nothing of this chat, and no tools.\n",
		c.name, tool, asked.MaxTokens)
	part := func(who, text string) {
		b.WriteString("\n" + who + ":\n")
		quote(&b, text)
	}
	if asked.System != "" {
		part("As the system prompt", asked.System)
	}
	for _, m := range asked.Messages {
		if m.Assistant {
			part("As words of the model", m.Text)
		} else {
			part("As words of a user", m.Text)
		}
	}
	return b.String()
}
