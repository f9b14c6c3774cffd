package main

import (
	"errors"
	"os"
	"syscall"

	"github.com/assent-ls/assent/tools/command/runner"
	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/shell"
)

// The first arguments by which this program starts itself to run a command of a model: as its keeper, as a process of
// its sandbox, as what runs a line that was understood, and as what runs a program in Python.
const (
	keepWord    = "keep"
	confineWord = "confine"
	lineWord    = "line"
	pythonWord  = "python"
)

// process is the main function of such a process, nil if the arguments name none. They are no subcommands: what the
// command line needs to start would be added to the time that each command of a model takes, up to three times.
func process(args []string) func() (status int, err error) {
	if len(args) == 0 {
		return nil
	}
	word, rest := args[0], args[1:]
	switch word {
	case keepWord:
		return func() (int, error) { return 0, shell.Keep(rest, sandbox.Inside) }
	case confineWord:
		return func() (int, error) { return 0, sandbox.Help(rest) }
	case pythonWord:
		return func() (int, error) { return 0, interpreter.Help(rest) }
	case lineWord:
		return func() (int, error) {
			if len(rest) != 1 {
				return 0, errors.New("command lines are run by Assent itself, never by hand")
			}
			return runner.Main(rest[0])
		}
	}
	return nil
}

// end ends the program as such a process does.
func end(status int, err error) {
	if err != nil {
		tell(os.Stderr, err.Error())
		status = 1
	}
	syscall.Exit(status) // os.Exit takes a second where the race detector is
}
