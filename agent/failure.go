package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// failure turns the error that ended a run into its Finished.
func failure(ctx context.Context, err error) event.Finished {
	if ctx.Err() != nil {
		return event.Finished{Outcome: event.Stopped, Sentence: stoppedSentence, Err: ctx.Err()}
	}
	if declined, ok := errors.AsType[declinedError](err); ok {
		return event.Finished{Outcome: event.Stopped, Sentence: declined.Error(), Err: err}
	}
	if errors.Is(err, engine.ErrEndless) {
		return event.Finished{
			Outcome:  event.Exhausted,
			Sentence: "The model wrote the same words over and over, so it was stopped. Retry, or ask in other words.",
			Err:      err,
		}
	}
	sentence := err.Error()
	if known, ok := errors.AsType[*model.Error](err); ok {
		sentence = known.Sentence
	}
	return event.Finished{Outcome: event.Broken, Sentence: sentence, Err: err}
}

// exhausted ends a run that came no further, with a sentence.
func exhausted(format string, args ...any) event.Finished {
	return event.Finished{Outcome: event.Exhausted, Sentence: fmt.Sprintf(format, args...)}
}

// declinedError is the sentence for somebody who said no to a question without which nothing can be sent.
type declinedError struct{ sentence string }

func (e declinedError) Error() string { return e.sentence }
