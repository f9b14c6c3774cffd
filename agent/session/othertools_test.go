package session_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/effect"
)

// house is a server with tools for lamps and locks; what calls say is put down.
type house struct{ calls []string }

func (*house) Name() string { return "the house" }

func (h *house) Tools(context.Context) (list []tools.Tool, changed <-chan struct{}, err error) {
	const id, some = `{"id":{"type":"string"}},"required":["id"]`, `{"place":{"type":"string"},"watts":{"type":"string"}}`
	for _, t := range [][3]string{
		{"list_lamps", "Lists lamps.", some},
		{"get_lamp", "Shows a lamp.", id},
		{"update_lamp", "Changes a lamp.", id},
		{"delete_lamp", "Deletes a lamp.", id},
		{"list_locks", "Lists locks of doors.", some},
	} {
		list = append(list, houseTool{h, t[0], t[1], `{"type":"object","properties":` + t[2] + `}`})
	}
	return list, nil, nil
}

type houseTool struct {
	house               *house
	name, about, schema string
}

func (t houseTool) Spec() tools.Spec {
	return tools.Spec{Name: t.name, Description: t.about, Parameters: json.RawMessage(t.schema), Effect: effect.Calls, Origin: tools.FromServer("house")}
}

func (t houseTool) Plan(_ context.Context, call tools.Call) (tools.Plan, error) {
	return tools.Plan{Target: t.name, Run: func(context.Context, tools.Reporter) tools.Result {
		t.house.calls = append(t.house.calls, t.name+tools.Canonical(call.Arguments))
		switch {
		case strings.Contains(string(call.Arguments), "cellar"):
			return tools.Failed("There is no lamp cellar; there are hall, porch.")
		case strings.Contains(string(call.Arguments), "porch"):
			return tools.Text("Found nothing.")
		}
		return tools.Text("lamp hall-1: on")
	}}, nil
}

