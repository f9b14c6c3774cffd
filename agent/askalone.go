package agent

import (
	"context"

	"github.com/assent-ls/assent/agent/event"
)

// mustAllow has a person allow something by itself. nobody is the error where there is nobody to ask, declined the
// sentence for who says no.
func (c *executor) mustAllow(ctx context.Context, q event.Question, nobody error, declined string) error {
	asked, allowed, err := c.askAlone(ctx, q)
	switch {
	case err != nil:
		return err
	case !asked:
		return nobody
	case !allowed:
		return declinedError{declined}
	}
	return nil
}

// askAlone asks a question that is about no call, and waits for the answer. Until then nothing is sent. asked is false
// if there is nobody to ask.
func (c *executor) askAlone(ctx context.Context, q event.Question) (asked, allowed bool, err error) {
	if !c.job.canAsk(q) {
		return false, false, nil
	}
	c.publish([]event.Question{q})
	defer c.publish(nil)
	c.progress(event.Waiting, q.Target)
	c.emit(event.CallWaiting{Question: q})
	for {
		select {
		case <-ctx.Done():
			return true, false, ctx.Err()
		case request := <-c.run.requests:
			if answered, allowed := c.handleAlone(q, request); answered {
				return true, allowed, nil
			}
		}
	}
}

// handleAlone does what one request wants while a question that is about no call waits.
func (c *executor) handleAlone(q event.Question, request request) (answered, allowed bool) {
	r, answers := request.what.(answerRequest)
	if !answers {
		request.reply <- nil // no call waits
		return false, false
	}
	_, refused := q.Check(r.answer)
	if r.question != q.ID {
		refused = ErrNoQuestion
	}
	if refused == nil {
		c.publish(nil) // before who answered looks what waits
	}
	request.reply <- refused
	return refused == nil, r.answer.Kind != event.Deny
}
