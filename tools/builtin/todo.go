package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/effect"
)

//go:embed todo.md
var todoText string

const maxTasks = 50

type todoInput struct {
	Tasks []task `json:"tasks"`
}

type task struct {
	Text   string `json:"text"`
	Status string `json:"status,omitempty" jsonschema:"open, doing or done"`
}

// marks are how tasks begin in the list, as in Markdown.
var taskMarks = map[string]string{"": "[ ]", "open": "[ ]", "doing": "[>]", "done": "[x]"}

// Todo shows a list of tasks in the chat: the result is the list.
func Todo() tools.Tool {
	spec := tools.Spec{
		Name: "todo", Description: todoText, Verb: "list tasks", Effect: effect.Computes,
		Examples: []json.RawMessage{
			[]byte(
				`{"tasks":[{"text":"Read the parser","status":"done"},{"text":"Write a test","status":"doing"},{"text":"Mend it"}]}`,
			),
		},
	}
	return tools.Define(spec, func(_ context.Context, _ tools.Call, in todoInput) (tools.Plan, error) {
		if len(in.Tasks) == 0 || len(in.Tasks) > maxTasks {
			return tools.Plan{}, arguments.Errorf("tasks has %d tasks: give 1 to %d.", len(in.Tasks), maxTasks)
		}
		done, doing := 0, ""
		lines := make([]string, len(in.Tasks))
		for i, t := range in.Tasks {
			mark, known := taskMarks[t.Status]
			text := strings.Join(strings.Fields(t.Text), " ")
			if !known || text == "" {
				return tools.Plan{}, arguments.Errorf("task %d needs a text, and the status open, doing or done.", i+1)
			}
			if lines[i] = "- " + mark + " " + text; t.Status == "done" {
				done++
			} else if t.Status == "doing" && doing == "" {
				doing = text
			}
		}
		summary := fmt.Sprintf("%d of %d done", done, len(in.Tasks))
		return tools.Plan{Target: summary, Run: func(_ context.Context, report tools.Reporter) tools.Result {
			report.Progress(float64(done), float64(len(in.Tasks)), doing)
			return tools.Text(strings.Join(lines, "\n") + "\n" + summary + ".")
		}}, nil
	})
}
