package formats

import (
	"runtime"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
)

// endless feeds a reply whose call never ends, in pieces, and gives what came of it and how much memory it left in use.
func endless(t *testing.T, f toolcall.Format, opener, filler string, step int) (outcome, uint64) {
	t.Helper()
	text := opener + strings.Repeat(filler, (grammar.MaxCall+1<<20)/len(filler)) + "<tool_call>{\"name\": \"ping\", \"arguments\": {\"host\": \"evil\"}}</tool_call>"
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	d := f.Decoder(testTools())
	var events []toolcall.Event
	for len(text) > 0 {
		n := min(step, len(text))
		events = append(events, d.Push(model.Chunk{Text: text[:n]})...)
		text = text[n:]
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	events = append(events, d.End(true)...)
	runtime.KeepAlive(d)
	return fold(events), after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
}

// TestCallWithoutEnd has a model that loops inside a call: it is reported once, nothing of it runs or is shown, and it
// is not kept.
func TestCallWithoutEnd(t *testing.T) {
	for _, c := range sample("", []struct{ format, opener, filler string }{
		{"hermes", `<tool_call>{"name": "ping", "arguments": {"host": "`, `a\"b `},
		{"hermes", `<tool_call>`, ` {"name": `},
		{"qwen3-coder", "<tool_call>\n<function=ping>\n<parameter=host>\n", "round and round\n"},
		{"lfm2", `<|tool_call_start|>[ping(host="`, `it's `},
		{"gemma4", `<|tool_call>call:ping{host:<|"|>`, "}, "},
		{"guided", `{"do": "run", "tool": "ping", "arguments": {"host": "`, `and on `},
		{"text", `{"name": "ping", "arguments": {"host": "`, `and on `},
	}) {
		f, err := ByName(c.format)
		if err != nil {
			t.Fatal(err)
		}
		var want outcome
		for i, step := range []int{1 << 30, 4099} {
			got, kept := endless(t, f, c.opener, c.filler, step)
			if i == 0 {
				want = got
			}
			if got.Order != "M" || len(got.Errors) != 1 || !strings.Contains(got.Errors[0], "longer than 8 MiB") || len(got.Errors[0]) > 2*grammar.KeptOfExcess {
				t.Errorf("%s in pieces of %d: %d calls, order %s, %.300v", c.format, step, len(got.Calls), got.Order, got.Errors)
			}
			if got.Text != want.Text || got.Errors[0] != want.Errors[0] {
				t.Errorf("%s in pieces of %d differs: %.300v", c.format, step, got)
			}
			if kept > grammar.MaxCall/2 {
				t.Errorf("%s in pieces of %d keeps %d bytes", c.format, step, kept)
			}
		}
	}
}
