package chats

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/tools"
)

// Questions are all that wait for a person in a chat now: what a run asks, or what a call by hand asks while it runs.
// At most one of the two goes on.
func Questions(c *Chat) []event.Question {
	return append(c.Session.Questions(), c.hand.runs().questions()...)
}

// handRun is a call by hand that runs. It is the tools.Reporter of its call, and puts to the person what it asks.
type handRun struct {
	chat   *Chat
	call   tools.Call
	cancel context.CancelFunc
	shown  Progress
	below  *below
	// where finds what the call is to be seen at in the chat; ok is false if it is no longer there
	where func(view parsed.View) (at transcript.Span, ok bool)

	mu    sync.Mutex
	over  bool           // guarded by mu: it was stopped, and asks nothing any more
	open  []*handInquiry // guarded by mu: what waits, in the order in which it was asked
	asked int            // guarded by mu: the number in the last ID
	stage string         // guarded by mu: how far it is, in words
}

// handInquiry is what a call by hand asks.
type handInquiry struct {
	what     tools.Inquiry
	question event.Question
	reply    chan tools.Reply // takes the one answer
}

// Output implements tools.Reporter.
func (r *handRun) Output(text string) { r.Progress(0, 0, lastLine(text)) }

// Progress implements tools.Reporter.
func (r *handRun) Progress(_, _ float64, note string) {
	if note != "" {
		r.shown.Report(parsed.Shorten(parsed.OneLine(note)))
	}
}

// Note implements tools.Noter.
func (r *handRun) Note(kind, text string) { r.below.note(kind, text) }

// Ask implements tools.Asker. What the document cannot show can be answered all the same: a preview shows it.
func (r *handRun) Ask(ctx context.Context, what tools.Inquiry) (tools.Reply, error) {
	if what.Model != nil {
		return tools.Reply{}, tools.ErrNoModel
	}
	in := &handInquiry{what: what, reply: make(chan tools.Reply, 1)}
	if !r.put(in) {
		return tools.Reply{}, context.Canceled
	}
	r.changed("waiting for your answer: " + what.Target)
	select {
	case reply := <-in.reply:
		return reply, nil
	case <-ctx.Done():
		if r.drop(in) {
			r.below.note(agent.InquiryBlock, agent.Unanswered)
			r.changed("running")
		}
		return tools.Reply{}, ctx.Err()
	}
}

// put asks something. Once the call was stopped it does not.
func (r *handRun) put(in *handInquiry) bool {
	id, ok := r.freeID(r.chat.View())
	if !ok {
		return false
	}
	q := agent.QuestionOf(in.what, toolcall.Call{ID: id, Name: r.call.Name, Arguments: r.call.Arguments}, id)
	r.below.note(agent.InquiryBlock, strings.TrimRight(in.what.Text, "\n"))
	if q.Effect.ByPerson() && len(q.Choices) == 0 {
		r.below.answer(q)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	in.question = q
	if !r.over {
		r.open = append(r.open, in)
	}
	return !r.over
}

// freeID is the ID of a question, which no block of the chat has: neither is a block of an earlier call its answer, nor
// a call of a model what is asked about. ok is false once the call was stopped.
func (r *handRun) freeID(view parsed.View) (id string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		r.asked++
		id = fmt.Sprintf("%s.%d", r.call.Name, r.asked)
		if !view.Names(id) {
			return id, !r.over
		}
	}
}

// drop takes back a question that nobody waits for; false: it was answered, or the call was stopped.
func (r *handRun) drop(in *handInquiry) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.open, in)
	if i >= 0 {
		r.open = slices.Delete(r.open, i, i+1)
	}
	return i >= 0
}

// answer gives a person's answer to what the call asks; found is false if it does not ask that, or none runs. After an
// error the question still waits.
func (r *handRun) answer(id string, answer event.Answer) (found bool, err error) {
	if r == nil {
		return false, nil
	}
	r.mu.Lock()
	i := slices.IndexFunc(r.open, func(in *handInquiry) bool { return in.question.ID == id })
	if i < 0 {
		r.mu.Unlock()
		return false, nil
	}
	in := r.open[i]
	reply, err := in.question.Reply(answer)
	if err == nil {
		r.open = slices.Delete(r.open, i, i+1)
	}
	r.mu.Unlock()
	if err != nil {
		return true, err
	}
	r.below.note(agent.InquiryBlock, agent.Said(in.what, reply))
	in.reply <- reply
	r.changed("running")
	return true, nil
}

// stop ends the call, and with it what it asks.
func (r *handRun) stop() {
	r.end()
	r.cancel()
	r.chat.refresh()
}

// end takes back what the call asked: it is over.
func (r *handRun) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over, r.open = true, nil
}

// changed shows that other questions wait than before.
func (r *handRun) changed(stage string) {
	r.mu.Lock()
	r.stage = stage
	r.mu.Unlock()
	r.shown.Report(parsed.Shorten(parsed.OneLine(stage)))
	r.chat.refresh()
}

// far says how far the call is.
func (r *handRun) far() stage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return stage{Text: r.stage}
}

// questions lists what the call asks; of no call nothing.
func (r *handRun) questions() (all []event.Question) {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, in := range r.open {
		all = append(all, in.question)
	}
	return all
}

// asking finds the call by hand that asks in a chat, by the IDs of what it asks.
func (h *handCalls) asking(view parsed.View) map[string]transcript.Span {
	r := h.runs()
	questions := r.questions()
	if len(questions) == 0 {
		return nil
	}
	at, ok := r.where(view)
	if !ok {
		return nil
	}
	all := map[string]transcript.Span{}
	for _, q := range questions {
		all[q.CallID] = at
	}
	return all
}
