package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/byhand"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
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
	left, seen := maxPages, map[string]bool{}
	for _, m := range attach.FindMentions(message) {
		if m.Kind != attach.PageMention || seen[m.Name] || hasNamed(c.job.Document, pageBlock+m.Name) {
			continue
		}
		seen[m.Name] = true
		parts, err := c.page(ctx, m.Name, left)
		if ctx.Err() != nil {
			return
		}
		block := attach.Block{Name: pageBlock + m.Name, Parts: parts}
		if err != nil {
			block = attach.NotAttached(m.Name, err)
		}
		left -= len(block.Text())
		c.put(event.ContextAdded{Block: block})
	}
}

// hasNamed reports whether the last turn has a block of this name: the question is asked again, and what was sent with
// it stays as it was.
func hasNamed(chat *transcript.Chat, name string) bool {
	for _, block := range chat.Turns[len(chat.Turns)-1].Blocks {
		if b, ok := block.(transcript.Context); ok && b.Name == name {
			return true
		}
	}
	return false
}

// page is what is attached of a page in about limit bytes. The error says in a sentence why nothing is.
func (c *attacher) page(ctx context.Context, address string, limit int) ([]content.Part, error) {
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
			if c.job.CanAsk == nil || !c.job.CanAsk(*q) {
				return tools.Result{}, fmt.Errorf(
					"%q is not fetched: there is nobody to ask whether it may be", call.mention,
				)
			}
			c.emit(event.Progress{Stage: event.Waiting, Note: title(call)})
			if err := c.calls.await(ctx, calls); err != nil {
				return tools.Result{}, err
			}
		}
		if call.answer != nil && call.answer.Kind == event.Deny {
			c.job.Tools.Denied(call.prepared)
			return tools.Result{}, fmt.Errorf("%q is not fetched: you denied it", call.mention)
		}
		prepared := call.prepared
		if call.answer != nil {
			prepared = byhand.Answered(prepared, *call.asked, *call.answer)
		}
		c.emit(event.Progress{Stage: event.Executing, Note: title(call)})
		var result tools.Result
		var err error
		call.running = true
		c.calls.during(ctx, calls, func() { result, err = c.job.Tools.Execute(ctx, prepared, nil) })
		call.running = false
		if !errors.Is(err, tools.ErrChanged) || ctx.Err() != nil {
			return result, err
		}
		// it is not what was approved: ask again
		call.question, call.answer, call.afresh, call.prepared.Key = nil, nil, true, ""
	}
}
