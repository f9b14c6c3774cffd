package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Unlimited is the Timeout of a tool that ends its calls itself.
const Unlimited time.Duration = -1

// What a Spec that says nothing gets.
const (
	defaultTimeout   = 30 * time.Second
	defaultPerMinute = 600
)

const (
	maxRateWait = 10 * time.Second // a call that would have to wait longer for its turn fails
	stopGrace   = 5 * time.Second  // how long a call may take to end after its context has
)

// How a call ended that did not end by itself.
var (
	errTimeLimit = errors.New("the time limit is over")
	errStuck     = errors.New("the call does not end")
)

// TimeLimit is how long a call of the tool may take; ok is false if that is not limited.
func (s Spec) TimeLimit() (limit time.Duration, ok bool) {
	limit = cmp.Or(s.Timeout, defaultTimeout)
	return limit, limit > 0
}

// limited does something under the time limit of a tool. The error is errTimeLimit if that ended it, and errStuck,
// without a value, if it goes on although its context ended.
func limited[T any](ctx context.Context, s Spec, do func(context.Context) T) (value T, err error) {
	cancel := func() {}
	if limit, isLimited := s.TimeLimit(); isLimited {
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errTimeLimit)
	}
	defer cancel()
	done := make(chan T, 1)
	go func() { done <- do(ctx) }()
	select {
	case value = <-done:
	case <-ctx.Done():
		select {
		case value = <-done:
		case <-time.After(stopGrace):
			return value, errStuck
		}
	}
	if errors.Is(context.Cause(ctx), errTimeLimit) {
		err = errTimeLimit
	}
	return value, err
}

// limitSentence says to the model that a call was ended at its time limit.
func limitSentence(s Spec) string {
	limit, _ := s.TimeLimit()
	return fmt.Sprintf("%s was ended at its time limit of %v: ask for less in one call.", s.Name, limit)
}

// stuckSentence says to the model that a call goes on although it was ended.
func stuckSentence(s Spec) string {
	text := fmt.Sprintf("%s does not answer and was given up.", s.Name)
	if s.Effect.Changes() {
		text += " It may still have effects: look before you call it again."
	}
	return text
}

// rates count the calls of a workspace. They may be used concurrently.
type rates struct {
	mu    sync.Mutex
	tools map[toolName]*rate.Limiter // guarded by mu
}

// toolName names a tool among those of all origins.
type toolName struct {
	origin Origin
	name   string
}

// CallsPerMinute is how many calls of the tool may run in a minute.
func (s Spec) CallsPerMinute() int { return cmp.Or(s.PerMinute, defaultPerMinute) }

// reserve takes the next turn of a tool, unless that is later than maxRateWait.
func (r *rates) reserve(s Spec) (turn *rate.Reservation, delay time.Duration) {
	r.mu.Lock() // also while a turn is given back: the limiter takes back only the last one
	defer r.mu.Unlock()
	name := toolName{s.Origin, s.Own()}
	limiter, ok := r.tools[name]
	if !ok {
		limiter = rate.NewLimiter(rate.Limit(s.CallsPerMinute())/60, s.CallsPerMinute())
		r.tools[name] = limiter
	}
	turn = limiter.Reserve()
	if delay = turn.Delay(); delay > maxRateWait {
		turn.Cancel()
	}
	return turn, delay
}

// wait waits until a call of the tool may run. full is set instead if that would take too long: a sentence for the
// model. The error is that of ctx.
func (r *rates) wait(ctx context.Context, s Spec, report Reporter) (full string, err error) {
	turn, delay := r.reserve(s)
	if delay == 0 {
		return "", nil
	}
	often := fmt.Sprintf("%s was called %d times in a minute, which is its limit", s.Name, s.CallsPerMinute())
	if delay > maxRateWait {
		return often + ": go on without it, or call it later.", nil
	}
	report.Progress(0, 0, often+": it waits.")
	select {
	case <-time.After(delay):
		return "", nil
	case <-ctx.Done():
		turn.Cancel()
		return "", ctx.Err()
	}
}
