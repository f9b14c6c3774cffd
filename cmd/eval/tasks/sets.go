package tasks

import (
	"fmt"
	"slices"
	"strings"
)

// The names of the sets that are treated in a way of their own.
const (
	WorkSet  = "work"  // the sixty tasks of projects that ideas are judged with
	KeptSet  = "kept"  // the thirty that are only ever run for the table
	MoreSet  = "more"  // more tasks to work with
	LargeSet = "large" // those of work among many other files
	ManySet  = "many"  // twenty that take many steps over many files

	FreshWorkSet = "fresh-work" // thirty of the sixty fresh tasks
	FreshKeptSet = "fresh-kept" // the other thirty, which are only ever run for the table
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
		case WorkSet:
			work = append(work, name)
		case KeptSet:
			kept = append(kept, name)
		}
	}
	return work, kept
}

// Set returns the tasks of a set, by its name. Where there is none of that name, ok is false.
func Set(name string) (tasks []Task, ok bool, err error) {
	switch name {
	case "suite":
		return suite(), true, nil
	case "held-out":
		return heldOut(), true, nil
	case "files":
		return fileTools(), true, nil
	case "servers":
		return serverTools(), true, nil
	case "servers-fresh":
		return freshServerTasks(), true, nil
	case "suite-servers":
		return besideServers(suite()), true, nil
	case "sql":
		return sqlTasks(), true, nil
	case MoreSet:
		return moreTasks(), true, nil
	case ManySet:
		return manyTasks(), true, nil
	case FreshWorkSet:
		work, _ := freshSplit()
		return work, true, nil
	case FreshKeptSet:
		_, kept := freshSplit()
		return kept, true, nil
	case LargeSet:
		work, _ := split()
		tasks, err = inLargeWorkspace(among(projectTasks(), work))
		return tasks, true, err
	case WorkSet:
		work, _ := split()
		return among(projectTasks(), work), true, nil
	case KeptSet:
		_, kept := split()
		return among(projectTasks(), kept), true, nil
	}
	return nil, false, nil
}

// among keeps the tasks with the names, in their own order.
func among(tasks []Task, names []string) []Task {
	return slices.DeleteFunc(tasks, func(t Task) bool { return !slices.Contains(names, t.name) })
}

// Named picks the tasks with the names, in the order of the names; no names: all.
func Named(from []Task, names []string) ([]Task, error) {
	if len(names) == 0 {
		return from, nil
	}
	var chosen []Task
	for _, name := range names {
		i := slices.IndexFunc(from, func(t Task) bool { return t.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no task %s is among those that were chosen", name)
		}
		chosen = append(chosen, from[i])
	}
	return chosen, nil
}
