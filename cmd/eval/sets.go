package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/guidance"
)

const (
	workSet = "work" // the sixty tasks of projects that ideas are judged with
	keptSet = "kept" // the thirty that are only ever run for the table
	moreSet = "more" // more tasks to work with

	freshWorkSet = "fresh-work" // thirty of the sixty fresh tasks
	freshKeptSet = "fresh-kept" // the other thirty, which are only ever run for the table
)

// split tells the names of the projects' tasks that are to work with from those that are kept apart:
// testdata/split.txt.
func split() (work, kept []string) {
	text, err := data.ReadFile("testdata/split.txt")
	if err != nil {
		panic(err) // it is part of the program
	}
	for line := range strings.Lines(string(text)) {
		set, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch set {
		case workSet:
			work = append(work, name)
		case keptSet:
			kept = append(kept, name)
		}
	}
	return work, kept
}

// keptApart reports whether a set is only ever run whole, and nothing but its row may be seen.
func keptApart(set string) bool { return set == keptSet || set == freshKeptSet }

// set returns the tasks of a set, by its name.
func set(name string) ([]task, error) {
	switch name {
	case "suite":
		return suite(), nil
	case "held-out":
		return heldOut(), nil
	case "files":
		return fileTools(), nil
	case "servers":
		return serverTools(), nil
	case "servers-fresh":
		return freshServerTasks(), nil
	case "suite-servers":
		return besideServers(suite()), nil
	case "sql":
		return sqlTasks(), nil
	case moreSet:
		return moreTasks(), nil
	case freshWorkSet:
		work, _ := freshSplit()
		return work, nil
	case freshKeptSet:
		_, kept := freshSplit()
		return kept, nil
	case largeSet:
		work, err := set(workSet)
		if err != nil {
			return nil, err
		}
		return inLargeWorkspace(work)
	case workSet, keptSet:
		work, kept := split()
		names := map[string][]string{workSet: work, keptSet: kept}[name]
		return slices.DeleteFunc(projectTasks(), func(t task) bool { return !slices.Contains(names, t.name) }), nil
	}
	return nil, fmt.Errorf(
		"--set %s: there are %s, %s, %s, %s, %s, %s, suite, held-out, files, servers, servers-fresh, suite-servers, sql, %s and %s",
		name, workSet, moreSet, largeSet, keptSet, freshWorkSet, freshKeptSet, longSet, probeSet,
	)
}

// choose picks the tasks that the flags name.
func choose(o options) ([]task, error) {
	chosen, err := set(o.set)
	if err != nil {
		return nil, err
	}
	for _, rule := range o.without {
		if !slices.Contains(guidance.Rules(), rule) {
			return nil, fmt.Errorf("--without %s: there are %s", rule, strings.Join(guidance.Rules(), ", "))
		}
	}
	if keptApart(o.set) && (o.part() || o.keep != "" || o.out == "") {
		return nil, fmt.Errorf(
			"--set %s is run whole and for its row on the page alone: leave out --tasks, --kind, --again, --keep and an empty --out",
			o.set,
		)
	}
	if o.kind != "" {
		if !slices.Contains(kinds(), kind(o.kind)) {
			return nil, fmt.Errorf("--kind %s: there are talk, read and change", o.kind)
		}
		chosen = slices.DeleteFunc(chosen, func(t task) bool { return string(t.kind) != o.kind })
	}
	if chosen, err = named(chosen, o.tasks, "--tasks"); err != nil || o.again == "" {
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
	return named(chosen, names, "--again")
}

// named picks the tasks with the names; no names: all.
func named(from []task, names []string, flag string) ([]task, error) {
	if len(names) == 0 {
		return from, nil
	}
	var chosen []task
	for _, name := range names {
		i := slices.IndexFunc(from, func(t task) bool { return t.name == name })
		if i < 0 {
			return nil, fmt.Errorf("%s: no task %s is among those that were chosen", flag, name)
		}
		chosen = append(chosen, from[i])
	}
	return chosen, nil
}

// part reports whether only a part of a set is run, which is no row of the page.
func (o options) part() bool {
	return len(o.tasks) > 0 || len(o.without) > 0 || o.kind != "" || o.again != "" || o.replies != ""
}
