package agent

import (
	"context"

	"github.com/assent-ls/assent/agent/event"
)

// askAlone asks a question that is about no call, and waits for the answer. Until then nothing is sent. asked is false
// if there is nobody to ask.
func (c *executor) askAlone(ctx context.Context, q event.Question) (asked, allowed bool, err error) {
	if c.job.CanAsk == nil || !c.job.CanAsk(q) {
		return false, false, nil
	}
	c.publish([]event.Question{q})
	defer c.publish(nil)
	c.emit(event.Progress{Stage: event.Waiting, Note: q.Target})
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
