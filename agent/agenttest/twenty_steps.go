package agenttest

import (
	_ "embed"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed twenty_steps.txtar
var twentySteps []byte

// Task is a small project and what a scripted model does in it.
type Task struct {
	Files  map[string]string // the project, by path
	Steps  string            // turns of a script: an ordinary task, which ends with the answer "All tests pass."
	Beyond string            // turns for a second chat, which ends with the answer "That is all."
	Asks   []string          // what of Beyond a person is asked about after Steps, in order
}

// TwentySteps is the task that counts how often a person is stopped.
func TwentySteps() Task {
	task := Task{Files: map[string]string{}}
	for _, f := range txtar.Parse(twentySteps).Files {
		switch text := string(f.Data); f.Name {
		case "steps":
			task.Steps = text
		case "beyond":
			task.Beyond = text
		default:
			task.Files[f.Name] = text
		}
	}
	for line := range strings.Lines(task.Beyond) {
		if asks, ok := strings.CutPrefix(line, "# asks: "); ok {
			task.Asks = append(task.Asks, strings.TrimSpace(asks))
		}
	}
	return task
}
