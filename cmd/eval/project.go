package main

import (
	"embed"
	"fmt"

	"golang.org/x/tools/txtar"
)

//go:embed testdata/projects/*.txtar testdata/split.txt
var data embed.FS

// project is a folder of files with tasks in it: testdata/projects/NAME.txtar and tasks_NAME.go.
type project struct {
	name  string
	tasks []task
}

// projects are those of the ninety tasks. A further one is a line here.
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

// files reads a project's files. It panics where the program was built wrongly.
func (p project) files() map[string]string {
	text, err := data.ReadFile("testdata/projects/" + p.name + ".txtar")
	if err != nil {
		panic(err)
	}
	files := map[string]string{}
	for _, f := range txtar.Parse(text).Files {
		if _, twice := files[f.Name]; twice {
			panic(fmt.Sprintf("%s has two files %s", p.name, f.Name))
		}
		files[f.Name] = string(f.Data)
	}
	return files
}

// projectTasks are all tasks of all projects, each with its project's name in front of its own.
func projectTasks() []task {
	var all []task
	for _, p := range projects() {
		files := p.files()
		for _, t := range p.tasks {
			t.name, t.files = p.name+"-"+t.name, files
			all = append(all, t)
		}
	}
	return all
}
