package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

// tool is a tool of a server, as the server described it when the run began.
type tool struct {
	*definition
	server *server
	pins   *pins
	pinned string // the name of its pin
	spec   tools.Spec
}

// Spec implements tools.Tool.
func (t *tool) Spec() tools.Spec { return t.spec }

// newTool makes a tool under a name that no other has.
func newTool(d *definition, s *server, p *pins, name, key string) *tool {
	origin := s.origin()
	spec := tools.Spec{
		Name: name, Description: d.description, Parameters: d.parameters.Schema, Effect: effect.Calls, Origin: origin, Timeout: tools.Unlimited, PlansAtOnce: true,
	}
	if name != d.own {
		spec.OwnName = d.own
	}
	pinned := string(origin) + " " + d.own // as grants name it
	if !s.Ours {
		pinned = key + " " + pinned
	}
	return &tool{definition: d, server: s, pins: p, pinned: pinned, spec: spec}
}

// origin tells the tools of a server from all others. What a person allows for a server of their own never covers one of a workspace that
// has its name.
func (d Declaration) origin() tools.Origin {
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

// Plan implements tools.Tool. It asks nothing of the server. A definition that is not the one that was allowed last is a question of its
// own, which no grant covers.
func (t *tool) Plan(_ context.Context, call tools.Call) (tools.Plan, error) {
	arguments, err := call.Checked(t.parameters)
	if err != nil {
		return tools.Plan{}, err
	}
	plan := tools.Plan{
		Target:  "of " + string(t.spec.Origin) + " " + string(arguments),
		Binding: policy.Bind(string(t.spec.Origin), t.hash),
	}
	var preview bytes.Buffer
	if t.title != "" {
		fmt.Fprintf(&preview, "%s\n", t.title)
	}
	_ = json.Indent(&preview, arguments, "", "  ") // they were read before
	if plan.Protected, err = t.protected(&preview); err != nil {
		return tools.Plan{}, err
	}
	plan.Preview = preview.String() + "\n"
	plan.Kept = func() error { return t.pins.keep(t.pinned, t.definition) }
	plan.Run = func(ctx context.Context, report tools.Reporter) tools.Result { return t.run(ctx, arguments, report) }
	return plan, nil
}

// protected says why no grant covers a call of the tool, and shows what of the definition changed.
func (t *tool) protected(preview *bytes.Buffer) (string, error) {
	kept, found, err := t.pins.of(t.pinned)
	if err != nil {
		return "", err
	}
	var why []string
	if found && kept.Hash == "" {
		why = append(why, fmt.Sprintf("You took back the trust in its server (%s), so you are asked about this tool again.", kept.Since.Local().Format("2006-01-02 15:04")))
	}
	if found && kept.Hash != "" && kept.Hash != t.hash {
		why = append(why, fmt.Sprintf("The server changed what it says of this tool since you allowed it (%s): read it before you allow it again.",
			kept.Since.Local().Format("2006-01-02 15:04")))
		fmt.Fprintf(preview, "\n\n%s", edit.Diff(t.name, kept.Text, string(t.text)))
	}
	if !found && !kept.Since.IsZero() {
		why = append(why, fmt.Sprintf("The list of what you allowed of the tools of servers was broken (%s), so you are asked about this one again.",
			kept.Since.Local().Format("2006-01-02 15:04")))
	}
	if t.destructive {
		why = append(why, "The server says that this tool can destroy something.")
	}
	return strings.Join(why, " "), nil
}

// run calls the tool. What runs was allowed, so its definition is the one that later calls are compared with.
func (t *tool) run(ctx context.Context, arguments []byte, report tools.Reporter) tools.Result {
	if why := t.server.allowed(); why != "" { // also if the trust was taken back in another process
		t.server.stop()
		return tools.Failed(fmt.Sprintf("Nothing was called: %s.", why))
	}
	c, err := t.server.connected(ctx)
	switch {
	case ctx.Err() != nil:
		return tools.FailedBy(ctx.Err())
	case err != nil:
		return tools.Failed(fmt.Sprintf("The server %s %v.", t.server.Name, err))
	case !c.has(t.definition):
		return tools.Failed(fmt.Sprintf("The server %s changed this tool: it is there again, as it is now, from the next message on.", t.server.Name))
	}
	if err := t.pins.keep(t.pinned, t.definition); err != nil {
		return tools.FailedBy(err)
	}
	ctx, clock, stop := newClock(ctx, t.server.times.call) // it stands still while the server asks the person, so the dispatcher's would not do
	defer stop()
	answer, err := c.call(ctx, t.name, t.own, arguments, clock, report)
	switch {
	case err != nil && errors.Is(context.Cause(ctx), errTime):
		return tools.Failed(fmt.Sprintf("%s was ended at its time limit of %v, and may have had effects: ask for less in one call.", t.spec.Name, t.server.times.call))
	case err != nil:
		return tools.FailedBy(err)
	}
	t.server.worked()
	return t.result(answer, c.hide)
}
