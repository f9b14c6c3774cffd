package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/internal/visible"
)

// CutBlock is the name of the context block that says that the model server cut a prompt. It is not sent.
const CutBlock = "cut prompt"

// sureCut is by how many tokens two counts of one prompt do not differ: a template adds far fewer.
const sureCut = 256

// cutError says that a model server read less of a prompt than was sent.
type cutError struct {
	name           string
	expected, read int // tokens
}

func (e *cutError) Error() string {
	return fmt.Sprintf("The model server cut the conversation: %s read %d of about %d tokens. "+
		"Start a New chat, or raise the setting contextSize.",
		e.name, e.read, e.expected)
}

// checkRead holds invariant 4: it compares what the server counted of a prompt with what was sent, and learns from the
// count if the prompt was whole. A count that is too small need not be a cut: Ollama 0.30 and versions before 0.5 leave
// out what was in the server's cache. So the context that the server really has must explain it, or what was counted
// before must.
func (c *exchange) checkRead(ctx context.Context, req model.Request, read int) error {
	if read <= 0 {
		return nil // the server does not tell
	}
	e := c.agent.Meter.Estimate(req)
	if c.isCut(ctx, e, read) {
		return &cutError{c.Model.Name, e.Tokens, read}
	}
	if e.Plausible(read) && c.agent.Meter.Learn(req, read) {
		c.agent.Keep(c.Model.Name)
	}
	return nil
}

// isCut decides about the count of a prompt. If it is smaller than it should be, and after the first reply of a run,
// the server is asked with how much context it loaded the model: that may be less than every request asks for.
func (c *exchange) isCut(ctx context.Context, e model.Estimate, read int) bool {
	if !e.Small(read) && c.looked {
		return false
	}
	c.looked = true
	if info, err := c.agent.Backend().Describe(ctx, c.Model.Name); err == nil && info.Plausible() &&
		info.LoadedContext < c.ContextSize && read <= info.LoadedContext {
		c.ContextSize = c.agent.Pins.Lower(info)
	}
	missing := e.Exact && e.Tokens-read > sureCut || e.Shrunk(read)
	return e.Tokens > c.ContextSize && read < e.Tokens || e.Small(read) && missing
}

// lost says what of the conversation the server did not read: servers leave out the oldest turns.
func (c *exchange) lost(cut *cutError) string {
	if cut == nil {
		return ""
	}
	left, first, turns := cut.expected-cut.read, "", 0
	for i, turn := range c.Turns {
		if left <= 0 || i == len(c.Turns)-1 { // the last message is always read
			break
		}
		left -= c.tokens(turn.Text)
		if turn.Role != model.RoleUser {
			continue
		}
		turns++
		if first == "" {
			first, _, _ = strings.Cut(turn.Asked, "\n")
		}
	}
	var what string
	switch turns {
	case 0:
		what = "some of your question, or of what is sent with it"
	case 1:
		what = "your oldest turn with its answer"
	default:
		what = fmt.Sprintf("your %d oldest turns with their answers", turns)
	}
	if first != "" {
		what += fmt.Sprintf(", from %q on", visible.Shorten(first, 60))
	}
	return what + ", as far as that can be told"
}

// sayCut writes into the document, and not to the model, that the reply above was written without a part of the chat.
func (c *exchange) sayCut(cut *cutError, lost, then string) {
	if cut == nil {
		return // it was refused: nothing was lost
	}
	c.note(CutBlock, fmt.Sprintf("The model server read %d of about %d tokens, so what is above this block was "+
		"written without a part of this chat: %s.%s",
		cut.read, cut.expected, lost, then))
}
