package chats

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools/workspace"
)

var (
	errBusy  = errors.New("a reply is being written here already: Stop it first")
	errAsks  = errors.New("a call here waits for your answer: give it, or Stop first")
	errEnded = errors.New("the server is being stopped")
)

// Send starts a run with the document up to its last turn of the user. It returns as soon as the run is started.
func (c *Chat) Send(ctx context.Context) error {
	begun, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer begun()
	return c.send(ctx)
}

// send is Send, begun.
func (c *Chat) send(ctx context.Context) error {
	view := c.view()
	last := view.chat.LastYou()
	switch {
	case last < 0:
		return errors.New("there is no turn to send: write a line `## You` and your question below it")
	case view.chat.Turns[last].Empty():
		return errors.New("the last `## You` is empty: write your question below it, then Send; Retry asks an earlier one again")
	case last != len(view.chat.Turns)-1:
		return errors.New("the last `## You` has an answer already: write a new `## You` below it, or Retry")
	}
	return c.start(ctx, view, view.chat, last, true, false)
}

// Resume takes up the calls that were not run, asking afresh.
func (c *Chat) Resume(ctx context.Context) error {
	begun, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer begun()
	view := c.view()
	if len(c.openCalls(view)) == 0 {
		return errors.New("there is no call here that was not run")
	}
	last := 0
	for i, turn := range view.chat.Turns {
		if turn.Role == transcript.Assistant {
			last = i
		}
	}
	document := *view.chat
	document.Turns = document.Turns[:last+1]
	return c.start(ctx, view, &document, last, view.chat.LastYou() < last, true)
}

// begin makes sure that one thing at a time begins to write a reply into this chat, and waits until the last words of the
// reply before are written. The caller calls begun when the run was started, or was not.
func (c *Chat) begin(ctx context.Context) (begun func(), err error) {
	c.mu.Lock()
	busy := c.begins
	if c.run != nil && !busy {
		select {
		case <-c.run.Done():
		default:
			busy = true
		}
	}
	before := c.reply
	c.begins = c.begins || !busy
	c.mu.Unlock()
	if run := c.busy(); busy && run != nil && len(run.Questions()) > 0 {
		return nil, errAsks
	}
	if busy {
		return nil, errBusy
	}
	begun = func() {
		c.mu.Lock()
		c.begins = false
		c.mu.Unlock()
	}
	if before == nil {
		return begun, nil
	}
	select {
	case <-before.over:
		return begun, nil
	case <-ctx.Done():
		begun()
		return nil, ctx.Err()
	}
}

// start locks the chat, starts the run and opens the place for the reply below the turn at index last. tail says that a
// new turn of the user is put below the reply.
func (c *Chat) start(ctx context.Context, view view, document *transcript.Chat, last int, tail, resume bool) error {
	writer, ok := c.chats.Writer(c.uri)
	if !ok {
		return errors.New("this document is not open in the editor")
	}
	turn := view.chat.Turns[last]
	at := turn.Span.Start + len(strings.TrimRight(view.slice(turn.Span.Start, turn.Span.End), " \t\r\n"))
	unlock, owner, err := c.chats.State.LockChat(c.path)
	if errors.Is(err, workspace.ErrLocked) {
		return fmt.Errorf("this chat is being written by %s: close it there first", owner)
	} else if err != nil {
		return err
	}
	job, err := c.job(ctx, document)
	if err != nil {
		unlock()
		return err
	}
	running, cancel := context.WithCancel(c.chats.ctx)
	out := newReplyWriter(c, agent.NewRecorder(view.slice(0, at), resume))
	job.Sink, job.Resume = out, resume
	job.CanAsk = func(agent.Question) bool { return !out.isLost() } // a question that cannot be shown cannot be answered
	out.progress = c.chats.Host.Progress("Assent", func() { _ = c.halt() })
	c.keep(document, resume)
	c.mu.Lock()
	c.reply, c.seen = out, map[string]bool{}
	c.run = c.chats.Agent.Start(running, job)
	run := c.run
	c.mu.Unlock()
	ok = c.chats.background(func() {
		out.open(writer, view, at, tail)
		<-run.Done()
		out.close()
		cancel()
		unlock()
		close(out.over) // the next run may begin
		c.refresh()
		c.settleJournal()
		if c.closed() {
			c.closeJournal()
		}
	})
	if !ok {
		cancel()
		unlock()
		return errEnded
	}
	return nil
}

// job says what a run of this chat may use.
func (c *Chat) job(ctx context.Context, document *transcript.Chat) (agent.Job, error) {
	job := agent.Job{Chat: c.path, Document: document, Options: c.chats.Settings(c.path)}
	env, err := c.chats.Environment(c.path)
	if err != nil {
		return job, err
	}
	if env.Workspace == nil {
		c.chats.Host.Tell(Info, "This chat is in no workspace folder, so there are no file tools here.")
	}
	if err := env.Configure(ctx, &job, c.reads); err != nil {
		if ctx.Err() != nil { // the request was cancelled: what could not be read then is no mistake of a file
			return job, ctx.Err()
		}
		c.chats.Host.Tell(Warning, err.Error())
	}
	return job, nil
}

// Stop ends the run of this chat: within 250 ms it is over for the user. When it returns, nothing more is written but what
// closes the reply.
func (c *Chat) Stop(ctx context.Context) error {
	if err := c.halt(); err != nil {
		return err
	}
	if writer, ok := c.chats.Writer(c.uri); ok {
		ctx, cancel := context.WithTimeout(ctx, endTime)
		defer cancel()
		writer.Rest(ctx)
	}
	return nil
}

// halt stops the run and all writing of it, at once.
func (c *Chat) halt() error {
	run := c.busy()
	if run == nil {
		return errors.New("nothing is running in this chat")
	}
	c.currentReply().halt()
	run.Stop()
	return nil
}
