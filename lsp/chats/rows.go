package chats

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/sql"
)

// OpenRows puts the statement of a call to its database again, as a call by hand, and opens all rows as a file of their
// own. What must be asked before that is shown, and answered on the result. It returns when that is begun.
func (c *Chat) OpenRows(_ context.Context, id string) error {
	call, ok := c.View().Call(id)
	switch {
	case !ok || call.Tool != sql.Select || call.Problem != "":
		return fmt.Errorf("this chat has no call %q of %s", id, sql.Select)
	case !c.Idle():
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
	c.Chats.tasks.Go(func() { c.hand.openRows(id, raw) })
	return nil
}

func (h *handCalls) openRows(id string, arguments json.RawMessage) {
	ctx, cancel := context.WithCancel(h.chat.Chats.ctx)
	defer cancel()
	shown := h.chat.Chats.Host.Progress("Assent: all rows", cancel)
	call, err := h.chat.Session.PrepareWhole(ctx, sql.Select, arguments)
	shown.End("Asked for")
	if err != nil {
		h.chat.say(Error, err.Error())
		return
	}
	p := prepared{call: call, of: id}
	if q, asks := call.Question(); asks {
		h.mu.Lock()
		maps.DeleteFunc(h.prepared, func(_ string, old prepared) bool { return old.of == id })
		h.mu.Unlock()
		h.offer(q.ID, p)
		h.chat.say(Info, "The database is asked once you approve it: choose Approve once on the result.")
		err = h.chat.Chats.Preview(ctx, q.ID)
	} else {
		key := rand.Text()
		h.offer(key, p)
		err = h.chat.Chats.RunByHand(key, event.Answer{})
	}
	if err != nil {
		h.chat.say(Error, err.Error())
	}
}

// showRows opens the rows of a result.
func (h *handCalls) showRows(ctx context.Context, id string, result tools.Result) error {
	switch {
	case result.Whole == nil:
		return errors.New(result.Text())
	case result.Whole.CSV == "":
		h.chat.say(Info, "There are no rows.")
		return nil
	}
	if result.Whole.Notice != "" {
		h.chat.say(Warning, result.Whole.Notice)
	}
	return h.chat.Chats.Host.ShowTable(ctx, nameOf(h.chat, "rows-"+id, result.Whole.CSV), result.Whole.CSV)
}

// RowsQuestion is the question that Open all rows of a call led to.
func (c *Chat) RowsQuestion(call string) (event.Question, bool) {
	c.hand.mu.Lock()
	defer c.hand.mu.Unlock()
	for _, p := range c.hand.prepared {
		if q, asks := p.call.Question(); asks && p.of == call {
			return q, true
		}
	}
	return event.Question{}, false
}
