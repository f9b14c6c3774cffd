package tasks

import (
	"fmt"
	"slices"
	"testing"

	"github.com/assent-ls/assent/agent/event"
)

// result is an outcome by hand: what the model says to each message, and what it has done to the files after the last
// one.
type result struct {
	says  []string
	first []change // what it had done after the first message already
	does  []change
}

// judged are outcomes of one task.
type judged struct{ right, wrong []result }

func said(answers ...string) result { return result{says: answers} }

// did is a result that changed files, and answered the last message with a word.
func did(changes ...change) result { return result{does: changes} }

// after says the answers that came before the last one.
func (r result) after(answers ...string) result {
	r.says = append(answers, r.says...)
	return r
}

// outcome is the result as the runner would report it.
func (r result) outcome(t *testing.T, task Task) Outcome {
	t.Helper()
	before, err := task.Shown()
	if err != nil {
		t.Fatal(err)
	}
	after, err := changed(before, r.first...)
	if err != nil {
		t.Fatal(err)
	}
	o := Outcome{Before: before, End: event.Finished{Outcome: event.Completed}}
	messages := len(task.Messages())
	for i := range messages {
		if i == messages-1 {
			if after, err = changed(after, r.does...); err != nil {
				t.Fatal(err)
			}
		}
		o.Answer = "Done."
		if i < len(r.says) {
			o.Answer = r.says[i]
		}
		o.After = after
		o.Turns = append(o.Turns, Answered{Answer: o.Answer, After: after})
	}
	return o
}

// TestChecksAcceptAndRefuse shows for every task of the projects that its check takes right outcomes, in several
// wordings and places, and refuses wrong ones: what was measured before was three checks that refused right results.
// With -short it does so for one of each.
func TestChecksAcceptAndRefuse(t *testing.T) {
	t.Parallel()
	for _, p := range slices.Concat(projects(), moreProjects(), freshProjects()) {
		known := outcomes()[p.name]
		tasks := tasksOf([]project{p})
		for _, task := range tasks {
			t.Run(task.name, func(t *testing.T) {
				t.Parallel()
				takesRightAlone(t, task, known[task.name[len(p.name)+1:]])
			})
		}
		for name := range known {
			if _, err := Named(tasks, []string{p.name + "-" + name}); err != nil {
				t.Error(err)
			}
		}
	}
}

// takesRightAlone judges the outcomes of a task with its check.
func takesRightAlone(t *testing.T, task Task, j judged) {
	t.Helper()
	if len(j.right) == 0 || len(j.wrong) == 0 {
		t.Fatal("a right and a wrong outcome are missing")
	}
	if testing.Short() {
		j.right, j.wrong = j.right[:1], j.wrong[:1]
	}
	for i, r := range j.right {
		t.Run(fmt.Sprintf("right %d", i), func(t *testing.T) {
			t.Parallel()
			if err := r.outcome(t, task).Problem(t.Context(), task, programs()); err != nil {
				t.Errorf("it is refused: %v", err)
			}
		})
	}
	for i, r := range j.wrong {
		t.Run(fmt.Sprintf("wrong %d", i), func(t *testing.T) {
			t.Parallel()
			if r.outcome(t, task).Problem(t.Context(), task, programs()) == nil {
				t.Error("it is taken")
			}
		})
	}
}

// outcomes are right and wrong ones of every task, by project and name.
func outcomes() map[string]map[string]judged {
	return map[string]map[string]judged{
		"tally": tallyOutcomes(), "rainfall": rainfallOutcomes(), "bakery": bakeryOutcomes(),
		"quantity": quantityOutcomes(), "harbour": harbourOutcomes(), "kitchen": kitchenOutcomes(),
		"parcels": parcelsOutcomes(), "museum": museumOutcomes(), "choir": choirOutcomes(),
		"radio": radioOutcomes(), "velo": veloOutcomes(), "shares": sharesOutcomes(), "bees": beesOutcomes(),
	}
}
