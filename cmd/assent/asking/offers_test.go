package asking

import (
	"slices"
	"testing"

	"github.com/assent-ls/assent/agent/event"
	line "github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/userstate"
)

// The terminal shows the offers of a question as they are, each under a word of its own.
func TestChoices(t *testing.T) {
	state, err := userstate.OpenState(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	edits := policy.Request{Tool: "edit_file", Effect: effect.Edits, Caller: policy.Model, Chat: "chat", Workspace: "/ws|1:2"}
	command := edits
	command.Tool, command.Effect, command.Target, command.Confined = "run_command", effect.Runs, "./build", true
	command.Command = &line.Line{Parts: []line.Part{{Argv: []string{"./build"}}}}
	also := policy.Template{Scope: policy.Chat, Effect: effect.Edits, Denies: true, Title: func(policy.Request) string { return "Deny edits\n in this chat" }}
	for _, c := range []struct {
		question event.Question
		want     string
	}{
		{event.Question{Offers: policy.New(state).Decide(edits).Offers}, "[y] once  [c] allow edit_file in this chat  [a] always allow edit_file in this workspace  [n] deny  [r] deny and say why"},
		{event.Question{Offers: policy.New(state).Decide(command).Offers}, "[y] once  [c] allow this command in this chat  [a] always allow `./build` with any arguments here  [n] deny  [r] deny and say why"},
		{event.Question{Offers: policy.New(state, also).Decide(edits).Offers[1:]}, "[y] once  [a] always allow edit_file in this workspace  [c] deny edits⏎ in this chat  [n] deny  [r] deny and say why"},
		{event.Question{AskedCall: event.AskedCall{CanTry: true}}, "[y] once  [t] try it on a copy  [n] deny  [r] deny and say why"},
		{event.Question{AskedCall: event.AskedCall{CanTry: true, CanGoOnline: true}}, "[y] once  [t] try it on a copy  [w] run with the network  [n] deny  [r] deny and say why"},
		{event.Question{AskedCall: event.AskedCall{CanGoOnline: true}, More: []event.AskedCall{{CanGoOnline: true}}}, "[y] once  [n] deny  [r] deny and say why"},
		{event.Question{AskedCall: event.AskedCall{CanTry: true}, More: []event.AskedCall{{}}}, "[y] once  [n] deny  [r] deny and say why"},
		{
			event.Question{From: "the command", Yes: "Keep all", No: "Discard", Why: true, Offers: []policy.Offer{{Title: "Choose what to keep"}}},
			"[y] Keep all  [1] choose what to keep  [n] discard  [r] discard and say why",
		},
		{event.Question{}, "[y] once  [n] deny  [r] deny and say why"},
		{event.Question{AskedCall: event.AskedCall{Effect: effect.Asks}}, "[y] answer  [n] deny  [r] deny and say why"},
		{event.Question{AskedCall: event.AskedCall{Effect: effect.Asks}, Choices: []string{"red", "blue"}}, "[y] answer  [1] red  [2] blue  [n] deny  [r] deny and say why"},
		{event.Question{Model: "far:1b"}, "[y] send it  [n] deny"},
	} {
		if got := choices(c.question); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	three := policy.New(state, also).Decide(edits).Offers
	if got := keys(event.Question{Offers: three}); !slices.Equal(got, []string{"c", "a", "3"}) {
		t.Errorf("keys %q", got)
	}
}

// --approve covers a question only if it covers all that the answer decides.
func TestWhatApproveCovers(t *testing.T) {
	a := Answerer{Approve: []string{"edit_file", "ask"}}
	edit := event.AskedCall{Tool: "edit_file", Effect: effect.Edits}
	for name, c := range map[string]struct {
		question event.Question
		want     bool
	}{
		"a call":                        {event.Question{AskedCall: edit}, true},
		"two calls":                     {event.Question{AskedCall: edit, More: []event.AskedCall{edit}}, true},
		"another tool":                  {event.Question{AskedCall: event.AskedCall{Tool: "run_command"}}, false},
		"another tool with it":          {event.Question{AskedCall: edit, More: []event.AskedCall{{Tool: "run_command"}}}, false},
		"a call of the file with it":    {event.Question{AskedCall: edit, More: []event.AskedCall{{Tool: "edit_file", Resumed: true}}}, false},
		"a protected one":               {event.Question{AskedCall: event.AskedCall{Tool: "edit_file", Protected: "It is."}}, false},
		"a question to the person":      {event.Question{AskedCall: event.AskedCall{Tool: "ask", Effect: effect.Asks}}, false},
		"what a tried command changed":  {event.Question{From: "the command", Like: []string{"edit_file"}}, true},
		"and made, and one more allows": {event.Question{From: "the command", Like: []string{"edit_file", "write_file"}}, false},
		"what else a command asks":      {event.Question{From: "the command", AskedCall: edit}, false},
		"a model elsewhere":             {event.Question{Model: "far:1b"}, false},
	} {
		if got := a.approved(c.question); got != c.want || a.CanAsk(c.question) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// --approve run_command lets a command run without the network, and answers no question about hosts.
// Promise 1. Promise 9.
func TestApproveDoesNotCoverTheNetwork(t *testing.T) {
	a := &Answerer{Approve: []string{"run_command"}}
	call := event.Question{AskedCall: event.AskedCall{Tool: "run_command", CanTry: true, CanGoOnline: true}}
	if answer := a.Answer(call, nil); answer.Kind != event.Once {
		t.Errorf("the command: %+v", answer)
	}
	hosts := event.Question{AskedCall: event.AskedCall{Tool: "run_command", Target: "Let it reach the network: npm install"}, From: "the command", Yes: "Run with these hosts"}
	if answer := a.Answer(hosts, nil); answer.Kind != event.Deny || a.CanAsk(hosts) {
		t.Errorf("the hosts: %+v", answer)
	}
}
