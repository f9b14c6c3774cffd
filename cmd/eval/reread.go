package main

import (
	"fmt"
	"slices"

	"github.com/assent-ls/assent/agent/model"
)

// rereads counts what of the prompts of a conversation a server read though it had read it before, by what it tells of
// its cache.
type rereads struct {
	told     []toldReply
	all      int // tokens of the prompts that go on from an earlier one
	again    int // of those, what was read though the earlier one had it
	begun    int // prompts that begin anew: the first, a summary and what follows it, a request of another kind
	begunAll int // tokens of those that were read
	silent   int // replies without a word about the cache
}

// toldReply is a request that was answered.
type toldReply struct {
	messages       []model.Message
	prompt, output int // tokens
}

// add counts one request.
func (r *rereads) add(req model.Request, done model.Done) {
	if !done.CacheKnown {
		r.silent++
		return
	}
	read := done.PromptTokens - done.CachedTokens
	if before, ok := r.before(req.Messages); ok {
		fresh := max(done.PromptTokens-before.prompt-before.output, 0)
		r.all += done.PromptTokens
		r.again += max(read-fresh-1, 0) // the last token of a reply is in no cache
	} else {
		r.begun++
		r.begunAll += read
	}
	r.told = append(r.told, toldReply{slices.Clone(req.Messages), done.PromptTokens, done.OutputTokens})
}

// before finds the longest earlier request that a request goes on from.
func (r *rereads) before(messages []model.Message) (best toldReply, ok bool) {
	for _, t := range r.told {
		if len(t.messages) < len(messages) && len(t.messages) >= len(best.messages) &&
			slices.EqualFunc(t.messages, messages[:len(t.messages)], sameMessage) {
			best, ok = t, true
		}
	}
	return best, ok
}

func sameMessage(a, b model.Message) bool {
	return a.Role == b.Role && a.Text == b.Text && len(a.Calls) == len(b.Calls) && len(a.Images) == len(b.Images)
}

// String is for a cell of the table.
func (r *rereads) String() string {
	if r.all == 0 {
		return fmt.Sprintf("not told (%d replies)", r.silent)
	}
	return fmt.Sprintf(
		"%.2f %% (%d of %d); %d began anew and read %d", 100*float64(r.again)/float64(r.all), r.again, r.all, r.begun,
		r.begunAll,
	)
}
