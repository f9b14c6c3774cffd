package tasks

import (
	"fmt"
	"os"
	"testing"

	"github.com/assent-ls/assent/tools/shell"
)

// The first arguments by which this program starts itself.
const (
	keepWord = "keep"
	lineWord = "line"
)

// programs runs the programs of checks.
func programs() shell.Shell { return shell.New(keepWord, lineWord) }

// TestMain lets the checks of tasks run programs: this very program keeps them.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == keepWord {
		if err := shell.Keep(os.Args[2:], nil); err != nil {
			fmt.Fprintln(os.Stderr, "the keeper ended with", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
