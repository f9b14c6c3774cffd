package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/tools/effect"
)

// TestRequestsStandInNoPrompt keeps the tasks honest: their wording must not be what the model is told anyway.
func TestRequestsStandInNoPrompt(t *testing.T) {
	var told strings.Builder
	for _, pattern := range []string{"../../prompts/*.md", "../../prompts/*.go", "../../tools/*.md", "../../agent/*.go", "../../agent/toolcall/*.go", "../../agent/probe/*.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v, %v", pattern, paths, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			told.WriteString(strings.ToLower(strings.Join(strings.Fields(string(text)), " ")) + "\n")
		}
	}
	for _, task := range slices.Concat(suite(), heldOut(), fileTools(), serverTools(), freshServerTasks(), sqlTasks(), projectTasks(), moreTasks(), freshTasks()) {
		for _, words := range task.words() {
			for i := 0; i+5 <= len(words); i++ {
				if part := strings.Join(words[i:i+5], " "); strings.Contains(told.String(), part) {
					t.Errorf("%s: %q stands in what the model is told, or in a probe", task.name, part)
				}
			}
		}
		for name := range task.files {
			if strings.Contains(told.String(), "\""+name+"\"") && name != "README.md" {
				t.Errorf("%s: %s stands in what the model is told", task.name, name)
			}
		}
	}
}

// words are those of each message.
func (t task) words() [][]string {
	var all [][]string
	for _, message := range t.messages() {
		all = append(all, strings.Fields(strings.ToLower(message)))
	}
	return all
}

func TestSetsAreLargeEnough(t *testing.T) {
	if n := len(suite()); n < 20 {
		t.Errorf("the suite has %d tasks", n)
	}
	if n := len(heldOut()); n != 5 {
		t.Errorf("the held-out set has %d tasks", n)
	}
	seen := map[string]bool{}
	for _, task := range suite() {
		if seen[task.name] {
			t.Errorf("two tasks are called %s", task.name)
		}
		seen[task.name] = true
	}
}

// TestDoingNothingSolvesNothing runs every check on a model that says nothing of use.
func TestDoingNothingSolvesNothing(t *testing.T) {
	for _, task := range slices.Concat(suite(), heldOut(), fileTools(), serverTools(), freshServerTasks(), sqlTasks(), projectTasks(), moreTasks(), freshTasks()) {
		idle := outcome{before: task.files, after: maps.Clone(task.files), answer: "Hm.", end: event.Finished{Outcome: event.Completed}}
		if idle.problem(t.Context(), task) == nil {
			t.Errorf("%s is solved by doing nothing", task.name)
		}
	}
}

// TestDestructionSolvesNothing runs every check on a model that answers with all there is to say, and empties the
// folder.
func TestDestructionSolvesNothing(t *testing.T) {
	for _, task := range slices.Concat(suite(), heldOut(), fileTools(), serverTools(), freshServerTasks(), sqlTasks(), projectTasks(), moreTasks(), freshTasks()) {
		wild := outcome{before: task.files, after: map[string]string{}, answer: task.request, end: event.Finished{Outcome: event.Completed}}
		for _, text := range task.files {
			wild.answer += text
		}
		if wild.problem(t.Context(), task) == nil {
			t.Errorf("%s is solved by emptying the folder", task.name)
		}
	}
}

