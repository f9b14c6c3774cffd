package formats

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

func TestForModel(t *testing.T) {
	const (
		hermes = "<tool_call>\n" + pingCall + "\n</tool_call>"
		coder  = "<tool_call>\n<function=ping>\n<parameter=host>\ndb1\n</parameter>\n</function>\n</tool_call>"
		glm    = "<tool_call>ping<arg_key>host</arg_key><arg_value>db1</arg_value></tool_call>"
		python = `[ping(host="db1")]`
		lfm2   = "<|tool_call_start|>" + python + "<|tool_call_end|>"
	)
	tests := []struct {
		names, name, reply string
		opened             bool
		want               outcome
	}{
		{names: "native hermes text", name: "native", reply: hermes, want: outcome{Calls: []string{pinged}, Order: "C"}},
		{names: "native qwen3-coder hermes text", name: "native", reply: coder, want: outcome{Calls: []string{pinged}, Order: "C"}},
		{names: "hermes qwen3-coder glm-4.7", name: "hermes", reply: coder, want: outcome{Calls: []string{pinged}, Order: "C"}},
		{names: "hermes qwen3-coder glm-4.7", name: "hermes", reply: glm, want: outcome{Calls: []string{pinged}, Order: "C"}},
		{names: "qwen3-coder hermes", name: "qwen3-coder", reply: hermes, want: outcome{Calls: []string{pinged}, Order: "C"}},
		{names: "hermes", name: "hermes", reply: lfm2, want: outcome{Calls: []string{pinged}, Order: "C"}},
		{names: "hermes", name: "hermes", reply: lfm2 + "\nThat is all.", want: outcome{Text: lfm2 + "\nThat is all.", Order: "TQ"}},
		{names: "hermes lfm2", name: "hermes", reply: "Now. " + lfm2, want: outcome{Text: "Now.", Calls: []string{pinged}, Order: "TC"}},
		{names: "native lfm2 fenced-json text", name: "native", reply: python, want: outcome{Calls: []string{pinged}, Order: "C"}},
		{names: "native pythonic", name: "native", reply: python + "\nThat is all.", want: outcome{Text: python + "\nThat is all.", Order: "TQ"}},
		{names: "native llama3-json", name: "native", reply: pingCall + "\nThat is all.", want: outcome{Text: pingCall + "\nThat is all.", Order: "TQ"}},
		{names: "guided deepseek-v3.1 nothing", name: "guided", reply: `{"answer": "Hi."}`, want: outcome{Text: "Hi.", Order: "T"}},
		{names: "guided hermes", name: "guided", reply: hermes, want: outcome{Calls: []string{pinged}, Order: "C"}},
		{names: "nothing text hermes", name: "text", reply: "Write `" + hermes + "` to call.", want: outcome{Text: "Write `" + hermes + "` to call.", Order: "TQ"}},
		{names: "glm-4.7 text", name: "glm-4.7+thinking", opened: true, reply: "Hm.</think>" + glm, want: outcome{Thinking: "Hm.", Calls: []string{pinged}, Order: "RC"}},
		{names: "text hermes", name: "text", opened: true, reply: "Hm.</think>Yes.", want: outcome{Thinking: "Hm.", Text: "Yes.", Order: "RT"}},
		{names: "native hermes", name: "native", opened: true, reply: "Yes.", want: outcome{Text: "Yes.", Order: "T"}},
	}
	for _, tt := range tests {
		f, err := forEveryModel(strings.Fields(tt.names), tt.opened)
		if err != nil {
			t.Fatal(err)
		}
		got := decodeEveryWay(t, f, testTools(), true, tt.reply)
		got.Notices = nil // its order tells that there is one
		if diff := cmp.Diff(tt.want, got); diff != "" || f.Name() != tt.name {
			t.Errorf("%s, %q: %s %s", tt.names, tt.reply, f.Name(), diff)
		}
	}
	if f, err := forEveryModel([]string{"nothing"}, false); err == nil || !strings.Contains(err.Error(), "hermes") {
		t.Errorf("got %v, %v", f, err)
	}
}

// TestChainOfAll accepts every format at once: each still decodes what it writes, quotes stay text, and time stays
// linear.
func TestChainOfAll(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"native", "hermes", "kimi-k2"} {
		f, err := forEveryModel(append([]string{first}, everyName()...), false)
		if err != nil {
			t.Fatal(err)
		}
		eachFormat(t, func(t *testing.T, own toolcall.Format) {
			t.Helper()
			one := written(own, toolcall.Turn{Calls: []toolcall.Call{call("ping", `{"host":"db1"}`)}})
			if got := decodeEveryWay(t, f, testTools(), true, one); len(got.Calls) > 1 || len(got.Calls) == 1 && got.Calls[0] != pinged {
				t.Errorf("%q gives %+v", one, got)
			}
			quoted := "So:\n````\n" + one + "\n````\nis a call."
			if got := decodeEveryWay(t, f, testTools(), true, quoted); len(got.Calls)+len(got.Errors) > 0 || got.Text != quoted {
				t.Errorf("%q gives %+v", quoted, got)
			}
		})
	}
}

// TestChainSendsBack writes earlier calls that the text of a native reply holds only once.
func TestChainSendsBack(t *testing.T) {
	f, err := forEveryModel([]string{"native", "lfm2"}, false)
	if err != nil {
		t.Fatal(err)
	}
	raw := `<|tool_call_start|>[ping(host="db1")]<|tool_call_end|>`
	turns := []toolcall.Turn{{Role: model.RoleUser, Text: "Ping."}, {Role: model.RoleAssistant, Raw: raw, Calls: []toolcall.Call{call("ping", `{"host":"db1"}`)}}}
	if m := f.Request("", turns, testTools(), toolcall.Hints{}).Messages[1]; m.Text != raw || len(m.Calls) > 0 {
		t.Errorf("got %+v", m)
	}
}

// TestServerThinks opens a thought in the prompt, but the server tells thoughts from text itself.
func TestServerThinks(t *testing.T) {
	f, err := forEveryModel([]string{"glm-4.7"}, true)
	if err != nil {
		t.Fatal(err)
	}
	d := f.Decoder(testTools())
	events := append(d.Push(model.Chunk{Thinking: "Hm."}), d.Push(model.Chunk{Text: "Yes."})...)
	want := outcome{Thinking: "Hm.", Text: "Yes.", Order: "RT"}
	if diff := cmp.Diff(want, fold(append(events, d.End(true)...))); diff != "" {
		t.Error(diff)
	}
}
