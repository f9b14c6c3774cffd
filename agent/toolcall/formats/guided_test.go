package formats

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

func TestGuidedDecoder(t *testing.T) {
	tests := []struct {
		name, text string
		want       outcome
	}{
		{"answer", `{"answer": "It is \"4\".\nSo \u00e4 \ud83d\ude00."}`, outcome{Text: "It is \"4\".\nSo ä 😀.", Order: "T"}},
		{"answer over lines", "{\n \"answer\" :\n\"yes\"\n}\n", outcome{Text: "yes", Order: "T"}},
		{"half a surrogate pair", `{"answer": "a\ud83db"}`, outcome{Text: "a\ufffdb", Order: "T"}},
		{"answer after the intent", `{"do": "talk", "answer": "It is 4."}`, outcome{Text: "It is 4.", Order: "T"}},
		{"answer after the question whether all is done", `{"done": "yes", "do": "talk", "answer": "It is 4."}`, outcome{Text: "It is 4.", Order: "T"}},
		{"call after the question whether all is done", `{"done": "no", "do": "run", "tool": "ping", "arguments": {"host": "db1"}}`, outcome{Calls: []string{pinged}, Order: "C"}},
		{"an intent with an escape", `{"do": "ta\"lk", "answer": "It is 4."}`, outcome{Text: `{"do": "ta\"lk", "answer": "It is 4."}`, Order: "T"}},
		{"call after the intent", `{"do": "run", "tool": "ping", "arguments": {"host": "db1"}}`, outcome{Calls: []string{pinged}, Order: "C"}},
		{"call", `{"tool": "ping", "arguments": {"host": "db1"}}`, outcome{Calls: []string{pinged}, Order: "C"}},
		{"a call quoted in the answer", `{"answer": "Write {\"tool\": \"ping\", \"arguments\": {\"host\": \"x\"}}"}`, outcome{Text: `Write {"tool": "ping", "arguments": {"host": "x"}}`, Order: "T"}},
		{"other keys", `{"name": "ping", "arguments": {"host": "db1"}}`, outcome{Calls: []string{pinged}, Order: "C"}},
		{"no JSON", "Hello there.", outcome{Text: "Hello there.", Order: "T"}},
		{"no JSON, then a fence", "Pinging.\n```json\n" + pingCall + "\n```", outcome{Text: "Pinging.", Calls: []string{pinged}, Order: "TC"}},
		{"JSON that is neither", `{"reply": 3}`, outcome{Text: `{"reply": 3}`, Order: "T"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, decodeEveryWay(t, Guided(), testTools(), true, tt.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestGuidedStreams checks that the answer is shown as it arrives, not at its end.
func TestGuidedStreams(t *testing.T) {
	d := Guided().Decoder(testTools())
	var shown string
	for _, piece := range []string{`{"do": "ta`, `lk", "ans`, `wer": "One`, ` two\`, `n`, `thr`} {
		shown = fold(d.Push(model.Chunk{Text: piece})).Text
	}
	if shown != "thr" {
		t.Errorf("the last piece showed %q", shown)
	}
	if rest := fold(d.End(false)); rest.Text != "" || len(rest.Errors) > 0 {
		t.Errorf("the end added %+v", rest)
	}
}

// TestGuidedReminds checks that each result is followed by the request of its turn, cut at a word if it is long.
func TestGuidedReminds(t *testing.T) {
	long := strings.Repeat("many words ", 60)
	result := toolcall.Turn{Role: model.RoleTool, Name: "ping", Text: "pong"}
	turns := []toolcall.Turn{
		{Role: model.RoleUser, Text: "Ping.\n\nfile a:\nx", Asked: "Ping."},
		result,
		{Role: model.RoleUser, Text: long, Asked: long},
		result, result,
		{Role: model.RoleUser, Text: "of unknown origin"},
		result,
	}
	var got []string
	for _, m := range Guided().Request("", turns, nil, toolcall.Hints{}).Messages {
		got = append(got, m.Text)
	}
	cut := "Result of ping:\npong\n\nThe request: " + strings.TrimSpace(strings.Repeat("many words ", 60)[:297]) + " …"
	want := []string{
		"Ping.\n\nfile a:\nx", "Result of ping:\npong\n\nThe request: Ping.",
		long, cut, cut, "of unknown origin", "Result of ping:\npong",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Advice is behind its message, in every later request too, but behind plain talk, to which nothing is attached.
func TestGuidedAdvises(t *testing.T) {
	const question, file = "Where is the port set?", "\n\nfile main.go:\nport = 80"
	turns := []toolcall.Turn{
		{Role: model.RoleUser, Text: question + file, Asked: question, Advice: "It asks."},
		{Role: model.RoleAssistant, Text: "In main.go."},
		{Role: model.RoleUser, Text: "What is a port?", Asked: "What is a port?", Advice: "It asks."},
	}
	first := Guided().Request("", turns[:1], nil, toolcall.Hints{}).Messages
	later := Guided().Request("", turns, nil, toolcall.Hints{}).Messages
	if first[0].Text != question+file+"\n\nIt asks." || later[0].Text != first[0].Text || later[2].Text != "What is a port?" {
		t.Errorf("%q, then %q", first, later)
	}
}

func TestGuidedSchema(t *testing.T) {
	tools := testTools()[:2]
	full := Guided().Request("", nil, tools, toolcall.Hints{}).Format
	want := `{"anyOf":[` +
		`{"type":"object","properties":{"do":{"enum":["look","change","run","compute"]},"tool":{"const":"ping"},"arguments":{"type":"object","properties":{"host":{"type":"string"},"count":{"type":"integer"}},"required":["host"]}},"required":["do","tool","arguments"],"additionalProperties":false},` +
		`{"type":"object","properties":{"do":{"enum":["look","change","run","compute"]},"tool":{"const":"uptime"},"arguments":{"type":"object","properties":{}}},"required":["do","tool","arguments"],"additionalProperties":false},` +
		`{"type":"object","properties":{"do":{"const":"talk"},"answer":{"type":"string"}},"required":["do","answer"],"additionalProperties":false}]}`
	if diff := cmp.Diff(want, string(full)); diff != "" {
		t.Error(diff)
	}
	if !json.Valid(full) {
		t.Error("the schema is not JSON")
	}
	must := string(Guided().Request("", nil, tools, toolcall.Hints{RequireCall: true}).Format)
	if strings.Contains(must, "answer") || !strings.Contains(must, `"ping"`) {
		t.Errorf("with RequireCall: %s", must)
	}
	end := string(Guided().Request("", nil, tools, toolcall.Hints{RequireCall: true, RequireAnswer: true}).Format)
	if !strings.Contains(end, "answer") || strings.Contains(end, `"ping"`) {
		t.Errorf("with RequireAnswer: %s", end)
	}
	one := string(Guided().Request("", nil, tools, toolcall.Hints{RequireCall: true, Only: []string{"uptime"}}).Format)
	if strings.Contains(one, "anyOf") || strings.Contains(one, "ping") || !strings.Contains(one, `"uptime"`) {
		t.Errorf("with Only: %s", one)
	}
	none := string(Guided().Request("", nil, tools, toolcall.Hints{Only: []string{"gone"}}).Format)
	if !strings.Contains(none, "answer") || strings.Contains(none, "tool") {
		t.Errorf("with no tool allowed: %s", none)
	}
	if got := Guided().Request("S", nil, nil, toolcall.Hints{}); got.Format != nil || len(got.Messages) != 1 || got.Messages[0].Text != "S" {
		t.Errorf("without tools: %+v", got)
	}
	if got := Native().Request("", nil, tools, toolcall.Hints{}).Format; got != nil {
		t.Errorf("native is constrained without a hint: %s", got)
	}
	if got := Native().Request("", nil, tools, toolcall.Hints{RequireCall: true}).Format; !strings.Contains(string(got), `"name":{"const":"ping"}`) {
		t.Errorf("native with RequireCall: %s", got)
	}
}
