package chats

import (
	"context"
	"errors"
	"strings"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
)

var errNotOpen = errors.New("this document is not open in the editor")

// Send starts a run with the question at the end of the document, or does what the command says that it begins with. It
// returns as soon as the run is started. While a reply is written, the question below it is sent after the current
// step.
func (c *Chat) Send(ctx context.Context) error {
	if done, err := c.act(ctx); done {
		return err
	}
	err := c.session.Send(ctx)
	if errors.Is(err, session.ErrBusy) && c.session.Steer() == nil {
		c.sendNext()
		return nil
	}
	return c.started(err)
}

// sendNext sends the question at the end of the document once the run that goes on has ended by itself. Stop takes it
// back until the run of that question has begun; from then on Stop ends that run.
func (c *Chat) sendNext() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.takeBack != nil {
		return
	}
	ctx, cancel := context.WithCancel(c.chats.ctx)
	c.takeBack = cancel
	c.chats.background(func() {
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.takeBack = nil
			cancel()
		}()
		end, _ := c.session.Wait() // what the reply lacks was told
		if ctx.Err() != nil || end.Outcome == agent.Stopped || end.Outcome == agent.Broken {
			return
		}
		if err := c.started(c.session.Send(ctx)); err != nil && ctx.Err() == nil && !errors.Is(err, session.ErrEnded) {
			c.chats.Host.ShowMessage(Error, err.Error())
		}
	})
}

// Resume takes up the calls that were not run, asking afresh, or goes on where a run ended before the model answered.
func (c *Chat) Resume(ctx context.Context) error { return c.started(c.session.Resume(ctx)) }

// started looks after what a run leaves behind when it is over.
func (c *Chat) started(err error) error {
	if err != nil {
		return err
	}
	c.refresh() // what can be done is something else now, even if the document does not change yet
	c.chats.background(func() {
		<-c.session.Done()
		c.refresh()
		c.discardSavedJournal()
		if c.closed() {
			c.closeJournal()
		}
	})
	return nil
}

// Path implements session.Document.
func (c *Chat) Path() string { return c.path }

// Read implements session.Document.
func (c *Chat) Read() (session.Snapshot, error) {
	writer, ok := c.chats.Writer(c.uri)
	if !ok {
		return nil, errNotOpen
	}
	return opened{c.view(), c, writer}, nil
}

// opened is a chat in the editor as it stood at one moment.
type opened struct {
	view
	c      *Chat
	writer *documents.Writer
}

// Text implements session.Snapshot.
func (o opened) Text() string { return o.text.String() }

// Chat implements session.Snapshot.
func (o opened) Chat() *transcript.Chat { return o.chat }

// Reply implements session.Snapshot: it opens the place for the reply, and puts a new turn of the user below it if
// there is none.
func (o opened) Reply(place session.Place) (session.Reply, error) {
	out := newReplyWriter(o.c, agent.NewRecorder(o.slice(0, place.At), place.Resumed))
	out.progress = o.c.chats.Host.Progress("Assent", func() { _ = o.c.halt() })
	o.c.startJournal(o.chat.Turns[:place.Turn+1], place.Resumed)
	o.c.mu.Lock()
	o.c.reply, o.c.live = out, map[string]liveCall{}
	o.c.runs, o.c.ended, o.c.seen = o.c.runs+1, "", map[string]bool{}
	o.c.mu.Unlock()
	tail := o.chat.LastYou() <= place.Turn
	if !o.c.chats.background(func() { out.open(o.writer, o.view, place.At, tail) }) {
		out.cancel()
		out.progress.End(stoppedWord)
		return nil, session.ErrEnded
	}
	return out, nil
}

// Replace implements session.Snapshot.
func (o opened) Replace(ctx context.Context, part transcript.Span, text string) error {
	ctx, cancel := context.WithTimeout(ctx, editTime)
	defer cancel()
	return o.writer.ReplaceIn(ctx, o.snapshot, documents.Span(part), o.slice(part.Start, part.End), text)
}

// Cut implements session.Snapshot.
func (o opened) Cut(ctx context.Context, at int) error {
	// The last line end stays: Neovim corrects an edit that takes it along, and then refuses the next one with a
	// message.
	rest := strings.TrimSuffix(strings.TrimSuffix(o.from(at), "\n"), "\r")
	return o.Replace(ctx, transcript.Span{Start: at, End: at + len(rest)}, "")
}

// Stop ends the run of this chat: within 250 ms it is over for the user. When it returns, nothing more is written but
// what closes the reply. A command whose changes wait to be applied is stopped alone at first: the question about them
// comes before the end.
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

// halt stops the run and all writing of it, at once, and takes back the question that was to be sent next.
func (c *Chat) halt() error {
	c.mu.Lock()
	stopHand, takeBack := c.stopHand, c.takeBack
	c.mu.Unlock()
	if takeBack != nil {
		takeBack()
	}
	if stopHand != nil {
		stopHand()
		return nil
	}
	if !c.session.Running() {
		if takeBack != nil {
			return nil
		}
		return session.ErrIdle
	}
	if c.session.Halt() {
		return nil // the person is asked what becomes of what the command did
	}
	c.currentReply().halt()
	return c.session.Stop()
}
