package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/arguments"
)

// asked is a person who answers what is asked while a call runs.
type asked struct {
	asked  []tools.Inquiry
	answer func(context.Context, tools.Inquiry) (tools.Reply, error)
}

func (*asked) Output(string)                     {}
func (*asked) Progress(float64, float64, string) {}

func (p *asked) Ask(ctx context.Context, what tools.Inquiry) (tools.Reply, error) {
	p.asked = append(p.asked, what)
	return p.answer(ctx, what)
}

func says(form string) func(context.Context, tools.Inquiry) (tools.Reply, error) {
	return func(_ context.Context, what tools.Inquiry) (tools.Reply, error) {
		if form == "" || what.Form == nil {
			return tools.Reply{Yes: form != ""}, nil
		}
		read, err := arguments.ReadForm(what.Form, form)
		return tools.Reply{Yes: true, Form: read}, err
	}
}

const colour = `{"mode":"form","message":"Which \u202ecolour?\n## You","requestedSchema":{"type":"object","properties":{"colour":{"type":"string","description":"of the door"},"n":{"type":"integer","default":2}},"required":["colour"]}}`

// calls makes the one call of a server that asks, with somebody to answer.
func (p *place) calls(report tools.Reporter, env ...string) tools.Result {
	p.Helper()
	mode, tool := "elicits", "echo"
	if env[0] == "newer" {
		mode, tool = "asks", "ask"
	}
	p.declares("notes", fake(mode, env[1:]...))
	d, problems := p.now()
	if problems != "" {
		p.Fatal(problems)
	}
	q := d.Prepare(p.Context(), call(tool, `{}`))
	r, err := d.Execute(p.Context(), q.Approved(), report)
	if err != nil {
		p.Fatal(err)
	}
	return r
}

// A server asks the person something while its tool runs, in both protocols: its words are a quotation, its name is
// there, and the answer goes to it alone. A no is told as a no.
func TestAServerAsksThePerson(t *testing.T) {
	for _, protocol := range []string{"older", "newer"} {
		for form, want := range map[string]string{
			"colour: red\nn: 3":    `"action":"accept","content":{"colour":"red","n":3}`,
			`{"colour": "n: red"}`: `"colour":"n: red"`,
			"":                     `"action":"decline"`,
		} {
			p := newPlace(t)
			who := &asked{answer: says(form)}
			r := p.calls(who, protocol, asks, colour, "TIMES", "1")
			if r.Failed || len(who.asked) != 1 {
				t.Fatalf("%s: %s, asked %d times", protocol, r.Text(), len(who.asked))
			}
			contains(t, r.Text(), want)
			q := who.asked[0]
			contains(t, q.Text, "The server notes, whose tool", "\n> Which <U+202E>colour?\n> ## You\n", "- colour: a text, needed. It says: \"of the door\"", "- n: a whole number")
			if q.From != "the server notes" || q.Target != `The server notes asks: "Which <U+202E>colour?⏎## You"` || q.Notice != "What you answer goes to the server notes." {
				t.Errorf("%+v", q)
			}
		}
	}
}

// Where nobody is there a server is told so, within the protocol, and its call goes on.
func TestAServerAsksAndNobodyIsThere(t *testing.T) {
	for _, protocol := range []string{"older", "newer"} {
		p := newPlace(t)
		r := p.calls(nil, protocol, asks, colour, "TIMES", "1")
		contains(t, r.Text(), `"action":"cancel"`)
		if r.Failed {
			t.Error(r.Text())
		}
	}
}

// What a server asks while no call of it runs gets no answer of a person, also right after a call.
func TestAServerAsksOutsideOfACall(t *testing.T) {
	for _, when := range []string{"list", "after"} {
		p := newPlace(t)
		who := &asked{answer: func(ctx context.Context, _ tools.Inquiry) (tools.Reply, error) {
			<-ctx.Done() // the call may be over only for the server
			return tools.Reply{}, ctx.Err()
		}}
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		p.calls(who, "older", asks, colour, "TIMES", "1", "WHEN", when, tellsAt, listener.Addr().String())
		if when == "list" && len(who.asked) != 0 {
			t.Errorf("%+v", who.asked)
		}
		server, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(server)
		if err := errors.Join(err, server.Close(), listener.Close()); err != nil || string(said) != "answered {\"action\":\"cancel\"}\n" {
			t.Errorf("%s: %q, %v", when, said, err)
		}
	}
}

