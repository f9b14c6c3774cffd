// Package shelltest lets tests run commands: their own program is the keeper.
package shelltest

import (
	"fmt"
	"os"
	"testing"

	"github.com/assent-ls/assent/tools/shell"
)

// keep is the first argument of a test program that shall be a keeper.
const keep = "keep-a-command"

// Main is the TestMain of a package whose tests run commands.
func Main(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != keep {
		os.Exit(m.Run())
	}
	if err := shell.Keep(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// New makes a shell for tests of a package that has Main.
func New() shell.Shell { return shell.New(keep) }
