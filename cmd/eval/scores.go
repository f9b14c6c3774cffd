package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/cmd/eval/runner"
	"github.com/assent-ls/assent/cmd/eval/tasks"
)

// count is how many of some runs of tasks came out so.
type count struct{ n, of int }

func (c *count) add(yes bool) {
	c.of++
	if yes {
		c.n++
	}
}

// share is a count in one run of a set.
func (c count) share(runs int) string {
	if c.of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f of %d (%.0f %%)", float64(c.n)/float64(runs), c.of/runs, 100*float64(c.n)/float64(c.of))
}

// percent is a count with its share of all, rounded.
func percent(n, of int) string { return fmt.Sprintf("%d (%d %%)", n, (200*n+of)/(2*max(of, 1))) }

// scores are the outcomes of one model in one mode.
type scores struct {
	solved  []int          // per run
	failed  map[string]int // task to how many runs did not solve it
	order   []string
	format  string
	tokens  int
	writing time.Duration
	took    time.Duration

	all       count                  // solved
	kinds     map[tasks.Kind]*count  // solved
	classes   map[tasks.Class]*count // solved
	toolless  count                  // talk that used no tool
	disturbed count                  // talk and reading after which a file was another one
	misplaced count                  // change after which a wrong file was another one
}

func (s *scores) add(run int, t tasks.Task, o runner.Outcome, problem error) {
	for len(s.solved) <= run {
		s.solved = append(s.solved, 0)
	}
	if o.Format != "" {
		s.format = o.Format
	}
	s.tokens, s.writing, s.took = s.tokens+o.Tokens, s.writing+o.Writing, s.took+o.Took
	s.all.add(problem == nil)
	s.addKind(t, o, problem)
	if problem == nil {
		s.solved[run]++
		return
	}
	if s.failed == nil {
		s.failed = map[string]int{}
	}
	if s.failed[t.Name()] == 0 {
		s.order = append(s.order, t.Name())
	}
	s.failed[t.Name()]++
}

// addKind counts a task of a project by its kind and its classes.
func (s *scores) addKind(t tasks.Task, o runner.Outcome, problem error) {
	if t.Kind() == "" {
		return
	}
	if s.kinds == nil {
		s.kinds, s.classes = map[tasks.Kind]*count{}, map[tasks.Class]*count{}
	}
	counted(s.kinds, t.Kind()).add(problem == nil)
	for _, c := range t.Classes() {
		counted(s.classes, c).add(problem == nil)
	}
	wrong := len(o.WrongFiles(t)) > 0
	if t.Talks() {
		s.toolless.add(o.Err == nil && o.End.Outcome == event.Completed && len(o.Calls) == 0)
	}
	if t.Changes() {
		s.misplaced.add(wrong)
	} else {
		s.disturbed.add(wrong)
	}
}

func counted[K comparable](counts map[K]*count, key K) *count {
	if counts[key] == nil {
		counts[key] = &count{}
	}
	return counts[key]
}

// unsolved names the tasks that not every run solved.
func (s *scores) unsolved() string {
	var names []string
	for _, task := range s.order {
		if runs := len(s.solved); s.failed[task] == runs {
			names = append(names, task)
		} else {
			names = append(names, fmt.Sprintf("%s (%d of %d)", task, s.failed[task], runs))
		}
	}
	return strings.Join(names, ", ")
}

func (s *scores) mode(o options, name, mode string) row {
	if mode == "default" {
		mode += " (" + s.format + ")"
	}
	return row{
		name, mode, time.Now().Format(time.DateOnly), o.engine, fmt.Sprint(len(s.solved)), s.all.share(len(s.solved)),
	}
}

func (s *scores) seconds() string {
	return fmt.Sprintf("%.0f", s.took.Seconds()/float64(max(1, s.all.of)))
}

// row is the row of one of the older sets.
func (s *scores) row(o options, name, mode string) row {
	speed := 0.0
	if s.writing > 0 {
		speed = float64(s.tokens) / s.writing.Seconds()
	}
	return slices.Concat(row{o.set}, s.mode(o, name, mode), row{
		fmt.Sprintf("%d to %d", slices.Min(s.solved), slices.Max(s.solved)), fmt.Sprintf("%.1f", speed), s.seconds(),
		s.unsolved(),
	})
}

// byKind are the cells that the tables of the projects' tasks have more.
func (s *scores) byKind() row {
	var cells row
	for _, k := range tasks.Kinds() {
		cells = append(cells, counted(s.kinds, k).share(len(s.solved)))
	}
	for _, c := range []count{s.toolless, s.disturbed, s.misplaced} {
		cells = append(cells, c.share(len(s.solved)))
	}
	return append(cells, s.seconds())
}

func (s *scores) workRow(o options, name, mode string) row {
	return slices.Concat(row{o.set}, s.mode(o, name, mode), s.byKind(), row{s.unsolved()})
}

func (s *scores) keptRow(o options, number, name, mode string) row {
	return slices.Concat(row{number}, s.mode(o, name, mode), s.byKind())
}

// onPage is the row of a set, with the table where it belongs.
func (s *scores) onPage(o options, number string, r runner.Runner) (table, row) {
	switch o.set {
	case tasks.KeptSet, tasks.FreshKeptSet:
		return keptTable(o.set), s.keptRow(o, number, r.Model, r.Mode)
	case tasks.WorkSet, tasks.MoreSet, tasks.ManySet, tasks.FreshWorkSet:
		return workResults(), s.workRow(o, r.Model, r.Mode)
	}
	return results(), s.row(o, r.Model, r.Mode)
}

// summary is what is printed at the end of a set of the projects' tasks.
func (s *scores) summary() string {
	var b strings.Builder
	runs := len(s.solved)
	fmt.Fprintf(&b, "  solved                               %s\n", s.all.share(runs))
	for _, k := range tasks.Kinds() {
		if c := s.kinds[k]; c != nil {
			fmt.Fprintf(&b, "    %-34s %s\n", k, c.share(runs))
		}
	}
	fmt.Fprintf(&b, "  talk answered without a tool         %s\n", s.toolless.share(runs))
	fmt.Fprintf(&b, "  talk or reading that changed a file  %s\n", s.disturbed.share(runs))
	fmt.Fprintf(&b, "  change that touched a wrong file     %s\n", s.misplaced.share(runs))
	b.WriteString("  solved by class\n")
	for _, c := range slices.Sorted(maps.Keys(s.classes)) {
		fmt.Fprintf(&b, "    %-34s %s\n", c, s.classes[c].share(runs))
	}
	return b.String()
}
