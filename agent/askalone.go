package agent

import "context"

// declinedError is the sentence for somebody who said no to a question without which nothing can be sent.
type declinedError struct{ sentence string }

func (e declinedError) Error() string { return e.sentence }

// askAlone asks a question that is about no call, and waits for the answer. Until then nothing is sent. asked is false
// if there is nobody to ask.
func (c *loop) askAlone(ctx context.Context, q Question) (asked, allowed bool, err error) {
	if c.job.CanAsk == nil || !c.job.CanAsk(q) {
		return false, false, nil
	}
	c.publish([]Question{q})
	defer c.publish(nil)
	c.emit(Progress{Stage: Waiting, Note: q.Target})
	c.emit(CallWaiting{Question: q})
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
func (c *loop) handleAlone(q Question, request any) (answered, allowed bool) {
	switch r := request.(type) {
	case answerRequest:
		_, refused := q.check(r.answer)
		if r.question != q.ID {
			refused = ErrNoQuestion
		}
		if refused != nil {
			r.reply <- refused
			break
		}
		c.publish(nil) // before who answered looks what waits
		r.reply <- nil
		return true, r.answer.Kind != Deny
	case reviseRequest:
		r.reply <- nil // no call waits
	case recheckRequest:
		r.reply <- nil
	}
	return false, false
}
