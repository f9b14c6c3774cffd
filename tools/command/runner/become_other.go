//go:build !unix

package runner

import (
	"os"

	"github.com/assent-ls/assent/tools/command"
)

// become runs the program of a line that has only one.
func become(root string, part command.Part) (status int) {
	return newPrograms().pipeline(root, []command.Part{part})
}

// wait waits for a program, and returns its status.
func wait(process *os.Process) (status int) {
	state, err := process.Wait()
	if err != nil {
		return 1
	}
	return state.ExitCode()
}