// withHouse gives the lab the tools of the house, all of which may run.
func withHouse(t *testing.T, l *lab) *house {
	t.Helper()
	h := &house{}
	l.env.Tools = tools.NewSources(builtin.Tools(l.env.Workspace, builtin.Options{}), h)
	rules := filepath.Join(t.TempDir(), "permissions.json")
	if err := os.WriteFile(rules, []byte(`{"allow": [{"origin": "server house"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	l.env.Policy.UseFiles(rules, nil)
	return h
}

// offersCalls lists the tools that a reply under a request's schema may call.
func offersCalls(r model.Request) string {
	var names []string
	for _, part := range strings.Split(string(r.Format), `"tool":{"const":"`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// A message that has words of others' tools brings those tools, and a small model first has to look there.
func TestAMessageBringsTheToolsOfOthers(t *testing.T) {
	l := newLab(t, says(`{"do":"look","tool":"list_lamps","arguments":{"place":"hall","watts":"60"}}`, `{"do":"talk","answer":""}`, "It is on.")...)
	h := withHouse(t, l)
	requests, chat := guide(t, l, "Is the lamp in the hall on?")
	if len(requests) != 3 || !strings.Contains(chat, "```context tools") || !strings.Contains(chat, "It is on.") || strings.Contains(chat, "context outline") {
		t.Fatalf("%d requests:\n%s", len(requests), chat)
	}
	if got := offersCalls(requests[0]); !strings.HasSuffix(got, "tool_search get_lamp list_lamps") {
		t.Errorf("the first reply may call %s", got)
	}
	if strings.Contains(string(requests[0].Format), `"talk"`) {
		t.Errorf("the model may answer without a look: %s", requests[0].Format)
	}
	if got := strings.Join(h.calls, " "); got != `list_lamps{"place":"hall"}` {
		t.Errorf("called: %s (nobody spoke of watts)", got)
	}
	if said := requests[2].Messages; strings.Contains(said[len(said)-1].Text, "You can call") || !strings.Contains(said[len(said)-1].Text, "lamp hall-1: on") {
		t.Errorf("asked apart: %s", said[len(said)-1].Text)
	}
	if said := requests[1].Messages; strings.Contains(said[len(said)-2].Text, "watts") || !strings.Contains(said[len(said)-2].Text, "hall") {
		t.Errorf("the model reads its call as %s", said[len(said)-2].Text)
	}
	if !strings.Contains(chat, "place: hall\n") || strings.Contains(chat, "watts: ") {
		t.Errorf("the chat does not show the call that ran:\n%s", chat)
	}
}

// Where a tool of others found nothing by arguments that may be left out, it is asked again without them, and
// identifiers are words that were said.
func TestWhatFoundNothingIsAskedWithoutArguments(t *testing.T) {
	l := newLab(t, says(`{"do":"look","tool":"list_lamps","arguments":{"place":"porch"}}`, `{"do":"look","tool":"list_lamps","arguments":{}}`,
		`{"do":"talk","answer":""}`, "Yes.")...)
	withHouse(t, l)
	requests, chat := guide(t, l, "Is the lamp on the porch on?")
	if len(requests) != 4 {
		t.Fatalf("%d requests:\n%s", len(requests), chat)
	}
	for i, want := range []bool{true, false, false} {
		if got := strings.Contains(string(requests[i].Format), `"place"`); got != want {
			t.Errorf("the reply %d may have a place: %v", i+1, got)
		}
	}
	if strings.Contains(string(requests[1].Format), `"talk"`) || !strings.Contains(string(requests[2].Format), `"talk"`) {
		t.Error("it may answer without a second look, or not even after it")
	}
	if !strings.Contains(string(requests[0].Format), `"id":{"enum":["the","lamp","porch"]}`) {
		t.Errorf("an identifier may be anything: %s", requests[0].Format)
	}
}

// Who orders something is not told that it is done before a tool that changes something was called; and no tool that
// deletes is at hand unless something is to be deleted.
func TestAnOrderIsCarriedOut(t *testing.T) {
	l := newLab(t, says(`{"do":"look","tool":"get_lamp","arguments":{"id":"cellar"}}`, `{"do":"look","tool":"get_lamp","arguments":{"id":"hall"}}`,
		`{"do":"change","tool":"update_lamp","arguments":{"id":"hall"}}`, isDone)...)
	h := withHouse(t, l)
	requests, chat := guide(t, l, "Dim the lamp in the cellar.")
	if got := strings.Join(h.calls, " "); got != `get_lamp{"id":"cellar"} get_lamp{"id":"hall"} update_lamp{"id":"hall"}` || len(requests) != 4 {
		t.Fatalf("%d requests, called: %s\n%s", len(requests), got, chat)
	}
	for i := range 3 {
		if strings.Contains(string(requests[i].Format), `"talk"`) || strings.Contains(string(requests[i].Format), "delete_lamp") {
			t.Errorf("the reply %d: %s", i+1, requests[i].Format)
		}
	}
	if strings.Contains(string(requests[1].Format), `"cellar"`) || !strings.Contains(string(requests[1].Format), `"porch"`) {
		t.Errorf("what failed may be tried again: %s", requests[1].Format)
	}
	requests, _ = guide(t, l, "Delete the lamp in the cellar.")
	if !strings.Contains(string(requests[len(requests)-1].Format), "delete_lamp") {
		t.Error("what is asked for cannot be done")
	}
}

// Where the tables of a database are found, the question is not answered before rows were read.
func TestTablesAreNoAnswer(t *testing.T) {
	const search, query = `{"do":"look","tool":"schema_search","arguments":{}}`, `{"do":"look","tool":"sql_select","arguments":{}}`
	for message, want := range map[string]string{"How many lamps did we sell?": "write_file edit_file sql_select", "Which tables have lamps?": ""} {
		l := newLab(t, says(search, query, `{"do":"talk","answer":""}`, "Two.")...)
		h := withHouse(t, l)
		l.env.Tools = tools.NewSources(builtin.Tools(l.env.Workspace, builtin.Options{}), database{h})
		requests, chat := guide(t, l, message)
		if got := offersCalls(requests[1]); want != "" && got != want || want == "" && !strings.Contains(got, "schema_search") || len(requests) != 4 {
			t.Errorf("%s: after the tables the reply may call %q, %d requests:\n%s", message, got, len(requests), chat)
		}
		if strings.Contains(string(requests[2].Format), "schema_search") != strings.Contains(string(requests[0].Format), "schema_search") {
			t.Errorf("%s: after the rows: %s", message, requests[2].Format)
		}
	}
}

// database has a tool whose results are no answers.
type database struct{ house *house }

func (database) Name() string { return "a database" }

func (d database) Tools(context.Context) (list []tools.Tool, changed <-chan struct{}, err error) {
	find := tables{houseTool{d.house, "schema_search", "Finds tables.", `{"type":"object","properties":{}}`}}
	rows := houseTool{d.house, "sql_select", "Reads rows of lamps.", `{"type":"object","properties":{"lamps":{"type":"string"}}}`}
	return []tools.Tool{find, rows}, nil, nil
}

type tables struct{ houseTool }

func (t tables) Spec() tools.Spec {
	spec := t.houseTool.Spec()
	spec.About = "lamps"
	return spec
}

// A message about a file, or about the world, is none for the tools of others, whatever words it has.
func TestOtherMessagesStayAsTheyAre(t *testing.T) {
	for _, message := range []string{"Which lamp stands in README.md?", "Write a haiku about a lamp.", "What does the word lamp mean in general?", "How are you?"} {
		l := newLab(t, says(`{"do":"talk","answer":"A lamp."}`, "A lamp.")...)
		withHouse(t, l)
		requests, _ := guide(t, l, message)
		if !strings.Contains(string(requests[0].Format), `"talk"`) {
			t.Errorf("%s: the reply must be a call: %s", message, offersCalls(requests[0]))
		}
	}
}
