package formats

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// written is how a format writes a turn of its own.
func written(f toolcall.Format, t toolcall.Turn) string {
	t.Role = model.RoleAssistant
	messages := f.Request("", []toolcall.Turn{t}, nil, toolcall.Hints{}).Messages
	m := messages[len(messages)-1]
	if len(m.Calls) > 0 { // native: what a model prints instead
		return Described().Request("", []toolcall.Turn{t}, nil, toolcall.Hints{}).Messages[0].Text
	}
	return m.Text
}

func call(name, arguments string) toolcall.Call {
	return toolcall.Call{Name: name, Arguments: json.RawMessage(arguments)}
}

func eachFormat(t *testing.T, test func(t *testing.T, f toolcall.Format)) {
	t.Helper()
	for _, name := range everyName() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := byEveryName(name)
			if err != nil {
				t.Fatal(err)
			}
			test(t, f)
		})
	}
}

func TestConformanceOneCall(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		for _, text := range []string{"", "Let me see."} {
			reply := written(f, toolcall.Turn{Text: text, Calls: []toolcall.Call{call("ping", `{"host":"db1","count":3}`)}})
			got := decodeEveryWay(t, f, testTools(), true, reply)
			want := outcome{Text: text, Calls: []string{`ping {"host":"db1","count":3}`}, Order: "C"}
			if text != "" {
				want.Order = "TC"
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q:\n%s", reply, diff)
			}
		}
	})
}

func TestConformanceSeveralCalls(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		reply := written(f, toolcall.Turn{Calls: []toolcall.Call{call("get_rate", `{"pair":"EURUSD"}`), call("uptime", `{}`), call("get", `{"key":"k"}`)}})
		got := decodeEveryWay(t, f, testTools(), true, reply)
		want := outcome{Calls: []string{`get_rate {"pair":"EURUSD"}`, `uptime {}`, `get {"key":"k"}`}, Order: "CCC"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q:\n%s", reply, diff)
		}
	})
}

func TestConformanceArguments(t *testing.T) {
	t.Parallel()
	calls := []toolcall.Call{
		call("write_note", `{"title":"a","pinned":true,"weight":2.5,"tags":["x","y z"],"meta":{"n":1,"s":"t"},"text":"plain"}`),
		call("write_note", `{"title":"it's \"q\"","text":"if a<b && c>d {\n\treturn [1, 2] // \\n\n}\n\nend"}`),
		call("write_note", `{"title":"üñ 😀 ｜▁","text":"5"}`),
		call("write_note", `{"title":"null","text":"true"}`),
	}
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		for _, c := range calls {
			reply := written(f, toolcall.Turn{Calls: []toolcall.Call{c}})
			got := decodeEveryWay(t, f, testTools(), true, reply)
			if diff := cmp.Diff([]string{c.Name + " " + string(c.Arguments)}, got.Calls); diff != "" || got.Text != "" {
				t.Errorf("%q:\n%s text %q errors %v", reply, diff, got.Text, got.Errors)
			}
		}
	})
}

// TestConformanceQuotedInArgument writes a note about the format's own calls.
func TestConformanceQuotedInArgument(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		quoted := "A call: " + written(f, toolcall.Turn{Calls: []toolcall.Call{call("ping", `{"host":"db1"}`)}}) + "\nSo."
		c := call("write_note", string(values.WriteObject([]values.Member{{Key: "title", Text: "t"}, {Key: "text", Text: quoted}})))
		reply := written(f, toolcall.Turn{Calls: []toolcall.Call{c}})
		got := decodeEveryWay(t, f, testTools(), true, reply)
		for i := range got.Calls { // JSON may spell it so
			got.Calls[i] = strings.ReplaceAll(got.Calls[i], `\u003c`, "<")
		}
		if diff := cmp.Diff([]string{c.Name + " " + string(c.Arguments)}, got.Calls); diff != "" || got.Text != "" {
			t.Errorf("%q:\n%s text %q errors %v", reply, diff, got.Text, got.Errors)
		}
	})
}

func TestConformanceQuoted(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		one := written(f, toolcall.Turn{Calls: []toolcall.Call{call("ping", `{"host":"db1"}`)}})
		for _, reply := range []string{
			"So:\n````\n" + one + "\n````\nis a call.",
			"So:\n````xml\n" + one + "\n````\nis a call.",
			"In a span: ``" + strings.ReplaceAll(one, "\n", " ") + "`` is a call.",
			"> " + strings.ReplaceAll(one, "\n", "\n> ") + "\n\nwas a call.",
		} {
			got := decodeEveryWay(t, f, testTools(), true, reply)
			if len(got.Calls) > 0 || len(got.Errors) > 0 || got.Text != reply {
				t.Errorf("%q gives %+v", reply, got)
			}
		}
	})
}

