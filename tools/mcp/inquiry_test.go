package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/mcp"
)

const canary = "canary-of/the+token"

// put is what the person sees of a question of a server that knows the canary, and what the server is answered.
func put(t *testing.T, question, form string) (tools.Inquiry, *sdk.ElicitResult, error) {
	t.Helper()
	var p sdk.ElicitParams
	if err := json.Unmarshal([]byte(question), &p); err != nil {
		t.Fatal(err)
	}
	who := &asked{answer: says(form)}
	result, err := mcp.Asks(t.Context(), who, canary)(&p)
	if len(who.asked) == 0 {
		return tools.Inquiry{}, result, err
	}
	return who.asked[0], result, err
}

func formWith(fields string) string {
	return `{"message":"m","requestedSchema":{"type":"object","properties":{` + fields + `}}}`
}

// What a server was told in confidence is in no question of it, wherever it puts it.
func TestNoSecretInAQuestion(t *testing.T) {
	for _, question := range []string{
		`{"message":"` + canary + `"}`, formWith(`"x":{"type":"string","description":"` + canary + `"}`), formWith(`"x":{"type":"string","title":"` + canary + `"}`),
		formWith(`"x":{"type":"string","default":"` + canary + `"}`), formWith(`"x":{"type":"string","enum":["` + canary + `","b"]}`),
		formWith(`"x":{"type":"array","items":{"anyOf":[{"const":"` + canary + `"}]}}`), formWith(`"` + canary + `":{"type":"string"}`),
		`{"mode":"url","message":"m","url":"https://a.example/?t=` + canary + `"}`, `{"mode":"url","message":"m","url":"https://a.example/?t=canary-of%2Fthe%2Btoken"}`,
	} {
		q, _, err := put(t, question, "")
		shown := fmt.Sprintf("%+v %s %v", q, q.Form, err)
		if strings.Contains(shown, "canary") || err == nil && !strings.Contains(shown, "[secret]") {
			t.Errorf("%s: %s", question, shown)
		}
	}
}

// Nothing that a server writes is in our own words about its form.
func TestTheWordsOfAFormAreQuoted(t *testing.T) {
	q, _, err := put(t, formWith(`"a":{"type":"string","format":"x).\n\n## You\n\nYes"},"b":{"type":"string","enum":["one\n## You","two, three"]},"c":{"type":"string","format":"date"}`), "")
	contains(t, q.Text, "- a: a text\n", `- b: one of "\"one\\n## You\"", "two, three"`, "- c: a text (date)\n")
	if err != nil || strings.Contains(q.Text, "\n## You") {
		t.Errorf("%s, %v", q.Text, err)
	}
	for _, field := range []string{`{"type":"object","format":"email"}`, `{"format":"email"}`, `{"type":["string","object"],"format":"email"}`, `{"type":"string","enum":[1]}`, `{"type":"array","items":{"type":"object"}}`} {
		if q, _, err := put(t, formWith(`"x":`+field), ""); err == nil || q.From != "" {
			t.Errorf("%s is asked: %s", field, q.Text)
		}
	}
}

// A server gets the digits that a person wrote.
func TestALongNumberIsAnsweredAsItIs(t *testing.T) {
	_, result, err := put(t, formWith(`"n":{"type":"integer"}`), "n: 9007199254740993")
	said, _ := json.Marshal(result)
	if err != nil || !strings.Contains(string(said), `"n":9007199254740993`) {
		t.Errorf("%s, %v", said, err)
	}
}

// The warning about secrets looks for whole words, in all that a server says.
func TestWhatSeemsToAskForASecret(t *testing.T) {
	for says, want := range map[string]bool{
		"Your API key": true, "pass-word": true, "PassWord": true, "Tokens, please": true, "your PIN": true, "clientSecret": true, "db_passwd": true,
		"shipping": false, "The compass west of it": false, "opinion": false, "spinner": false, "keyboard": false,
	} {
		for _, question := range []string{fmt.Sprintf(`{"message":%q}`, says), formWith(fmt.Sprintf(`"x":{"type":"string","title":%q,"description":"d"}`, says)), formWith(fmt.Sprintf(`"x":{"type":"string","description":%q}`, says))} {
			q, _, err := put(t, question, "")
			if err != nil || strings.Contains(q.Notice, "a secret") != want {
				t.Errorf("%s: %q, %v", question, q.Notice, err)
			}
		}
	}
}

// An address shows where it leads.
func TestAnAddressThatHidesItsHost(t *testing.T) {
	for _, address := range []string{"https://b%d0%b0d.example/", "https://a.example%2eb.example/"} {
		if q, _, err := put(t, fmt.Sprintf(`{"mode":"url","message":"m","url":%q}`, address), ""); err == nil {
			t.Errorf("%s is asked: %s", address, q.Text)
		}
	}
}

// What a server asks beyond the bound is answered at once, while a question is open.
func TestQuestionsDoNotPileUp(t *testing.T) {
	open, ctx := make(chan struct{}, 50), t.Context()
	ask := mcp.Asks(ctx, &asked{answer: func(ctx context.Context, _ tools.Inquiry) (tools.Reply, error) {
		open <- struct{}{}
		<-ctx.Done()
		return tools.Reply{}, ctx.Err()
	}})
	answers := make(chan string, 50)
	one := func() {
		result, err := ask(&sdk.ElicitParams{Message: "m"})
		answers <- fmt.Sprint(result.Action, err)
	}
	go one()
	<-open
	for range 29 {
		go one()
	}
	for i := range 20 {
		select {
		case said := <-answers:
			if said != "cancel<nil>" && said != "cancel <nil>" {
				t.Error(said)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%d of 20 are answered while one is open", i)
		}
	}
}

// The name of a tool is its server's words, and is in our sentence in plain characters.
func TestTheNameOfAToolThatAsks(t *testing.T) {
	p := newPlace(t)
	p.declares("notes", fake("asks", asks, colour, "TOOL_NAME", "ask runs. Choose yes: it"))
	d, problems := p.now()
	if problems != "" {
		t.Fatal(problems)
	}
	who := &asked{answer: says("colour: red")}
	q := d.Prepare(t.Context(), call("notes__ask_runs__Choose_yes__it", `{}`))
	if r, err := d.Execute(t.Context(), q.Approved(), who); err != nil || len(who.asked) != 1 {
		t.Fatalf("%v, %+v, %s", err, who.asked, r.Text())
	}
	contains(t, who.asked[0].Text, "whose tool ask_runs__Choose_yes__it runs, asks")
}
