package tasks

import (
	"slices"
	"testing"
)

// The first arguments by which the test binary starts itself.
const (
	KeepWord = keepWord
	LineWord = lineWord
)

// Differing are the files that changed, appeared or are gone, in order.
func Differing(before, after map[string]string) []string { return differing(before, after) }

// Solved is a task with one of its right outcomes.
type Solved struct {
	Task    Task
	Outcome Outcome
}

// EachSolved are all tasks of projects, and of the set many.
func EachSolved(t *testing.T) []Solved {
	t.Helper()
	var all []Solved
	for _, p := range slices.Concat(projects(), moreProjects(), freshProjects()) {
		known := outcomes()[p.name]
		for _, task := range tasksOf([]project{p}) {
			j := known[task.name[len(p.name)+1:]]
			if len(j.right) == 0 {
				t.Fatalf("%s has no right outcome", task.name)
			}
			all = append(all, Solved{task, j.right[0].outcome(t, task)})
		}
	}
	for _, task := range manyTasks() {
		all = append(all, Solved{task, manyOutcomes()[task.name].right[0].outcome(t, task)})
	}
	return all
}
