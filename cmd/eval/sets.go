package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/guidance"
	"github.com/assent-ls/assent/cmd/eval/tasks"
)

// keptApart reports whether a set is only ever run whole, and nothing but its row may be seen.
func keptApart(set string) bool { return set == tasks.KeptSet || set == tasks.FreshKeptSet }

// choose picks the tasks that the flags name.
func choose(o options) ([]tasks.Task, error) {
	chosen, ok, err := tasks.Set(o.set)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf(
			"--set %s: there are %s, %s, %s, %s, %s, %s, %s, suite, held-out, files, servers, servers-fresh, "+
				"suite-servers, sql, %s and %s",
			o.set, tasks.WorkSet, tasks.MoreSet, tasks.LargeSet, tasks.ManySet, tasks.KeptSet,
			tasks.FreshWorkSet, tasks.FreshKeptSet, longSet, probeSet,
		)
	}
	for _, rule := range o.without {
		if !slices.Contains(guidance.Rules(), rule) {
			return nil, fmt.Errorf("--without %s: there are %s", rule, strings.Join(guidance.Rules(), ", "))
		}
	}
	if keptApart(o.set) && (o.part() || o.keep != "" || o.replies != "" || o.out == "") {
		return nil, fmt.Errorf(
			"--set %s is run whole and for its row on the page alone: leave out --tasks, --kind, --again, --keep and "+
				"an empty --out",
			o.set,
		)
	}
	if o.kind != "" {
		if !slices.Contains(tasks.Kinds(), tasks.Kind(o.kind)) {
			return nil, fmt.Errorf("--kind %s: there are talk, read and change", o.kind)
		}
		chosen = slices.DeleteFunc(chosen, func(t tasks.Task) bool { return string(t.Kind()) != o.kind })
	}
	if chosen, err = named("--tasks", chosen, o.tasks); err != nil || o.again == "" {
		return chosen, err
	}
	text, err := os.ReadFile(o.again)
	if errors.Is(err, fs.ErrNotExist) {
		return chosen, nil
	}
	if err != nil {
		return nil, err
	}
	names := strings.Fields(string(text))
	if len(names) == 0 {
		return nil, fmt.Errorf("--again %s: all was solved the last time; delete the file to run all tasks", o.again)
	}
	return named("--again", chosen, names)
}

// named picks the tasks that a flag names; no names: all.
func named(flag string, from []tasks.Task, names []string) ([]tasks.Task, error) {
	chosen, err := tasks.Named(from, names)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return chosen, nil
}

// page is the page that gets the row: a part of a set is none.
func (o options) page() string {
	if o.part() {
		return ""
	}
	return o.out
}

// part reports whether only a part of a set is run, which is no row of the page.
func (o options) part() bool {
	return len(o.tasks) > 0 || len(o.without) > 0 || o.commands == "try" ||
		o.kind != "" || o.again != "" || o.drawn
}
