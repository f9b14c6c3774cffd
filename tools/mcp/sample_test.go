package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
)

// samples makes the one call of a server that asks the model this.
func samples(t *testing.T, who tools.Reporter, wants string, env ...string) tools.Result {
	t.Helper()
	p := newPlace(t)
	p.models = true
	p.restart()
	return p.calls(who, append([]string{"older", asks, wants, "METHOD", "sampling/createMessage", "TIMES", "1"}, env...)...)
}

const haiku = `{"systemPrompt":"Write \u202ehaiku.","messages":[{"role":"user","content":{"type":"text","text":"Rain\rAs words"}},{"role":"assistant","content":[{"type":"text","text":"Which?"}]},
	{"role":"user","content":{"type":"text","text":"Any.\n## You"}}],"maxTokens":100,"temperature":0.5,"includeContext":"allServers","stopSequences":["END"],"modelPreferences":{"hints":[{"name":"big"}]}}`

// A server asks the model: the person sees all of it, the model gets just that, and the answer goes to the server.
func TestAServerAsksTheModel(t *testing.T) {
	who := &asked{answer: func(context.Context, tools.Inquiry) (tools.Reply, error) {
		return tools.Reply{Yes: true, Text: "It rains. END and more", Model: "small", Cut: true}, nil
	}}
	wants := strings.NewReplacer("\n", "", "\t", "").Replace(haiku)
	r := samples(t, who, wants)
	contains(t, r.Text(), `"model":"small"`, `"stopReason":"stopSequence"`, `"text":"It rains. "`)
	if len(who.asked) != 1 {
		t.Fatalf("%+v", who.asked)
	}
	q := who.asked[0]
	contains(t, q.Text, "\nAs the system prompt:\n> Write <U+202E>haiku.\n", "\nAs words of a user:\n> Rain\n> As words\n", "\nAs words of the model:\n> Which?\n", "> Any.\n> ## You\n",
		"in at most 100 tokens", "nothing of this chat, and no tools")
	m := q.Model
	if m == nil || m.System != "Write <U+202E>haiku." || len(m.Messages) != 3 || !m.Messages[1].Assistant || m.MaxTokens != 100 || *m.Temperature != 0.5 || q.Yes == "" || q.Form != nil {
		t.Errorf("%+v", m)
	}
	no := samples(t, &asked{answer: says("")}, wants)
	contains(t, no.Text(), "the user said no")
	contains(t, samples(t, nil, wants).Text(), "nobody is there")
}

// What the model does not get is refused before anybody is asked, and a server asks it a few times at most.
func TestWhatAServerMayNotAskTheModel(t *testing.T) {
	message := `{"role":"user","content":{"type":"text","text":"x"}}`
	for wants, why := range map[string]string{
		fmt.Sprintf(`{"messages":[%s],"maxTokens":0}`, message):                                                                 "how many tokens",
		fmt.Sprintf(`{"messages":[%s],"maxTokens":10,"tools":[{"name":"x","inputSchema":{"type":"object"}}]}`, message):         "no tools",
		fmt.Sprintf(`{"messages":[%s],"maxTokens":10}`, strings.Repeat(message+",", 50)+message):                                "more than 50 messages",
		`{"messages":[{"role":"user","content":{"type":"text","text":"` + strings.Repeat(`\n`, 30_000) + `"}}],"maxTokens":10}`: "more than 64 KB as it is shown",
		`{"messages":[],"maxTokens":10}`: "no message",
		`{"messages":[{"role":"user","content":{"type":"image","data":"AAAA","mimeType":"image/png"}}],"maxTokens":10}`:          "nothing but text",
		`{"messages":[{"role":"user","content":{"type":"text","text":"` + strings.Repeat("word ", 8000) + `"}}],"maxTokens":10}`: "more than 32 KB",
	} {
		who := &asked{answer: says("yes")}
		r := samples(t, who, wants)
		contains(t, r.Text(), why)
		if len(who.asked) != 0 {
			t.Errorf("%.80s: asked %d times", wants, len(who.asked))
		}
	}
	who := &asked{answer: func(context.Context, tools.Inquiry) (tools.Reply, error) {
		return tools.Reply{Yes: true, Text: "x"}, nil
	}}
	r := samples(t, who, fmt.Sprintf(`{"messages":[%s],"maxTokens":1000000}`, message), "TIMES", "9")
	contains(t, r.Text(), "more than 3 times")
	if len(who.asked) != 3 || who.asked[0].Model.MaxTokens != 2048 {
		t.Errorf("asked %d times: %+v", len(who.asked), who.asked)
	}
}

// Where no run is there is no model: a server is not told that it could ask one.
func TestNoModelIsPromised(t *testing.T) {
	for _, models := range []bool{true, false} {
		p := newPlace(t)
		p.models = models
		p.restart()
		p.calls(nil, "older", asks, colour, "TIMES", "0")
		p.sources.Close()
		log, err := p.source.Log("notes")
		if got := strings.Contains(log, `"sampling":{}`); err != nil || got != models || !strings.Contains(log, `"elicitation":{"form":{},"url":{}}`) {
			t.Errorf("models %v: %s, %v", models, log, err)
		}
	}
}

// A server learns nothing of where the model runs when that fails.
func TestAServerIsNotToldWhyTheModelFailed(t *testing.T) {
	who := &asked{answer: func(context.Context, tools.Inquiry) (tools.Reply, error) {
		return tools.Reply{Yes: true}, errors.New("POST http://10.1.2.3:11434/api/chat: the model private:7b is gone")
	}}
	said := samples(t, who, `{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":10}`).Text()
	contains(t, said, "the model did not answer")
	if strings.Contains(said, "11434") || strings.Contains(said, "private") {
		t.Error(said)
	}
}
