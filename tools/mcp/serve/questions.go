package serve

import (
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/assent-ls/assent/tools"
)

// pending is a call whose question was given to a client that will send the call again.
type pending struct {
	tools   *tools.Dispatcher
	call    tools.Prepared
	session *session

	asked time.Time
}

// maxQuestions is how many questions may be open at once.
const maxQuestions = 256

// questions are those that are open, by an opaque id. Each is used up by the first answer.
type questions struct {
	wait time.Duration // how long one stays open

	mu   sync.Mutex
	open map[string]*pending // guarded by mu
}

func newQuestions(wait time.Duration) *questions {
	return &questions{wait: wait, open: map[string]*pending{}}
}

// put opens a question.
func (q *questions) put(p *pending) (id string, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for id, old := range q.open {
		if time.Since(old.asked) > q.wait {
			delete(q.open, id)
		}
	}
	if len(q.open) >= maxQuestions {
		return "", errors.New("Too many questions are open, so nothing was done: answer them first, or call again later.") //nolint:staticcheck // a sentence for people
	}
	id, p.asked = rand.Text(), time.Now()
	q.open[id] = p
	return id, nil
}

// take closes a question and returns it; nil: there is none of this id, or it waited too long.
func (q *questions) take(id string) *pending {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.open[id]
	delete(q.open, id)
	if p == nil || time.Since(p.asked) > q.wait {
		return nil
	}
	return p
}
