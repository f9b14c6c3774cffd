package agent

import (
	"context"

	"github.com/assent-ls/assent/agent/guidance"
	"github.com/assent-ls/assent/agent/toolcall"
)

// Guidance helps a small model through one run. A run of a model that is not guided has none (package guidance). The
// methods are called from the run's goroutine, Interpret before all others.
type Guidance interface {
	// Interpret finds out what the message wants, and what is to be attached to it.
	Interpret(ctx context.Context, v guidance.View) guidance.Attachments
	// Hint limits the next reply.
	Hint(ctx context.Context, v guidance.View) toolcall.Hints
	// Decoder decodes one reply.
	Decoder(v guidance.View) toolcall.Decoder
	// Take returns a call of the reply as it is made.
	Take(v guidance.View, call toolcall.Call) guidance.Taken
	// Complete makes the separate requests that a reply needs. When it fails, r has only the calls before the one that
	// failed.
	Complete(ctx context.Context, v guidance.View, r *guidance.Reply, by guidance.Asker) error
	// Observe learns what a call led to. It reports whether the run goes on where it would end, see guidance.Outcome.
	Observe(o guidance.Outcome) (goesOn bool)
	// Later lists the separate requests that may follow the next reply. Nothing is asked.
	Later(ctx context.Context, v guidance.View) []guidance.Request
}

var _ Guidance = (*guidance.Guide)(nil)
