package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/mcp/tooldef"
	"github.com/assent-ls/assent/tools/policy"
)

// tool is a tool of a server, as the server described it when the run began.
type tool struct {
	*tooldef.Definition
	server *server
	pins   *pins
	pinned string // the name of its pin
	spec   tools.Spec
}

// Spec implements tools.Tool.
func (t *tool) Spec() tools.Spec { return t.spec }

// newTool makes a tool under a name that no other has.
func newTool(d *tooldef.Definition, s *server, p *pins, name, key string) *tool {
	origin := s.Origin()
	spec := tools.Spec{
		Name: name, Description: d.Description, Parameters: d.Parameters.Schema, Effect: effect.Calls, Origin: origin,
		Timeout: tools.Unlimited, PlansAtOnce: true,
	}
	if name != d.Own {
		spec.OwnName = d.Own
	}
	pinned := string(origin) + " " + d.Own // as grants name it
	if !s.Ours {
		pinned = key + " " + pinned
	}
	return &tool{Definition: d, server: s, pins: p, pinned: pinned, spec: spec}
}

// Origin tells the tools of a server from all others. What a person allows for a server of their own never covers one
// of a workspace that has its name.
func (d Declaration) Origin() tools.Origin {
	if d.Ours {
		return tools.FromServer(d.Name)
	}
	return tools.FromServer(d.Name + ofWorkspace)
}

const ofWorkspace = " of the workspace"

// ServerOf is the name of the server that a tool comes from; empty: it comes from none.
func ServerOf(o tools.Origin) string {
	name, found := strings.CutPrefix(string(o), string(tools.FromServer("")))
	if !found {
		return ""
	}
	return strings.TrimSuffix(name, ofWorkspace)
}

// Plan implements tools.Tool. It asks nothing of the server: the tool is what the server listed last, and an approval
// is for just that.
func (t *tool) Plan(_ context.Context, call tools.Call) (tools.Plan, error) {
	now := t.server.now(t.Definition)
	if now == nil {
		return tools.Plan{}, fmt.Errorf("the server %s has no such tool any more: go on without it", t.server.Name)
	}
	args, err := call.Checked(now.Parameters)
	if wrong, ok := errors.AsType[*arguments.Error](err); ok && now.Hash != t.Hash {
		err = fmt.Errorf("the server changed this tool. %s Its schema is now %s", wrong.Reason, now.Parameters.Schema)
	}
	if err != nil {
		return tools.Plan{}, err
	}
	kept, found, err := t.pins.of(t.pinned)
	if err != nil {
		return tools.Plan{}, err
	}
	plan := tools.Plan{
		Target:  "of " + string(t.spec.Origin) + " " + string(args),
		Binding: policy.Bind(string(t.spec.Origin), now.Hash),
		Version: policy.Bind(now.Hash, kept.end(found).Format(time.RFC3339Nano)),
	}
	var preview bytes.Buffer
	if !now.Title.IsEmpty() {
		fmt.Fprintf(&preview, "The server calls it %s.\n", now.Title.Quote(tooldef.MaxTitle))
	}
	_ = json.Indent(&preview, args, "", "  ") // they were read before
	plan.Changed = t.changed(now, kept, found, &preview)
	if now.Destructive {
		plan.Protected = "The server says that this tool can destroy something."
	}
	plan.Preview = preview.String() + "\n"
	plan.Kept = func() error { return t.pins.allow(t.pinned, now) }
	plan.Run = func(ctx context.Context, report tools.Reporter) tools.Result {
		return t.run(ctx, now, args, report)
	}
	return plan, nil
}

// changed says why no rule that was written before covers the tool as it is now, and shows what of its definition is
// new to the person; empty: rules may cover it.
func (t *tool) changed(now *tooldef.Definition, kept pin, found bool, preview *bytes.Buffer) string {
	since := kept.Since.Local().Format("2006-01-02 15:04")
	switch {
	case found && kept.Hash == "":
		return fmt.Sprintf(
			"You took back the trust in its server (%s), so what you had allowed of this tool does not count.", since,
		)
	case found && kept.Hash == now.Hash, !found && kept.Since.IsZero() && t.Hash == now.Hash:
		return ""
	case found && kept.Once == now.Hash:
		return fmt.Sprintf(
			"The server changed this tool since you allowed it first (%s), and you allowed the new one only once.",
			since,
		)
	case !found && !kept.Since.IsZero():
		return fmt.Sprintf(
			"The list of what you allowed of the tools of servers was broken (%s), "+
				"so you are asked about this one again.",
			since,
		)
	case !found:
		fmt.Fprintf(preview, "\n\n%s", edit.Diff(now.Name, string(t.Text), string(now.Text)))
		return "The server changed what it says about this tool while your message is answered: " +
			"read it before you allow it."
	}
	fmt.Fprintf(preview, "\n\n%s", edit.Diff(now.Name, kept.Text, string(now.Text)))
	return fmt.Sprintf(
		"The server changed what it says about this tool since you allowed it (%s): read it before you allow it again.",
		since,
	)
}

// run calls a tool that was approved as it was then: of one that changed since it calls nothing.
func (t *tool) run(
	ctx context.Context, approved *tooldef.Definition, arguments []byte, report tools.Reporter,
) tools.Result {
	if why := t.server.allowed(); why != "" { // also if the trust was taken back in another process
		t.server.stop()
		return tools.Failed(fmt.Sprintf("Nothing was called: %s.", why))
	}
	listing, cancel := context.WithTimeout(ctx, t.server.times.start)
	c, listed, err := t.server.tools(listing)
	cancel()
	switch {
	case ctx.Err() != nil:
		return tools.FailedBy(ctx.Err())
	case err != nil:
		return tools.Failed(fmt.Sprintf("The server %s %v.", t.server.Name, err))
	}
	if now := listed.named(approved.Own); now == nil || now.Hash != approved.Hash {
		return tools.Stale()
	}
	if err := t.pins.ran(t.pinned, approved); err != nil {
		return tools.FailedBy(err)
	}
	// it stands still while the server asks the person, so the dispatcher's would not do
	ctx, clock, stop := newClock(ctx, t.server.times.call)
	defer stop()
	answer, err := c.call(ctx, approved.Name, approved.Own, arguments, clock, report)
	switch {
	case err != nil && errors.Is(context.Cause(ctx), errTime):
		return tools.Failed(fmt.Sprintf(
			"%s was ended at its time limit of %v, and may have had effects: ask for less in one call.", t.spec.Name,
			t.server.times.call,
		))
	case err != nil:
		return tools.FailedBy(err)
	}
	t.server.worked()
	return result(approved, answer, c.hide)
}
