// Package shelltest lets tests run commands: their own program is the keeper.
package shelltest

import (
	"fmt"
	"os"
	"testing"

	"github.com/assent-ls/assent/tools/command/runner"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/shell"
)

// The first arguments of a test program that shall be a keeper, or run a line that was understood.
const (
	keep = "keep-a-command"
	line = "run-a-line"
)

// Main is the TestMain of a package whose tests run commands.
func Main(m *testing.M) {
	status, err := 0, error(nil)
	switch {
	case len(os.Args) == 3 && os.Args[1] == line:
		status, err = runner.Main(os.Args[2])
	case len(os.Args) >= 2 && os.Args[1] == keep:
		err = shell.Keep(os.Args[2:], sandbox.Inside)
	default:
		status = m.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// New makes a shell for tests of a package that has Main.
func New() shell.Shell { return shell.New(keep, line) }
