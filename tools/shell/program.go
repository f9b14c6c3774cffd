package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/assent-ls/assent/tools/command/runner"
)

// program prepares what runs the command.
func (s Shell) program(c Command) (*exec.Cmd, error) {
	switch {
	case len(c.Argv) > 0:
		return exec.Command(c.Argv[0], c.Argv[1:]...), nil //nolint:noctx,gosec // stop ends it
	case c.Parsed == nil:
		return shell(c.Line), nil
	}
	line, err := runner.Argument(*c.Parsed)
	if err == nil && s.run == "" {
		err = errors.New("command lines need a runner: make the shell with New")
	}
	return exec.Command(ownProgram(), s.run, line), err //nolint:noctx // stop ends it
}

// inputFile is a file without a name that holds the input of a command; nil: there is none.
func inputFile(input []byte) (*os.File, error) {
	if input == nil {
		return nil, nil
	}
	f, err := os.CreateTemp("", "assent-input-")
	if err != nil {
		return nil, fmt.Errorf("keep the input of a command: %w", err)
	}
	err = os.Remove(f.Name())
	if err == nil {
		_, err = f.Write(input)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("keep the input of a command: %w", err), f.Close())
	}
	return f, nil
}
