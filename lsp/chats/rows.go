package chats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/sql"
)

// rowsActions open all rows of which the result at a place has some. To list them asks no database: the command does.
func (c *Chat) rowsActions(view view, span transcript.Span) []Action {
	at, ok := view.chat.TurnAt(span.Start)
	if !ok {
		return nil
	}
	for _, block := range view.chat.Turns[at].Blocks {
		result, ok := block.(transcript.Result)
		if !ok || result.Status != transcript.OK || !touches(result.Span, span) {
			continue
		}
		if call, ok := view.call(result.ID); ok && call.Tool == sql.Select {
			return append(c.askedRows(result.ID), Action{Title: "Open all rows", Command: ext.OpenRows, ID: result.ID})
		}
	}
	return nil
}

// askedRows are the answers to the question that Open all rows led to.
func (c *Chat) askedRows(call string) []Action {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.byHand {
		if q, asks := p.call.Question(); asks && p.of == call {
			out := questionActions(q)
			return out[:len(out)-2] // whoever asked need not deny it
		}
	}
	return nil
}

// OpenRows puts the statement of a call to its database again, as a call by hand, and opens all rows as a file of their
// own. What must be asked before that is shown, and answered on the result. It returns when that is begun.
func (c *Chat) OpenRows(id string) error {
	call, ok := c.view().call(id)
	switch {
	case !ok || call.Tool != sql.Select || call.Problem != "":
		return fmt.Errorf("this chat has no call %q of %s", id, sql.Select)
	case !c.idle():
		return session.ErrBusy
	}
	var arguments map[string]json.RawMessage
	if err := json.Unmarshal(call.Arguments, &arguments); err != nil {
		return err
	}
	delete(arguments, "limit")
	raw, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	c.chats.background(func() { c.openRows(id, raw) })
	return nil
}

func (c *Chat) openRows(id string, arguments json.RawMessage) {
	ctx, cancel := context.WithCancel(c.chats.ctx)
	defer cancel()
	shown := c.chats.Host.Progress("Assent: all rows", cancel)
	call, err := c.session.PrepareWhole(ctx, sql.Select, arguments)
	shown.End("Asked for")
	if err != nil {
		c.chats.Host.ShowMessage(Error, err.Error())
		return
	}
	p := prepared{call: call, of: id, ended: func(ctx context.Context, r tools.Result) error { return c.showRows(ctx, id, r) }}
	q, asks := call.Question()
	if !asks {
		c.runByHand(p, agent.Answer{})
		return
	}
	c.mu.Lock()
	maps.DeleteFunc(c.byHand, func(_ string, old prepared) bool { return old.of == id })
	c.mu.Unlock()
	c.offer(q.ID, p)
	c.chats.Host.ShowMessage(Info, "The database is asked once you approve it: choose Approve once on the result.")
	if err := c.chats.Preview(ctx, q.ID); err != nil {
		c.chats.Host.ShowMessage(Error, err.Error())
	}
}

// showRows opens the rows of a result.
func (c *Chat) showRows(ctx context.Context, id string, result tools.Result) error {
	switch {
	case result.Whole == nil:
		return errors.New(result.Text())
	case result.Whole.CSV == "":
		c.chats.Host.ShowMessage(Info, "There are no rows.")
		return nil
	}
	if result.Whole.Notice != "" {
		c.chats.Host.ShowMessage(Warning, result.Whole.Notice)
	}
	return c.chats.Host.ShowTable(ctx, c.nameOf("rows-"+id, result.Whole.CSV), result.Whole.CSV)
}
