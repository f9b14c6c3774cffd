package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/cmd/eval/runner"
	"github.com/assent-ls/assent/cmd/eval/tasks"
)

func TestTables(t *testing.T) {
	line := func(model, solved string) row {
		return row{"suite", model, "default", "2026-01-02", "1", "3", solved, "1 to 2", "9.0", "3", ""}
	}
	pick := row{"a", "2026-01-02", "1", "9", "text 1 of 15", "text", "", ""}
	page := "# Title\n\n" + results().head + line("a", "1").markdown() + "\n\nProse after it.\n"
	page = results().with(page, line("b", "2"))
	page = results().with(page, line("a", "3"))
	page = picks().with(page, pick)
	want := "# Title\n\n" + results().head + line("a", "3").markdown() + "\n" + line("b", "2").markdown() + "\n\nProse after it.\n\n" +
		picks().head + pick.markdown() + "\n"
	if diff := cmp.Diff(want, page); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]string{line("a", "3"), line("b", "2")}, results().rows(page)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]string{pick}, picks().rows(page)); diff != "" {
		t.Error(diff)
	}
}

// TestEachRunOfTheKeptSetHasARow, with the next number, though it may be broken off; the other rows stay.
func TestEachRunOfTheKeptSetHasARow(t *testing.T) {
	o := options{out: filepath.Join(t.TempDir(), "page.md"), engine: "1", runs: 1, set: tasks.KeptSet}
	if err := os.WriteFile(o.out, []byte("# Page\n\n"+workResults().head+"\n"+keptTable(tasks.KeptSet).head+"\nProse.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := runner.Runner{Model: "m", Mode: "default"}
	for _, want := range []string{"1", "2"} {
		if number, err := begin(o, r); err != nil || number != want {
			t.Fatalf("run %s has the number %s, %v", want, number, err)
		}
	}
	var s scores
	all := ninety(t)
	completed := event.Finished{Outcome: event.Completed}
	for _, name := range []string{"tally-zero", "tally-editor", "tally-round"} {
		s.add(0, all[name], runner.Outcome{Outcome: tasks.Outcome{End: completed}, Format: "guided"}, nil)
	}
	wrong := tasks.Outcome{Before: map[string]string{"x": "1"}, After: map[string]string{}}
	s.add(0, all["tally-rename"], runner.Outcome{Outcome: wrong}, errors.New("no"))
	if err := putRow(o.out, keptTable(tasks.KeptSet), s.keptRow(o, "2", "m", "default")); err != nil {
		t.Fatal(err)
	}
	if err := putRow(o.out, workResults(), s.workRow(options{set: tasks.WorkSet}, "m", "default")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(o.out)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	kept, work := keptTable(tasks.KeptSet).rows(page), workResults().rows(page)
	if len(kept) != 2 || len(work) != 1 || !strings.HasSuffix(page, "\n\nProse.\n") {
		t.Fatalf("the page is\n%s", page)
	}
	cells := []string{"3.0 of 4 (75 %)", "1.0 of 1 (100 %)", "1.0 of 1 (100 %)", "1.0 of 2 (50 %)", "1.0 of 1 (100 %)", "0.0 of 2 (0 %)", "1.0 of 2 (50 %)", "0"}
	if kept[0][6] != "broken off" || kept[1][0] != "2" || kept[1][2] != "default (guided)" || !slices.Equal(kept[1][6:], cells) || strings.Contains(kept[1][13], "tally-rename") {
		t.Errorf("kept: %q", kept)
	}
	if !slices.Equal(work[0][6:], append(cells, "tally-rename")) {
		t.Errorf("work: %q", work)
	}
	for _, table := range []table{results(), workResults(), keptTable(tasks.KeptSet), picks()} {
		head, line, _ := strings.Cut(table.head, "\n")
		if strings.Count(head, "|") != strings.Count(line, "|") {
			t.Errorf("the head and its line differ: %s", head)
		}
	}
	if len(kept[0]) != len(kept[1]) || strings.Count(keptTable(tasks.KeptSet).head, "\n| ") != 0 || strings.Count(strings.Split(keptTable(tasks.KeptSet).head, "\n")[0], "|")-1 != len(kept[1]) ||
		strings.Count(strings.Split(workResults().head, "\n")[0], "|")-1 != len(work[0]) {
		t.Errorf("%d and %d cells", len(kept[0]), len(kept[1]))
	}
}

func TestJudge(t *testing.T) {
	solved := func(model, mode, solved string) []string {
		return []string{"suite", model, mode, "", "", "3", solved, "", "", "", ""}
	}
	rows := [][]string{
		{"held-out", "m", "native", "", "", "3", "5.0 of 5 (100 %)", "", "", "", ""},
		solved("m", "default (guided)", "20.0 of 30 (67 %)"), solved("m", "text", "21.3 of 30 (71 %)"), solved("m", "native", "1.0 of 30 (3 %)"),
		solved("tie", "default (guided)", "9.0 of 30 (30 %)"), solved("tie", "text", "9.0 of 30 (30 %)"), solved("tie", "native", "8.0 of 30 (27 %)"),
		solved("tiny", "default (guided)", "0.0 of 30 (0 %)"), solved("tiny", "text", "2.7 of 30 (9 %)"),
	}
	tests := []struct{ model, picked, best, verdict string }{
		{"m", "text", "text: 21.3 of 30 (71 %)", "yes"},
		{"m", "guided", "text: 21.3 of 30 (71 %)", "no: 20.0 of 30"},
		{"m", "hermes", "text: 21.3 of 30 (71 %)", "no"},
		{"m", "", "text: 21.3 of 30 (71 %)", "no"},
		{"tie", "text", "guided, text: 9.0 of 30 (30 %)", "yes"},
		{"tiny", "", "text: 2.7 of 30 (9 %)", "yes"},
		{"unknown", "text", "not measured", "?"},
	}
	for _, tt := range tests {
		if best, verdict := judge(tt.model, tt.picked, rows); best != tt.best || verdict != tt.verdict {
			t.Errorf("%s, %q picked: got %q, %q, want %q, %q", tt.model, tt.picked, best, verdict, tt.best, tt.verdict)
		}
	}
}
