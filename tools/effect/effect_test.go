package effect_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/effect"
)

var all = []effect.Effect{
	effect.Computes, effect.Reads, effect.Edits, effect.Deletes, effect.Runs, effect.Fetches, effect.Queries, effect.Calls, effect.Recalls, effect.Asks, effect.Combines,
}

// What is not known is taken to do the worst.
// Invariant 3.
func TestAnEffectThatIsNotKnown(t *testing.T) {
	for _, e := range []effect.Effect{"", "Reads", "sings", "0"} {
		if e.Known() || e.Free() || e.Parallel() || e.Pure() || e.Confined() || !e.Changes() || !e.Outside() || e.Reason() != "It is not known what this tool does." {
			t.Errorf("%q passes for a known one", e)
		}
	}
}

func TestProperties(t *testing.T) {
	for _, e := range all {
		if !e.Known() || !strings.HasSuffix(e.Reason(), ".") {
			t.Errorf("%s has no row", e)
		}
		asks := !e.Free() || e == effect.Combines // each of its calls does
		if e.Changes() && (!asks || e.Parallel() || e.Pure()) {
			t.Errorf("%s changes something, and nobody is asked or it does not wait for others", e)
		}
		if e.Pure() && !e.Free() {
			t.Errorf("%s only computes, and is asked about", e)
		}
	}
	for _, e := range []effect.Effect{effect.Edits, effect.Deletes, effect.Runs, effect.Fetches, effect.Queries, effect.Calls, effect.Recalls} {
		if e.Free() {
			t.Errorf("%s runs without a question", e)
		}
	}
	for _, e := range []effect.Effect{effect.Runs, effect.Fetches, effect.Queries, effect.Calls, effect.Recalls} {
		if e.Confined() {
			t.Errorf("%s is said to stay inside the workspace", e)
		}
	}
	for _, e := range []effect.Effect{effect.Fetches, effect.Queries, effect.Calls, effect.Recalls} {
		if !e.Outside() {
			t.Errorf("%s is said to give nothing that others wrote", e)
		}
	}
}

func TestEffectsOnDisk(t *testing.T) {
	numbers := map[effect.Effect]string{effect.Computes: "0", effect.Reads: "1", effect.Edits: "2", effect.Runs: "3"}
	for _, e := range all {
		want := `"` + string(e) + `"`
		data, err := json.Marshal(e)
		if err != nil || string(data) != want {
			t.Errorf("%s is written as %s, %v; want %s", e, data, err, want)
		}
		for _, text := range []string{want, numbers[e]} { // older lists have numbers
			var read effect.Effect
			if err := json.Unmarshal([]byte(text), &read); text != "" && (err != nil || read != e) {
				t.Errorf("%s is read as %q, %v", text, read, err)
			}
		}
	}
	for text, good := range map[string]bool{"4": true, "-1": true, `"sings"`: true, `""`: true, "null": true, "2.5": false, "true": false, "[]": false} {
		e := effect.Edits
		if err := json.Unmarshal([]byte(text), &e); (err == nil) != good || good && e.Known() {
			t.Errorf("%s is read as %q, %v", text, e, err)
		}
	}
}
