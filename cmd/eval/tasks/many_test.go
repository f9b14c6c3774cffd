package tasks

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/assent-ls/assent/agent/event"
)

// TestTheSetMany is of nine tasks that ask and eleven that change, each in a workspace of its own.
func TestTheSetMany(t *testing.T) {
	t.Parallel()
	tasks, ok, err := Set(ManySet)
	if err != nil || !ok {
		t.Fatalf("%v, %v", ok, err)
	}
	count := map[Kind]int{}
	names := map[string]bool{}
	for _, task := range tasks {
		count[task.kind]++
		names[task.name] = true
		if n := len(task.files); n < 8 || n > 20 {
			t.Errorf("%s has %d files", task.name, n)
		}
		if (task.kind == changing) != (len(task.touches) > 0) {
			t.Errorf("%s: a %s task touches %q", task.name, task.kind, task.touches)
		}
	}
	if count[reading] != 9 || count[changing] != 11 || len(names) != 20 {
		t.Errorf("%d tasks of %v", len(names), count)
	}
	for name := range manyOutcomes() {
		if !names[name] {
			t.Errorf("there is no task %s", name)
		}
	}
}

// TestManyChecksAcceptAndRefuse shows that each check takes right outcomes and refuses wrong ones.
func TestManyChecksAcceptAndRefuse(t *testing.T) {
	t.Parallel()
	for _, task := range manyTasks() {
		t.Run(task.name, func(t *testing.T) {
			t.Parallel()
			takesRightAlone(t, task, manyOutcomes()[task.name])
		})
	}
}

// TestReadingAloudAnswersNothing gives the request and all files for an answer, with their names in front of them.
func TestReadingAloudAnswersNothing(t *testing.T) {
	t.Parallel()
	for _, task := range manyTasks() {
		var all strings.Builder
		all.WriteString(task.request + "\n")
		for _, name := range slices.Sorted(maps.Keys(task.files)) {
			all.WriteString(name + "\n" + task.files[name] + "\n")
		}
		o := said(all.String()).outcome(t, task)
		if o.Problem(t.Context(), task, programs()) == nil {
			t.Errorf("%s is solved", task.name)
		}
	}
}

// TestEachFileOfManyCounts leaves one file of each solution as it was.
func TestEachFileOfManyCounts(t *testing.T) {
	t.Parallel()
	for _, task := range manyTasks() {
		if task.kind != changing {
			continue
		}
		whole := did(solution(task.name)).outcome(t, task)
		for _, name := range differing(whole.Before, whole.After) {
			part := Outcome{Before: whole.Before, After: maps.Clone(whole.After), End: event.Finished{Outcome: event.Completed}}
			if text, there := whole.Before[name]; there {
				part.After[name] = text
			} else {
				delete(part.After, name)
			}
			if part.Problem(t.Context(), task, programs()) == nil {
				t.Errorf("%s is solved without %s", task.name, name)
			}
		}
	}
}

// solution makes the files of testdata/many/solved/NAME.txtar, which no check had a part in; empty ones are deleted.
func solution(name string) change {
	return func(files map[string]string) error {
		text, err := os.ReadFile("testdata/many/solved/" + name + ".txtar")
		if err != nil {
			return err
		}
		for _, f := range txtar.Parse(text).Files {
			if files[f.Name] = string(f.Data); len(f.Data) == 0 {
				delete(files, f.Name)
			}
		}
		return nil
	}
}

// instead makes the solution, and then further changes.
func instead(name string, changes ...change) result {
	return did(append([]change{solution(name)}, changes...)...)
}
