package chats

import (
	"context"
	"errors"
	"strings"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats/parsed"
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
	err := c.Session.Send(ctx)
	if errors.Is(err, session.ErrBusy) && c.Session.Steer() == nil {
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
	ctx, cancel := context.WithCancel(c.Chats.ctx)
	c.takeBack = cancel
	c.Chats.tasks.Go(func() {
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.takeBack = nil
			cancel()
		}()
		end, _ := c.Session.Wait() // what the reply lacks was told
		if ctx.Err() != nil || end.Outcome == event.Stopped || end.Outcome == event.Broken {
			return
		}
		if err := c.started(c.Session.Send(ctx)); err != nil && ctx.Err() == nil && !errors.Is(err, session.ErrEnded) {
			c.say(Error, err.Error())
		}
	})
}

// dropNext takes back the question that was to be sent when the run has ended, if there is one.
func dropNext(c *Chat) (dropped bool) {
	c.mu.Lock()
	takeBack := c.takeBack
	c.mu.Unlock()
	if takeBack == nil {
		return false
	}
	takeBack()
	return true
}

// Resume takes up the calls that were not run, asking afresh, or goes on where a run ended before the model answered.
func (c *Chat) Resume(ctx context.Context) error { return c.started(c.Session.Resume(ctx)) }

// started looks after what a run leaves behind when it is over.
func (c *Chat) started(err error) error {
	if errors.Is(err, session.ErrBusy) && len(Questions(c)) > 0 {
		return session.ErrWaiting
	}
	if err != nil {
		return err
	}
	c.refresh() // what can be done is something else now, even if the document does not change yet
	c.Chats.tasks.Go(func() {
		<-c.Session.Done()
		c.refresh()
		c.recovery.discardSaved()
		if c.closed() {
			c.recovery.close()
		}
	})
	return nil
}

// Path implements session.Document.
func (c *Chat) Path() string { return c.path }

// Read implements session.Document.
func (c *Chat) Read() (session.Snapshot, error) {
	writer, ok := c.Chats.Writer(c.uri)
	if !ok {
		return nil, errNotOpen
	}
	return opened{c.View(), c, writer}, nil
}

// opened is a chat in the editor as it was at one moment.
type opened struct {
	view   parsed.View
	c      *Chat
	writer *documents.Writer
}

// Text implements session.Snapshot.
func (o opened) Text() string { return o.view.Text.String() }

// Chat implements session.Snapshot.
func (o opened) Chat() *transcript.Chat { return o.view.Chat }

// Reply implements session.Snapshot: it opens the place for the reply, and puts a new turn of the user below it if
// there is none.
func (o opened) Reply(place session.Place) (session.Reply, error) {
	out := newReplyWriter(o.c, event.NewRecorder(o.view.Slice(0, place.At), place.Resumed))
	out.progress = o.c.Chats.Host.Progress("Assent", func() { _ = o.c.halt() })
	o.c.recovery.start(o.view.Chat.Turns[:place.Turn+1], place.Resumed)
	o.c.mu.Lock()
	o.c.reply = out
	o.c.state.Runs, o.c.state.Ended, o.c.seen = o.c.state.Runs+1, "", map[string]bool{}
	o.c.mu.Unlock()
	o.c.shown.forget()
	tail := o.view.Chat.LastYou() <= place.Turn
	if !o.c.Chats.tasks.Go(func() { out.open(o.writer, o.view, place.At, tail) }) {
		out.cancel()
		out.progress.End(stoppedWord)
		return nil, session.ErrEnded
	}
	return out, nil
}

// Replace implements session.Snapshot.
func (o opened) Replace(ctx context.Context, part transcript.Span, text string) error {
	return o.c.write(ctx, o.view, documents.Span(part), text)
}

// Cut implements session.Snapshot.
func (o opened) Cut(ctx context.Context, at int) error {
	// The last line end stays: Neovim corrects an edit that takes it along, and then refuses the next one with a
	// message.
	rest := strings.TrimSuffix(strings.TrimSuffix(o.view.From(at), "\n"), "\r")
	return o.Replace(ctx, transcript.Span{Start: at, End: at + len(rest)}, "")
}

// Stop ends the run of this chat: within 250 ms it is over for the user. When it returns, nothing more is written but
// what closes the reply. A command whose changes wait to be applied is stopped alone at first: the question about them
// comes before the end.
func (c *Chat) Stop(ctx context.Context) error {
	if err := c.halt(); err != nil {
		return err
	}
	if writer, ok := c.Chats.Writer(c.uri); ok {
		ctx, cancel := context.WithTimeout(ctx, endTime)
		defer cancel()
		writer.Rest(ctx)
	}
	return nil
}

// halt stops the run and all writing of it, at once, and takes back the question that was to be sent next.
func (c *Chat) halt() error {
	byHand := c.hand.runs()
	dropped := dropNext(c)
	dropped = session.BackgroundOf(c.Session).Stop("") || dropped
	if byHand != nil {
		byHand.stop()
		return nil
	}
	if !c.Session.Running() {
		if dropped {
			return nil
		}
		return session.ErrIdle
	}
	if c.Session.Halt() {
		return nil // the person is asked what becomes of what the command did
	}
	c.CurrentReply().halt()
	return c.Session.Stop()
}
