package runcommand

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/egress/proxy"
	"github.com/assent-ls/assent/tools/proposal"
	"github.com/assent-ls/assent/tools/web/address"
)

// online runs a command on a copy with a network in which it reaches some hosts: those that rules name, or if they are
// nil, those that a person names now. It sees as little of the workspace as a command that nobody approved.
func (c commands) online(ctx context.Context, report tools.Reporter, p planned, hosts []string) tools.Result {
	p.covers = true
	var places []address.Place
	if hosts != nil {
		p.tried = c.Tries != nil && c.Tries()
		p.unasked = p.tried
		for _, host := range hosts {
			if place, err := address.ParsePlace(host); err == nil {
				places = append(places, place)
			}
		}
	} else {
		chosen, refused := c.askHosts(ctx, report, p)
		if refused != nil {
			return *refused
		}
		p.tried, places = true, chosen
	}
	denied := p.call.DeniesHost
	p.network = c.Out.New(ctx, proxy.Options{
		By: "command " + programs(p.line), Places: places,
		Denied: func(host string) bool { return denied == nil || denied(p.line, host) },
	})
	defer p.network.Close()
	result := c.run(ctx, report, p)
	c.wanted.put(p, places, p.network.Refused())
	return result
}

// programs are the programs of a line, by their names: its arguments may hold a password.
func programs(line *command.Line) string {
	if line == nil {
		return "that is not understood"
	}
	var names []string
	for _, part := range line.Parts {
		if name := path.Base(part.Argv[0]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

const (
	notOnline  = "the user did not let it reach the network"
	runThere   = "Run with these hosts"
	runToSee   = "Run without a host, and see which it wants"
	chooseHost = "Choose the hosts"
	notRun     = "Do not run it"
	hostsField = "hosts"
)

// askHosts asks a person which hosts a command may reach. refused is the result if they let it reach none.
func (c commands) askHosts(
	ctx context.Context, report tools.Reporter, p planned,
) (places []address.Place, refused *tools.Result) {
	asker, ok := report.(tools.Asker)
	if !ok {
		return nil, unasked(proposal.NobodyHere)
	}
	before, named := c.wanted.get(p), c.named(p)
	places = slices.Concat(before, named)
	q := tools.Inquiry{
		From: "the command", Target: "Let it reach the network: " + visible.Shorten(visible.Line(p.text), 200),
		Yes: runThere, Other: chooseHost, No: notRun, Why: true, Text: c.reaching(ctx, p, before, named),
	}
	if len(places) == 0 {
		q.Yes = runToSee
	}
	reply, err := asker.Ask(ctx, q)
	if err == nil && reply.Other {
		places, reply, err = writeHosts(ctx, asker, q, places)
	}
	switch {
	case err != nil:
		return nil, unasked(proposal.NobodyHere)
	case !reply.Yes && reply.Why != "":
		return nil, unasked(fmt.Sprintf("%s, and says: %q", notOnline, reply.Why))
	case !reply.Yes:
		return nil, unasked(notOnline)
	}
	return places, nil
}

const maxWritten = 5 // answers with what is no host

// writeHosts has a person write the hosts; at first there are those that were proposed.
func writeHosts(
	ctx context.Context, asker tools.Asker, of tools.Inquiry, places []address.Place,
) (chosen []address.Place, reply tools.Reply, err error) {
	q := tools.Inquiry{From: of.From, Target: of.Target, No: of.No, Why: true, Form: hostsForm(places)}
	wrong := ""
	for range maxWritten {
		q.Text = wrong + "Write the hosts that it may reach, divided by commas.\n\n" + of.Text
		if reply, err = asker.Ask(ctx, q); err != nil || !reply.Yes {
			return nil, reply, err
		}
		var said struct {
			Hosts string `json:"hosts"`
		}
		_ = json.Unmarshal(reply.Form, &said) // it was checked
		if chosen, err = address.ParsePlaces(said.Hosts); err == nil {
			return chosen, reply, nil
		}
		wrong = fmt.Sprintf("Your answer was not taken: %v.\n", err)
	}
	return nil, tools.Reply{}, nil
}

func unasked(why string) *tools.Result {
	r := tools.Failed("[It did not run: " + why + ".]")
	return &r
}

// hostsForm is the schema of the form in which a person writes hosts.
func hostsForm(places []address.Place) json.RawMessage {
	schema, _ := json.Marshal(map[string]any{
		"type": "object", "required": []string{hostsField}, "properties": map[string]any{hostsField: map[string]any{
			"type": "string", "default": joined(places),
			"description": "such as example.org or example.org:8443, divided by commas; none: the network is empty",
		}},
	})
	return schema
}

func joined(places []address.Place) string {
	var all []string
	for _, p := range places {
		all = append(all, p.String())
	}
	return strings.Join(all, ", ")
}
