package tasks

import (
	"embed"
	"fmt"

	"golang.org/x/tools/txtar"
)

//go:embed testdata/projects/*.txtar testdata/many/*.txtar testdata/split.txt
var data embed.FS

// project is a folder of files with tasks in it: testdata/projects/NAME.txtar and tasks_NAME.go.
type project struct {
	name  string
	tasks []Task
}

// projects are those of the ninety tasks. A further one belongs to moreProjects: these have been drawn into sets.
func projects() []project {
	return []project{
		{"tally", tallyTasks()},
		{"rainfall", rainfallTasks()},
		{"bakery", bakeryTasks()},
		{"quantity", quantityTasks()},
		{"harbour", harbourTasks()},
		{"kitchen", kitchenTasks()},
	}
}

// files reads a project's files.
func (p project) files() folder { return archive("testdata/projects/" + p.name + ".txtar") }

// archive reads files out of one file. It panics where the program was built wrongly.
func archive(path string) folder {
	text, err := data.ReadFile(path)
	if err != nil {
		panic(err)
	}
	files := folder{}
	for _, f := range txtar.Parse(text).Files {
		if _, twice := files[f.Name]; twice {
			panic(fmt.Sprintf("%s has two files %s", path, f.Name))
		}
		files[f.Name] = string(f.Data)
	}
	return files
}

// moreProjects are those of the set more, which came after the ninety were drawn into work and kept.
func moreProjects() []project {
	return []project{
		{"parcels", parcelsTasks()},
		{"museum", museumTasks()},
		{"choir", choirTasks()},
	}
}

// ofKinds gives the tasks of each kind their kind, and joins them.
func ofKinds(talks, reads, changes []Task) (all []Task) {
	for i, tasks := range [][]Task{talks, reads, changes} {
		for _, t := range tasks {
			t.kind = Kinds()[i]
			all = append(all, t)
		}
	}
	return all
}

// projectTasks are the ninety tasks.
func projectTasks() []Task { return tasksOf(projects()) }

// moreTasks are those of the set more.
func moreTasks() []Task { return tasksOf(moreProjects()) }

// tasksOf are all tasks of projects, each with its project's name in front of its own.
func tasksOf(projects []project) []Task {
	var all []Task
	for _, p := range projects {
		files := p.files()
		for _, t := range p.tasks {
			t.name, t.files = p.name+"-"+t.name, files
			all = append(all, t)
		}
	}
	return all
}
