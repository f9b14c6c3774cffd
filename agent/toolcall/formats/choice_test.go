package formats

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

const hermesPing = "<tool_call>\n{\"name\": \"ping\", \"arguments\": {\"host\": \"db1\"}}\n</tool_call>"

// chosen decodes a reply, with calls in the server's own field, and gives the calls, the text and the notice.
func chosen(t *testing.T, c Choice, names []string, reply string, native ...model.Call) (calls []string, text string, notice toolcall.Quoted) {
	t.Helper()
	f, err := Finder{}.Choose(names, false, c)
	if err != nil {
		t.Fatal(err)
	}
	d := f.Decoder(testTools())
	for _, e := range append(d.Push(model.Chunk{Text: reply, Calls: native}), d.End(true)...) {
		switch e := e.(type) {
		case toolcall.Called:
			calls = append(calls, e.Call.Name)
		case toolcall.Text:
			text += e.Text
		case toolcall.Quoted:
			notice = e
		}
	}
	return calls, text, notice
}

// The calls of formats that are not enabled stay text, whatever describes the tools, and the model is told so.
func TestOnlyEnabledFormatsRun(t *testing.T) {
	own := model.Call{Name: "ping", Arguments: []byte(`{"host":"db1"}`)}
	lfm := `<|tool_call_start|>[ping(host="db1")]<|tool_call_end|>`
	for name, c := range map[string]struct {
		choice Choice
		names  []string
		reply  string
		native []model.Call
		runs   bool
	}{
		"all":                        {Choice{}, []string{"native", "hermes"}, hermesPing, nil, true},
		"enabled":                    {Choice{Enabled: []string{"native", "hermes"}}, []string{"native", "hermes"}, hermesPing, nil, true},
		"enabled, not the profile's": {Choice{Enabled: []string{"llama3-json", "hermes"}}, []string{"llama3-json"}, hermesPing, nil, true},
		"by another name":            {Choice{Enabled: []string{"qwen25", "pythonic"}}, []string{"pythonic"}, hermesPing, nil, true},
		"not enabled":                {Choice{Enabled: []string{"lfm2"}}, []string{"native", "hermes"}, hermesPing, nil, false},
		"another one":                {Choice{Enabled: []string{"hermes"}}, []string{"hermes"}, lfm, nil, false},
		"primary":                    {Choice{Primary: "lfm2", Enabled: []string{"lfm2", "text"}}, []string{"native"}, lfm, nil, true},
		"only":                       {Choice{Only: "lfm2", Enabled: []string{"lfm2"}}, []string{"native"}, "```json\n{\"name\": \"ping\", \"arguments\": {\"host\": \"db1\"}}\n```", nil, true},
		"none":                       {Choice{Enabled: []string{}}, []string{"native"}, lfm, nil, false},
		"the server's":               {Choice{Enabled: []string{"native"}}, []string{"native"}, "", []model.Call{own}, true},
		"the server's, not enabled":  {Choice{Enabled: []string{"hermes"}}, []string{"native", "hermes"}, "", []model.Call{own}, false},
	} {
		calls, text, notice := chosen(t, c.choice, c.names, c.reply, c.native...)
		if len(calls) > 0 != c.runs {
			t.Errorf("%s: %q runs %v", name, c.reply, calls)
		}
		if !c.runs && (text != c.reply || notice.Name != "ping" || !notice.Alone || !strings.Contains(notice.Reason, "in this reply was shown and not made, because ")) {
			t.Errorf("%s: text %q, notice %+v", name, text, notice)
		}
		if c.runs && notice.Reason != "" {
			t.Errorf("%s: notice %+v", name, notice)
		}
	}
	calls, _, notice := chosen(t, Choice{Enabled: []string{"text"}}, []string{"text"}, "See "+lfm)
	if len(calls) > 0 || notice.Alone {
		t.Errorf("%v, %+v", calls, notice)
	}
}

// A format that is chosen describes the tools, and those of the profile are still read.
func TestThePrimaryFormat(t *testing.T) {
	for name, c := range map[string]struct {
		choice Choice
		names  []string
		want   string
	}{
		"the profile's":         {Choice{}, []string{"hermes", "text"}, "hermes"},
		"primary":               {Choice{Primary: "lfm2"}, []string{"hermes", "text"}, "lfm2"},
		"primary, by an alias":  {Choice{Primary: "fenced-json"}, []string{"hermes", "text"}, "text"},
		"only":                  {Choice{Only: "lfm2"}, []string{"hermes", "text"}, "lfm2"},
		"first that is enabled": {Choice{Enabled: []string{"text"}}, []string{"guided", "hermes", "text"}, "text"},
		"none of the profile's": {Choice{Enabled: []string{"native", "lfm2"}}, []string{"hermes", "text"}, "lfm2"},
		"none at all":           {Choice{Enabled: []string{}}, []string{"hermes"}, "text"},
	} {
		f, err := Finder{}.Choose(c.names, false, c.choice)
		if err != nil || f.Name() != c.want {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	if calls, _, _ := chosen(t, Choice{Primary: "lfm2"}, []string{"hermes"}, hermesPing+"\nThat is it."); len(calls) != 1 {
		t.Errorf("a call of the profile's own format: %v", calls)
	}
	words := WithWords(limited{Format: Described()}, "Call them so.")
	if text := words.Request("", nil, testTools(), toolcall.Hints{}).Messages[0].Text; !strings.HasPrefix(text, "Call them so.") {
		t.Errorf("%q", text)
	}
}

func TestMistakesInAChoice(t *testing.T) {
	for want, c := range map[string]Choice{
		`there is no tool-call format "herms", perhaps you mean hermes, `:                                    {Primary: "herms"},
		"; the formats are native, text, guided, hermes, ":                                                   {Enabled: []string{"text", "xml"}},
		"cannot be described in the format lfm2, whose calls would not run: toolCallEnabled has only hermes": {Primary: "lfm2", Enabled: []string{"hermes"}},
		"cannot be described in the format text, whose":                                                      {Only: "text", Enabled: []string{}},
	} {
		_, err := Finder{}.Choose([]string{"hermes"}, false, c)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
