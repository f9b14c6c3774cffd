package formats

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
)

// TestACallAmongManyMarkersIsNeverSilent has a whole call amid so many markers that a decoder does not read all of them
// again: it runs, or the model is told why not. If the reply ends in a thought, the person is told that.
func TestACallAmongManyMarkersIsNeverSilent(t *testing.T) {
	t.Parallel()
	const many = 12 << 10
	gaveUp := 0
	for _, name := range everyName() {
		f, err := byEveryName(name)
		if err != nil {
			t.Fatal(err)
		}
		call := written(f, toolcall.Turn{Calls: []toolcall.Call{call("ping", `{"host":"db1"}`)}})
		begins := func(marker string) bool { return strings.HasPrefix(call, marker) }
		if !slices.ContainsFunc(grammarOf(f).Blocks, func(b grammar.Block) bool { return slices.ContainsFunc(b.Open, begins) }) {
			continue
		}
		for _, r := range sample(name, knownReplies(f)) {
			d := f.Decoder(testTools())
			reply := r.text(many) + "\n\n" + call + "\n\n" + strings.Repeat(r.piece, many/len(r.piece))
			got := fold(append(d.Push(model.Chunk{Text: reply}), d.End(true)...))
			if len(got.Calls)+len(got.Errors)+len(got.Notices) == 0 && !strings.HasSuffix(got.Order, "U") {
				t.Errorf("%s: of a call amid %v nothing is said", name, r)
			}
			if s, ok := d.(*grammar.Decoder); ok && s.GaveUp() {
				gaveUp++
				if len(got.Notices) != 1 {
					t.Errorf("%s: of what was not searched in %v nothing is said: %q", name, r, got.Notices)
				}
			}
		}
	}
	if gaveUp == 0 {
		t.Error("all was read again")
	}
}

// TestACallInAThoughtInAThoughtIsReported has a reply of nothing else, in a format whose calls do not end a thought.
func TestACallInAThoughtInAThoughtIsReported(t *testing.T) {
	f, err := byEveryName("nemotron-mini")
	if err != nil {
		t.Fatal(err)
	}
	got := decodeEveryWay(t, f, testTools(), true, "<think>Hm.\n<think>I ping.\n"+written(f, toolcall.Turn{Calls: []toolcall.Call{call("ping", `{"host":"db1"}`)}}))
	if len(got.Calls) > 0 || len(got.Notices) != 1 || !strings.Contains(got.Notices[0], "it stands in the thinking") {
		t.Errorf("got %+v", got)
	}
}
