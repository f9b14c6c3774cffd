package tasks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools/mcp/mcptest"
	"github.com/assent-ls/assent/tools/shell"
)

// Outcome is what a check looks at after one run of a task.
type Outcome struct {
	Before, After map[string]string // path to content, as the user sees it
	Answer        string            // the model's last text
	Calls         []toolcall.Call
	Went          map[string]bool // calls that went well, by their tools
	Served        []mcptest.Call  // what servers were asked
	Turns         []Answered      // one for each message whose run is over
	End           event.Finished
	Err           error // why there was no run

	programs shell.Shell // runs the programs of a check
}

// Answered is what was when the run of one message was over.
type Answered struct {
	Answer string
	Calls  []toolcall.Call
	After  map[string]string
}

// Problem says why a task is not solved; nil: it is. The shell runs the programs that the task's check needs.
func (o Outcome) Problem(ctx context.Context, t Task, programs shell.Shell) error {
	o.programs = programs
	switch wrong := o.WrongFiles(t); {
	case o.Err != nil:
		return o.Err
	case o.End.Outcome != event.Completed:
		return fmt.Errorf("ended without an answer: %s", o.End.Sentence)
	case len(wrong) > 0:
		return fmt.Errorf("touched %s", strings.Join(wrong, ", "))
	}
	return t.check(ctx, o)
}

// WrongFiles are those that changed, appeared or are gone though the task does not say so, at the end or after any
// message.
func (o Outcome) WrongFiles(t Task) []string {
	if t.kind == "" || o.After == nil {
		return nil
	}
	wrong := map[string]bool{}
	for _, turn := range slices.Concat(o.Turns, []Answered{{After: o.After}}) {
		for _, name := range differing(o.Before, turn.After) {
			if !slices.Contains(t.touches, name) {
				wrong[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(wrong))
}
