package tasks

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// freshProjects are those of the sets fresh-work and fresh-kept. Who wrote them did not know what the product does for
// small models.
func freshProjects() []project {
	return []project{
		{"radio", radioTasks()},
		{"velo", veloTasks()},
		{"shares", sharesTasks()},
		{"bees", beesTasks()},
	}
}

// freshTasks are the sixty of them. They tempt to no failure on purpose, and are of one class.
func freshTasks() []Task {
	tasks := tasksOf(freshProjects())
	for i := range tasks {
		tasks[i].class = ordinary
	}
	return tasks
}

// freshSplit puts the tasks in the order of the digests of their names and cuts them in the middle, so that nobody
// chose.
func freshSplit() (work, kept []Task) {
	tasks := freshTasks()
	slices.SortFunc(tasks, func(a, b Task) int {
		x, y := sha256.Sum256([]byte(a.name)), sha256.Sum256([]byte(b.name))
		return bytes.Compare(x[:], y[:])
	})
	half := len(tasks) / 2
	return tasks[:half], tasks[half:]
}