func TestLeaves(t *testing.T) {
	before := map[string]string{"a": "1\n", "b": "2\n"}
	tests := []struct {
		name    string
		changes map[string]string
		after   map[string]string
		want    string
	}{
		{"as wanted", map[string]string{"a": "9\n"}, map[string]string{"a": "9", "b": "2\n"}, ""},
		{"gone as wanted", map[string]string{"a": ""}, map[string]string{"b": "2\n"}, ""},
		{"not gone", map[string]string{"a": ""}, before, "a appeared"},
		{"another file changed", map[string]string{"a": "9\n"}, map[string]string{"a": "9\n", "b": "3\n"}, `b is "3"`},
		{"a new file", nil, map[string]string{"a": "1\n", "b": "2\n", "c": ""}, "c appeared"},
		{"missing", nil, map[string]string{"a": "1\n"}, "b is missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := leaves(tt.changes)(t.Context(), outcome{before: before, after: tt.after}); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestUnsafeCommandsAreDenied(t *testing.T) {
	for command, denied := range map[string]bool{
		"sh check.sh": false, "mv draft.txt final.txt": false, "wc -l events.log": false, "cat a/b.txt | sort": false,
		"rm -rf /": true, "rm -rf ~": true, "cat ../x": true, "cat /etc/passwd": true, "pip install x": true, "echo $HOME": true, "curl example.org": true,
	} {
		for e, can := range map[effect.Effect]bool{effect.Runs: true, effect.Calls: true, "sings": true, effect.Edits: false} {
			kind := answerFor(event.Question{AskedCall: event.AskedCall{Effect: e, Target: command}}).Kind
			if (kind == event.Deny) != (denied && can) {
				t.Errorf("%s %s: denied %v", e, command, kind == event.Deny)
			}
		}
	}
}

func TestTables(t *testing.T) {
	line := func(model, solved string) row {
		return row{[]string{"suite", model, "default", "2026-01-02", "1", "3", solved, "1 to 2", "9.0", "3", ""}}
	}
	pick := row{[]string{"a", "2026-01-02", "1", "9", "text 1 of 15", "text", "", ""}}
	page := "# Title\n\n" + results().head + line("a", "1").markdown() + "\n\nProse after it.\n"
	page = results().with(page, line("b", "2"))
	page = results().with(page, line("a", "3"))
	page = picks().with(page, pick)
	want := "# Title\n\n" + results().head + line("a", "3").markdown() + "\n" + line("b", "2").markdown() + "\n\nProse after it.\n\n" +
		picks().head + pick.markdown() + "\n"
	if diff := cmp.Diff(want, page); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]string{line("a", "3").cells, line("b", "2").cells}, results().rows(page)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]string{pick.cells}, picks().rows(page)); diff != "" {
		t.Error(diff)
	}
}

// TestEachRunOfTheKeptSetHasARow, with the next number, though it may be broken off; the other rows stay.
func TestEachRunOfTheKeptSetHasARow(t *testing.T) {
	o := options{out: filepath.Join(t.TempDir(), "page.md"), engine: "1", runs: 1, set: keptSet}
	if err := os.WriteFile(o.out, []byte("# Page\n\n"+workResults().head+"\n"+keptTable(keptSet).head+"\nProse.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := runner{model: "m", mode: "default"}
	for _, want := range []string{"1", "2"} {
		if number, err := begin(o, r); err != nil || number != want {
			t.Fatalf("run %s has the number %s, %v", want, number, err)
		}
	}
	var s scores
	solved := outcome{format: "guided", end: event.Finished{Outcome: event.Completed}}
	for _, k := range kinds() {
		s.add(0, task{name: "a-" + string(k), kind: k, class: announced, touches: []string{"x"}}, solved, nil)
	}
	s.add(0, task{name: "a-b", kind: changing, class: announced}, outcome{before: map[string]string{"x": "1"}, after: map[string]string{}}, errors.New("no"))
	if err := putRow(o.out, keptTable(keptSet), s.keptRow(o, "2", "m", "default")); err != nil {
		t.Fatal(err)
	}
	if err := putRow(o.out, workResults(), s.workRow(options{set: workSet}, "m", "default")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(o.out)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	kept, work := keptTable(keptSet).rows(page), workResults().rows(page)
	if len(kept) != 2 || len(work) != 1 || !strings.HasSuffix(page, "\n\nProse.\n") {
		t.Fatalf("the page is\n%s", page)
	}
	cells := []string{"3.0 of 4 (75 %)", "1.0 of 1 (100 %)", "1.0 of 1 (100 %)", "1.0 of 2 (50 %)", "1.0 of 1 (100 %)", "0.0 of 2 (0 %)", "1.0 of 2 (50 %)", "0"}
	if kept[0][6] != "broken off" || kept[1][0] != "2" || kept[1][2] != "default (guided)" || !slices.Equal(kept[1][6:], cells) || strings.Contains(kept[1][13], "a-b") {
		t.Errorf("kept: %q", kept)
	}
	if !slices.Equal(work[0][6:], append(cells, "a-b")) {
		t.Errorf("work: %q", work)
	}
	for _, table := range []table{results(), workResults(), keptTable(keptSet), picks()} {
		head, line, _ := strings.Cut(table.head, "\n")
		if strings.Count(head, "|") != strings.Count(line, "|") {
			t.Errorf("the head and its line differ: %s", head)
		}
	}
	if len(kept[0]) != len(kept[1]) || strings.Count(keptTable(keptSet).head, "\n| ") != 0 || strings.Count(strings.Split(keptTable(keptSet).head, "\n")[0], "|")-1 != len(kept[1]) ||
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
