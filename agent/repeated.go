package agent

import (
	"context"
	"errors"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// sayRepeated ends the calls of a reply that was endless, and says in the document what became of it. The model reads
// these calls alone.
func (c *exchange) sayRepeated(calls []*pending, then string) {
	if len(calls) > 0 {
		c.Turns = append(c.Turns, toolcall.Turn{Role: model.RoleAssistant, Calls: callsOf(calls)})
	}
	c.calls.abandon(calls)
	c.note(compose.RepeatedBlock, engine.RepeatedNote+then)
}

// streamWhole is stream, once more for a reply that is endless.
func (c *exchange) streamWhole(
	ctx context.Context, why string, req model.Request, hints toolcall.Hints,
) (*reply, error) {
	out, err := c.stream(ctx, why, req)
	if errors.Is(err, engine.ErrEndless) && ctx.Err() == nil {
		return c.onceMore(ctx, hints, out)
	}
	return out, err
}

// onceMore asks again for a reply that was endless, in another way, as far as the user did not choose how tokens are
// picked: the same request would have the same reply. If that is endless, too, the run ends.
func (c *exchange) onceMore(ctx context.Context, hints toolcall.Hints, broken *reply) (*reply, error) {
	c.sayRepeated(broken.calls, "\nIt was asked once more.")
	temperature, sampling := c.Temperature, c.Sampling
	if temperature == nil && sampling.Temperature == nil {
		c.Temperature = new(anotherTemperature)
	}
	if sampling.RepeatPenalty == nil {
		c.Sampling.RepeatPenalty = new(engine.EndlessPenalty)
	}
	out, err := c.stream(ctx, "the reply once more: the one before repeated itself without end", c.request(hints))
	c.Temperature, c.Sampling = temperature, sampling
	if errors.Is(err, engine.ErrEndless) {
		c.sayRepeated(out.calls, "")
	}
	return out, err
}
