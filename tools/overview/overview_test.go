package overview_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/overview"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/usagelog"
	"github.com/assent-ls/assent/tools/userstate"
)

func TestOf(t *testing.T) {
	state, err := userstate.OpenState(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	choice := tools.Choice{Off: []string{"calculator"}, Names: map[string]string{"get_time": "now"}}
	registry, err := tools.NewSources(builtin.Tools(nil, builtin.Options{})).
		Choose(func() tools.Choice { return choice }).Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := tools.NewDispatcher(registry, policy.New(state), nil)
	list := overview.Of(d, policy.ModeAsk, []usagelog.Entry{
		{Tool: "get_time", Outcome: usagelog.OK, TookMS: 1},
		{Tool: "get_time", Outcome: usagelog.Failed, TookMS: 20},
		{Tool: "get_time", Outcome: usagelog.Stopped, TookMS: 300},
		{Tool: "get_time", Outcome: usagelog.Denied},
		{Tool: "get_time", Outcome: usagelog.Refused},
		{Tool: "get_time", Outcome: usagelog.Wrong},
		{Tool: "get_time", Outcome: usagelog.Kept},
		{Tool: "get_time", Outcome: usagelog.Answered},
		{Tool: "get_time", Origin: "server clock", Outcome: usagelog.OK, TookMS: 5000}, // another tool
		{Tool: "calculator", Outcome: usagelog.OK},
	})
	got := map[string]overview.Tool{}
	for _, tool := range list {
		got[tool.Setting] = tool
	}
	clock := got["get_time"]
	want := overview.Totals{Ran: 3, Failed: 2, Denied: 2, Wrong: 1, Took: 321 * time.Millisecond, Longest: 300 * time.Millisecond}
	if diff := cmp.Diff(want, clock.Totals); diff != "" || clock.Name != "now" || clock.Off || clock.Verdict() != "runs" {
		t.Errorf("%v %v %q: %s", clock.Name, clock.Off, clock.Verdict(), diff)
	}
	if ended := clock.Totals.Ended(); ended != "3 ran, 2 failed, 2 denied, 1 could not be read, 321ms in all" {
		t.Error(ended)
	}
	if calculator := got["calculator"]; !calculator.Off || calculator.Totals.Ran != 1 || calculator.Does() != "Compute an arithmetic expression exactly; it knows sqrt, round and **." {
		t.Errorf("%+v", calculator)
	}
	if ask := got["ask_user"]; ask.Verdict() != "asks you" || ask.Totals.Ended() != "" {
		t.Errorf("%+v", ask)
	}
}

// What a server says about its tool is one short line here.
func TestDoes(t *testing.T) {
	for text, want := range map[string]string{
		"Read a file. Long files come in parts.": "Read a file.",
		"  Notes\nof all":                        "Notes",
		"A\u202e line\x1b[2J.":                   "A<U+202E> line<U+001B>[2J.",
		"":                                       "",
	} {
		tool := overview.Tool{Choosable: tools.Choosable{Spec: tools.Spec{Description: text}}}
		if got := tool.Does(); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	long := overview.Tool{Choosable: tools.Choosable{Spec: tools.Spec{Description: strings.Repeat("word ", 100)}}}
	if got := long.Does(); len(got) > 180 {
		t.Errorf("%d bytes", len(got))
	}
}