func TestConformanceInThought(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		one := written(f, toolcall.Turn{Calls: []toolcall.Call{call("ping", `{"host":"db1"}`)}})
		open, closer := "<think>", "</think>"
		if fam, ok := f.(*family); ok {
			th := fam.grammar().Thoughts[len(fam.grammar().Thoughts)-1]
			if len(th.Open) > 0 {
				open, closer = th.Open[0], th.Close[0]
			}
			if th.Greedy || th.Shared {
				return // calls in the thought are meant, or its end is also a call's
			}
		}
		reply := open + "Maybe:\n" + one + "\nNo." + closer + "\nHello."
		got := decodeEveryWay(t, f, testTools(), true, reply)
		if len(got.Calls) > 0 || len(got.Errors) > 0 || got.Text != "Hello." || !strings.HasPrefix(got.Thinking, "Maybe:") {
			t.Errorf("%q gives %+v", reply, got)
		}
	})
}

// TestConformanceCut cuts a reply everywhere and breaks the stream: what runs is a prefix of what was meant.
func TestConformanceCut(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		want := []string{`get_rate {"pair":"EUR"}`, `ping {"host":"db1","count":12}`}
		reply := written(f, toolcall.Turn{Calls: []toolcall.Call{call("get_rate", `{"pair":"EUR"}`), call("ping", `{"host":"db1","count":12}`)}})
		for _, i := range sampleOf(f.Name(), len(reply)) {
			for _, complete := range []bool{false, true} {
				got := decode(f, testTools(), complete, reply[:i])
				if complete && len(got.Calls) == 2 && got.Calls[1] == pinged && !strings.Contains(reply[:i], "12") {
					continue // the end of the call may have been a stop word
				}
				if len(got.Calls) > len(want) || !slices.Equal(got.Calls, want[:len(got.Calls)]) {
					t.Errorf("%q complete=%v gives %+v", reply[:i], complete, got)
				}
			}
		}
	})
}

func TestConformanceMalformed(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		unknown := written(f, toolcall.Turn{Calls: []toolcall.Call{call("sing", `{"song":"x"}`)}})
		if got := decodeEveryWay(t, f, testTools(), true, unknown); len(got.Calls) > 0 {
			t.Errorf("%q gives %+v", unknown, got)
		}
		lacking := written(f, toolcall.Turn{Calls: []toolcall.Call{call("ping", `{"count":2}`)}})
		got := decodeEveryWay(t, f, testTools(), true, lacking)
		if len(got.Calls) > 0 || len(got.Errors) != 1 || !strings.Contains(got.Errors[0], `it lacks "host"`) {
			t.Errorf("%q gives %+v", lacking, got)
		}
	})
}

func TestConformanceProse(t *testing.T) {
	t.Parallel()
	prose := []string{
		"Hello, world.\n", "a < b and [x] and {y} and >>> z\n\n- one\n- two\n", "for (i=0; i<n; i++) { f(x) }",
		"|> ｜ <｜ <| [T [TO functo <|tool", "ping is a program: ping(host) pings", "# Title\n\n```go\nfunc main() { ping(\"x\") }\n```\nend",
		"Ping\n", "{\"a\": 1}", "[1]", "name: ping", "to=b", "as", "all\n", "x </tool_x> y",
	}
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		for _, text := range prose {
			got := decodeEveryWay(t, f, testTools(), true, text)
			if len(got.Calls) > 0 || len(got.Errors) > 0 || got.Text != text && text != "all\n" {
				t.Errorf("%q gives %+v", text, got)
			}
		}
	})
}

// TestConcurrentUse decodes with one format from several goroutines at once.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		reply := written(f, toolcall.Turn{Calls: []toolcall.Call{call("ping", `{"host":"db1"}`)}})
		results := make(chan outcome)
		for range 4 {
			go func() { results <- decode(f, testTools(), true, byBytes(reply)...) }()
		}
		for range 4 {
			if got := <-results; len(got.Calls) != 1 || got.Calls[0] != pinged {
				t.Errorf("got %+v", got)
			}
		}
	})
}
