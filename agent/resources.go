package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
)

const (
	resourceBlock  = "resource " // begins the name of the block of a resource
	maxResources   = 12_000      // bytes of resources that one message attaches
	leastResource  = 1_000       // bytes that must be left for one more to be read
	resourceOnSend = "[This is read from the server when the message is sent.]"
)

// attachResources reads what the message mentions of MCP servers. A person named it in their own words, and the server
// is one of theirs, so nobody is asked. What cannot be had has a sentence in its place.
func (c *attacher) attachResources(ctx context.Context, message string) {
	if c.job.Resource == nil {
		return
	}
	c.attachMentioned(ctx, message, maxResources, func(m attach.Mention) (name string, get getter) {
		if m.Kind != attach.ResourceMention {
			return "", nil
		}
		return resourceBlock + m.Server + ":" + m.Name, c.resource
	})
}

// resource is the getter of resources.
func (c *attacher) resource(ctx context.Context, m attach.Mention, limit int) (parts []content.Part, err error) {
	switch {
	case limit < leastResource:
		return nil, fmt.Errorf(
			"%q is not read: the resources of one message are too much together, so mention it in the next one", m.Text,
		)
	case c.shown:
		return content.Texts(resourceOnSend), nil
	}
	c.progress(event.Executing, "reading "+visible.Line(m.Text))
	c.calls.during(ctx, nil, func() { parts, err = c.job.Resource(ctx, m.Server, m.Name) })
	if err != nil {
		if errors.Is(err, attach.ErrNoMention) {
			return nil, err
		}
		return nil, errors.New(visible.Shorten(visible.Line(strings.TrimRight(err.Error(), ".")), 2*maxReason))
	}
	text := content.Text(content.Plain(parts)) // one text: the rest of it is left out at one place
	return content.Cut(tools.FromOutside([]content.Part{text}), limit, restLeftOut), nil
}