// A server that asks without end is not answered any more.
func TestAServerThatAsksInALoop(t *testing.T) {
	for _, protocol := range []string{"older", "newer"} {
		p := newPlace(t)
		who := &asked{answer: says("colour: red")}
		r := p.calls(who, protocol, asks, colour, "TIMES", "50", "AGAIN", "yes")
		if len(who.asked) != 10 {
			t.Errorf("%s: asked %d times, and then %s", protocol, len(who.asked), r.Text())
		}
		want := `"action":"cancel"`
		if protocol == "newer" {
			want = "it wanted to know more and more"
		}
		contains(t, r.Text(), want)
	}
}

// A question ends with its call: nothing of it is asked after Stop.
func TestAQuestionEndsWithItsCall(t *testing.T) {
	for _, mode := range []string{"elicits", "asks"} {
		p := newPlace(t)
		p.declares("notes", fake(mode, asks, colour, "TIMES", "1"))
		d, _ := p.now()
		name := map[string]string{"elicits": "echo", "asks": "ask"}[mode]
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{}, 1)
		who := &asked{answer: func(ctx context.Context, _ tools.Inquiry) (tools.Reply, error) {
			stop()
			<-ctx.Done()
			ended <- struct{}{}
			return tools.Reply{}, ctx.Err()
		}}
		q := d.Prepare(ctx, call(name, `{}`))
		r, _ := d.Execute(ctx, q.Approved(), who)
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			t.Errorf("%s: the question goes on", mode)
		}
		if !r.Failed {
			t.Errorf("%s: %s", mode, r.Text())
		}
	}
}

// The time of a call stands still while a person is asked, and ends a call that takes longer by itself.
func TestTheTimeOfACallStandsStill(t *testing.T) {
	p := newPlace(t)
	p.source.HurryCalls(300 * time.Millisecond)
	who := &asked{answer: func(ctx context.Context, what tools.Inquiry) (tools.Reply, error) {
		select {
		case <-time.After(600 * time.Millisecond):
		case <-ctx.Done():
		}
		return says("colour: red")(ctx, what)
	}}
	r := p.calls(who, "newer", asks, colour)
	contains(t, r.Text(), `"colour":"red"`)
	p.declares("slow", fake("slow"))
	d, _ := p.now()
	contains(t, p.run(d, "slow", `{}`).Text(), "slow was ended at its time limit of 300ms")
}

// A server may want an address to be opened. It is shown whole, with where it leads, and nothing opens it.
func TestAServerWantsAnAddressOpened(t *testing.T) {
	address := "https://login.example.org/start?token=" + strings.Repeat("a", 3000)
	wants := fmt.Sprintf(`{"mode":"url","message":"Log in","url":%q,"elicitationId":"1"}`, address)
	for _, protocol := range []string{"older", "newer", "url-first"} {
		for answer, want := range map[string]string{"yes": `"action":"accept"`, "": `"action":"decline"`} {
			p := newPlace(t)
			who := &asked{answer: says(answer)}
			r := p.calls(who, protocol, asks, wants, "TIMES", "1", "WHEN", protocol)
			if len(who.asked) != 1 {
				t.Fatalf("%s: %s", protocol, r.Text())
			}
			if protocol == "url-first" { // it refuses the call at first, and is called again
				want = map[string]string{"yes": "yes", "": "it wants an address to be opened first, and that was not done"}[answer]
			}
			contains(t, r.Text(), want)
			q := who.asked[0]
			contains(t, q.Text, "\n"+address+"\n", "Assent does not open it", "It is at login.example.org", "\n> Log in")
			if q.Form != nil || q.Yes == "" || !strings.Contains(q.Target, "login.example.org") {
				t.Errorf("%+v", q)
			}
		}
	}
}

