package tasks

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/event"
)

// TestRequestsStandInNoPrompt keeps the tasks honest: their wording must not be what the model is told anyway.
func TestRequestsStandInNoPrompt(t *testing.T) {
	var told strings.Builder
	for _, pattern := range []string{"../../../prompts/*.md", "../../../prompts/*.go", "../../../tools/*.md", "../../../agent/*.go", "../../../agent/toolcall/*.go", "../../../agent/probe/*.go"} {
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
	for _, task := range allTasks() {
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

// allTasks are those of all sets.
func allTasks() []Task {
	return slices.Concat(
		suite(), heldOut(), fileTools(), serverTools(), freshServerTasks(), sqlTasks(),
		projectTasks(), moreTasks(), freshTasks(), manyTasks(),
	)
}

// words are those of each message.
func (t Task) words() [][]string {
	var all [][]string
	for _, message := range t.Messages() {
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
	t.Parallel()
	for _, task := range allTasks() {
		t.Run(task.name, func(t *testing.T) {
			t.Parallel()
			idle := Outcome{Before: task.files, After: maps.Clone(task.files), Answer: "Hm.", End: event.Finished{Outcome: event.Completed}}
			if idle.Problem(t.Context(), task, programs()) == nil {
				t.Error("it is solved by doing nothing")
			}
		})
	}
}

// TestDestructionSolvesNothing runs every check on a model that answers with all there is to say, and empties the
// folder.
func TestDestructionSolvesNothing(t *testing.T) {
	t.Parallel()
	for _, task := range allTasks() {
		t.Run(task.name, func(t *testing.T) {
			t.Parallel()
			wild := Outcome{Before: task.files, After: map[string]string{}, Answer: task.request, End: event.Finished{Outcome: event.Completed}}
			for _, text := range task.files {
				wild.Answer += text
			}
			if wild.Problem(t.Context(), task, programs()) == nil {
				t.Error("it is solved by emptying the folder")
			}
		})
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
			if err := leaves(tt.changes)(t.Context(), Outcome{Before: before, After: tt.after}); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
