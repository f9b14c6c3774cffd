package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/cmd/eval/runner"
	"github.com/assent-ls/assent/cmd/eval/tasks"
)

// TestTheKeptSetIsRunWhole: what could be looked at in between would be worked with.
func TestTheKeptSetIsRunWhole(t *testing.T) {
	for _, set := range []string{tasks.KeptSet, tasks.FreshKeptSet} {
		chosen, err := choose(options{set: set, out: "page.md"})
		if err != nil || len(chosen) != 30 {
			t.Fatalf("%s: %d tasks, %v", set, len(chosen), err)
		}
		for name, o := range map[string]options{
			"part": {set: set, out: "page.md", tasks: []string{chosen[0].Name()}}, "kind": {set: set, out: "page.md", kind: "talk"},
			"again": {set: set, out: "page.md", again: "x"}, "transcripts": {set: set, out: "page.md", keep: "x"}, "not written down": {set: set},
		} {
			if _, err := choose(o); err == nil {
				t.Errorf("%s: %s is allowed", set, name)
			}
		}
	}
}

func TestChoose(t *testing.T) {
	again := filepath.Join(t.TempDir(), "names")
	names := func(o options) string {
		chosen, err := choose(o)
		if err != nil {
			return err.Error()
		}
		var out []string
		for _, task := range chosen {
			out = append(out, task.Name())
		}
		return strings.Join(out, " ")
	}
	work := strings.Fields(names(options{set: tasks.WorkSet}))
	if len(work) != 60 || work[0] != "tally-loop" {
		t.Errorf("work: %s", work)
	}
	if got := names(options{set: tasks.WorkSet, kind: "read"}); len(strings.Fields(got)) != 20 {
		t.Errorf("read: %s", got)
	}
	if got := names(options{set: tasks.WorkSet, again: again}); len(strings.Fields(got)) != 60 {
		t.Errorf("no file yet: %s", got)
	}
	if got := names(options{set: tasks.ManySet, kind: "read"}); len(strings.Fields(got)) != 9 {
		t.Errorf("many: %s", got)
	}
	two := work[3] + "\n" + work[1] + "\n"
	if err := os.WriteFile(again, []byte(two), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := names(options{set: tasks.WorkSet, again: again}); got != work[3]+" "+work[1] {
		t.Errorf("again: %s", got)
	}
	for _, o := range []options{{set: "no"}, {set: tasks.WorkSet, kind: "sing"}, {set: tasks.WorkSet, tasks: []string{"no"}}} {
		if _, err := choose(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// TestFreshRowsHaveTheirPlaces: those of fresh-kept have a table and numbers of their own, also of runs that break off.
func TestFreshRowsHaveTheirPlaces(t *testing.T) {
	o := options{set: tasks.FreshKeptSet, runs: 1, out: filepath.Join(t.TempDir(), "page.md")}
	page := "# Page\n\n" + keptTable(tasks.KeptSet).head + "| 1 | m |\n"
	if err := os.WriteFile(o.out, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1", "2"} {
		if number, err := begin(o, runner.Runner{Model: "m", Mode: "default"}); err != nil || number != want {
			t.Fatalf("run %q, %v", number, err)
		}
	}
	text, err := os.ReadFile(o.out)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(keptTable(tasks.KeptSet).rows(string(text))); n != 1 {
		t.Errorf("%d rows of the kept set", n)
	}
	fresh, _, err := tasks.Set(tasks.FreshWorkSet)
	if err != nil {
		t.Fatal(err)
	}
	var s scores
	s.add(0, fresh[0], runner.Outcome{}, nil)
	for set, want := range map[string]table{tasks.FreshKeptSet: keptTable(tasks.FreshKeptSet), tasks.FreshWorkSet: workResults()} {
		if got, _ := s.onPage(options{set: set}, "1", runner.Runner{}); got != want {
			t.Errorf("a row of %s belongs to %q", set, got.head)
		}
	}
}