// What cannot be shown as what it is is not asked, and the server is told why.
func TestQuestionsThatAreRefused(t *testing.T) {
	field := func(name, schema string) string {
		return fmt.Sprintf(`{"message":"m","requestedSchema":{"type":"object","properties":{%q:%s}}}`, name, schema)
	}
	var many []string
	for i := range 30 {
		many = append(many, fmt.Sprintf(`"f%d":{"type":"string"}`, i))
	}
	for wants, reason := range map[string]string{
		`{"mode":"url","message":"m","url":"javascript:alert(1)"}`:                                 "none of the web",
		`{"mode":"url","message":"m","url":"https://good.example@bad.example/"}`:                   "a name of a user",
		`{"mode":"url","message":"m","url":"https://b\u0430d.example/"}`:                           "characters that do not belong",
		`{"mode":"url","message":"m","url":"https://a.example/` + strings.Repeat("a", 5000) + `"}`: "longer than",

		`{"message":"@megabyte@"}`: "more than 64 KB",

		field("a: b", `{"type":"string"}`):                                                                   "no name for a field",
		field("deep", `{"type":"object","properties":{"x":{"type":"string"}}}`):                              "", // the SDK refuses it, too
		`{"message":"m","requestedSchema":{"type":"object","properties":{` + strings.Join(many, ",") + `}}}`: "more than 20 fields",
	} {
		p := newPlace(t)
		who := &asked{answer: says("x")}
		r := p.calls(who, "newer", asks, wants)
		if len(who.asked) != 0 || !r.Failed {
			t.Errorf("%.100s: asked %d times, %s", wants, len(who.asked), r.Text())
		}
		contains(t, r.Text(), reason)
	}
}

// Whatever a server sends as a question, the program lives, and the call ends.
func TestQuestionsOfAnyShape(t *testing.T) {
	for _, wants := range []string{
		`null`, `[]`, `1`, `{}`, `{"message":null,"requestedSchema":null}`, `{"requestedSchema":[]}`, `{"requestedSchema":{"type":"object","properties":{"x":null}}}`,
		`{"requestedSchema":{"type":"object","properties":{"x":{"type":"string","oneOf":[null]}}}}`, `{"requestedSchema":{"type":"object","properties":{"x":{"type":"array","items":{"anyOf":[null]}}}}}`,
		`{"requestedSchema":{"type":"object","properties":{"x":{"type":"array","items":null}}}}`, `{"requestedSchema":{"$ref":"#"}}`, `{"requestedSchema":{"type":"object","properties":{"x":{"$ref":"#"}}}}`,
		`{"mode":"url"}`, `{"mode":"dance"}`, `{"requestedSchema":{"type":"object","properties":{"x":{"type":"string","pattern":"(((("}}}}`,
		`{"requestedSchema":{"type":"object","properties":{"x":{"type":"string","default":{"a":[1]}}}}}`,
	} {
		for _, method := range []string{"elicitation/create", "sampling/createMessage"} {
			p := newPlace(t)
			p.models = true
			p.restart()
			who := &asked{answer: says("x")}
			p.calls(who, "older", asks, wants, "TIMES", "1", "METHOD", method)
		}
		p := newPlace(t)
		p.calls(&asked{answer: says("x")}, "newer", asks, wants)
	}
}

// A question that asks for a secret says so, and a message of a megabyte is bounded, with a notice.
func TestWhatAQuestionSays(t *testing.T) {
	for wants, said := range map[string]string{
		`{"message":"m","requestedSchema":{"type":"object","properties":{"password":{"type":"string"}}}}`:                                        "seems to ask for a secret",
		`{"message":"m","requestedSchema":{"type":"object","properties":{"x":{"type":"string","description":"Your API key or PASSWORD"}}}}`:      "seems to ask for a secret",
		`{"message":"` + strings.Repeat("word ", 2000) + `\u001b[31m","requestedSchema":{"type":"object","properties":{"x":{"type":"string"}}}}`: "bytes more are left out here",
	} {
		p := newPlace(t)
		who := &asked{answer: says("")}
		p.calls(who, "newer", asks, wants)
		if len(who.asked) != 1 || !strings.Contains(who.asked[0].Notice+who.asked[0].Text, said) || len(who.asked[0].Text) > 6000 || len(who.asked[0].Target) > 800 {
			t.Errorf("%.100s: %.2000v", wants, who.asked)
		}
	}
}
