package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

// growing is a source, and its own first tool: each call of it makes one more tool.
type growing struct {
	names   []string
	changed chan struct{}
	call    tools.Call // the last one
}

func (*growing) Name() string { return "a server" }

func (g *growing) Tools(context.Context) ([]tools.Tool, <-chan struct{}, error) {
	var list []tools.Tool
	for _, name := range g.names {
		list = append(list, named{g, name})
	}
	return list, g.changed, nil
}

type named struct {
	*growing
	name string
}

func (n named) Spec() tools.Spec {
	return tools.Spec{Name: n.name, Description: "It grows.", Parameters: json.RawMessage(`{"type":"object"}`), Effect: effect.Computes}
}

func (n named) Plan(_ context.Context, call tools.Call) (tools.Plan, error) {
	return tools.Plan{Run: func(context.Context, tools.Reporter) tools.Result {
		n.call, n.names = call, append(n.names, "more")
		close(n.changed)
		n.changed = make(chan struct{})
		return tools.Text("It grew.")
	}}, nil
}

// TestToolsStayTheSameInARun: what a source offers anew is there with the next run, so that the prompt of a run keeps
// its beginning. A call says who makes it, in which chat.
func TestToolsStayTheSameInARun(t *testing.T) {
	l := newLab(t, agenttest.CallTool("grow", "{}"), agenttest.CallTool("more", "{}"), agenttest.Say("Done."),
		agenttest.CallTool("more", "{}"), agenttest.Say("Bye."))
	g := &growing{names: []string{"grow"}, changed: make(chan struct{})}
	l.env.Tools = tools.NewSources(builtin.Tools(nil, builtin.Options{}), g, failing{})
	var told []string
	l.env.Warn = func(sentence string) { told = append(told, sentence) }
	s := l.chat("ask.chat.md", "## You\n\nGrow.\n")
	run := func() {
		t.Helper()
		if err := s.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
		if end, err := s.Wait(); err != nil {
			t.Fatal(end, err)
		}
	}
	run()
	l.write("ask.chat.md", l.read("ask.chat.md")+"Again.\n")
	run()
	var offered []string
	for _, r := range l.backend.Requests() {
		var names []string
		for _, t := range r.Tools {
			names = append(names, t.Name)
		}
		offered = append(offered, strings.Join(names, " "))
	}
	core := "get_time calculator tool_search"
	want := []string{core, core + " grow", core + " grow", core + " grow", core + " grow more"}
	if diff := cmp.Diff(want, offered); diff != "" {
		t.Errorf("the requests offer (-want +got):\n%s", diff)
	}
	if text := l.read("ask.chat.md"); strings.Count(text, `There is no tool "more"`) != 1 || strings.Count(text, "It grew.") != 2 {
		t.Errorf("what is new is not there from the next run on:\n%s", text)
	}
	if c := g.call; c.Caller != policy.Model || c.ID != "c3" || !strings.HasSuffix(c.Chat, "ask.chat.md") || c.Reads == nil {
		t.Errorf("the call says %+v", c)
	}
	if got := strings.Join(told, "\n"); got != "The tools of a broken server cannot be used: It is not there." {
		t.Errorf("told is %q", got)
	}
}

type failing struct{}

func (failing) Name() string { return "a broken server" }

func (failing) Tools(context.Context) ([]tools.Tool, <-chan struct{}, error) {
	return nil, nil, errors.New("it is not there")
}
