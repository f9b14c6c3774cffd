package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
)

const (
	fetchTool   = "web_fetch" // its own name
	pageBlock   = "page "     // begins the name of the block of a page
	maxPages    = 12_000      // bytes of pages that one message attaches
	leastPage   = 2_000       // bytes that must be left for one more page to be fetched
	maxReason   = 200         // characters of why a page could not be fetched, which may be words of others
	pageOnSend  = "[This page is fetched when the message is sent, if you say yes then.]"
	restLeftOut = "\n[The rest is left out here.]"
)

// attachPages gets the pages of the web that the message mentions. Each is a call of the tool for that, made by the
// person: policy judges it, and they are asked. What cannot be had has a sentence in its place.
func (c *attacher) attachPages(ctx context.Context, message string) {
	c.attachMentioned(ctx, message, maxPages, func(m attach.Mention) (name string, get getter) {
		if m.Kind != attach.PageMention {
			return "", nil
		}
		return pageBlock + m.Name, c.page
	})
}

// getter returns the parts to attach for a mention, about limit bytes in all. Its error is a sentence that says why
// nothing is attached.
type getter func(ctx context.Context, m attach.Mention, limit int) ([]content.Part, error)

// attachMentioned attaches the mentions of a message whose content must be fetched, each once, in about left bytes in
// all. of returns the name of a mention's block and the function that fetches its parts, or nil if the mention is of
// another kind.
func (c *attacher) attachMentioned(
	ctx context.Context, message string, left int, of func(attach.Mention) (name string, get getter),
) {
	seen := map[string]bool{}
	for _, m := range attach.FindMentions(message) {
		name, get := of(m)
		// a question that is asked again keeps what was sent with it, as it was
		if get == nil || seen[name] || hasNamed(c.job.Document, name, func(string) bool { return true }) {
			continue
		}
		seen[name] = true
		parts, err := get(ctx, m, left)
		block := attach.Block{Name: name, Parts: parts}
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, attach.ErrNoMention):
			continue
		case err != nil:
			block = attach.NotAttached(m.Text, err)
		}
		left -= len(block.Text())
		c.put(event.ContextAdded{Block: block})
	}
}

// page is the getter of pages.
func (c *attacher) page(ctx context.Context, m attach.Mention, limit int) ([]content.Part, error) {
	address := m.Name
	spec, ok := tools.Spec{}, false
	if c.job.Tools != nil {
		spec, ok = c.job.Tools.Registry().BuiltIn(fetchTool)
	}
	switch {
	case !ok:
		return nil, attach.ErrNoPages
	case limit < leastPage:
		return nil, fmt.Errorf(
			"%q is not fetched: the pages of one message are too much together, so mention it in the next one", address,
		)
	case c.shown:
		return content.Texts(pageOnSend), nil
	}
	arguments, err := json.Marshal(map[string]string{"url": address})
	if err != nil {
		return nil, err
	}
	result, err := c.fetchPage(
		ctx, &pending{Call: toolcall.Call{Name: spec.Name, Arguments: arguments}, mention: address},
	)
	switch {
	case err != nil:
		return nil, err
	case result.Failed:
		said := strings.TrimRight(strings.Join(strings.Fields(result.Unfenced()), " "), ".")
		return nil, fmt.Errorf("%q could not be fetched: %q", address, visible.Shorten(visible.Line(said), maxReason))
	}
	return content.Cut(result.Parts, limit, restLeftOut), nil
}

// fetchPage takes a call that a message asks for to its result: it asks a person unless a rule of theirs allows it.
func (c *attacher) fetchPage(ctx context.Context, call *pending) (tools.Result, error) {
	calls := []*pending{call}
	defer c.calls.ask(nil)
	for {
		c.calls.prepareFrom(ctx, calls)
		if q := call.question; q != nil {
			if !c.job.canAsk(*q) {
				return tools.Result{}, fmt.Errorf(
					"%q is not fetched: there is nobody to ask whether it may be", call.mention,
				)
			}
			c.progress(event.Waiting, title(call))
			if err := c.calls.await(ctx, calls); err != nil {
				return tools.Result{}, err
			}
		}
		if call.denied() {
			c.job.Tools.Denied(call.prepared)
			return tools.Result{}, fmt.Errorf("%q is not fetched: you denied it", call.mention)
		}
		c.progress(event.Executing, title(call))
		result, err := c.calls.runCall(ctx, call, call.allowed(), nil, calls)
		if !errors.Is(err, tools.ErrChanged) || ctx.Err() != nil {
			return result, err
		}
		// it is not what was approved: ask again
		call.forget()
		call.afresh = true
	}
}
