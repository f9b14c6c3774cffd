package serve

import (
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/assent-ls/assent/tools"
)

// pending is a call that waits for the answer to its question.
type pending struct {
	tools  *tools.Dispatcher
	call   tools.Prepared
	client any // see session
	// what the call asks that runs already; nil: it does not run
	inquiry *inquiry
	run     *running

	asked  time.Time
	expiry *time.Timer // nil: whoever put it waits for the answer
}

// unasked keeps in the log that a call got no answer. nil: there is none.
func (p *pending) unasked() {
	switch {
	case p == nil:
	case p.inquiry != nil:
		p.inquiry.answer(tools.Reply{}, tools.ErrNobody)
	default:
		p.tools.Unasked(p.call)
	}
}

// How many questions may be open at once, so that no client keeps the others from asking.
const (
	maxQuestions = 256
	maxOwn       = 32 // of one client
)

// questions are those that are open, by an opaque id. Each is used up by the first answer.
type questions struct {
	wait time.Duration // how long one stays open

	mu   sync.Mutex
	open map[string]*pending // guarded by mu
}

// put opens a question. expires says that the client sends the call again with the answer, so that nobody waits for it.
func (q *questions) put(p *pending, expires bool) (id string, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	own := 0
	for _, other := range q.open {
		if other.client == p.client {
			own++
		}
	}
	if len(q.open) >= maxQuestions || own >= maxOwn {
		return "", errors.New("Too many questions are open, so nothing was done: answer them first, or call again later.") //nolint:staticcheck // a sentence for people
	}
	id, p.asked = rand.Text(), time.Now()
	if q.open[id] = p; expires {
		p.expiry = time.AfterFunc(q.wait, func() { q.take(id) })
	}
	return id, nil
}

// take closes a question and returns it; nil: there is none of this id, or it waited too long.
func (q *questions) take(id string) *pending {
	q.mu.Lock()
	p := q.open[id]
	delete(q.open, id)
	q.mu.Unlock()
	if p == nil || p.expiry == nil {
		return p
	}
	p.expiry.Stop()
	if time.Since(p.asked) >= q.wait {
		p.unasked()
		return nil
	}
	return p
}

// end closes the questions that nobody waits for.
func (q *questions) end() {
	q.mu.Lock()
	open := q.open
	q.open = map[string]*pending{}
	q.mu.Unlock()
	for _, p := range open {
		if p.expiry != nil {
			p.expiry.Stop()
			p.unasked()
		}
	}
}
