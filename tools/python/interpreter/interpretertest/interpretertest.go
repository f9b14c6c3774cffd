// Package interpretertest lets tests run Python programs: their own program is the helper.
package interpretertest

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-ls/assent/tools/python/interpreter"
)

// help is the first argument of a test program that shall be a helper.
const help = "help-an-interpreter"

// Helper are the options' Helper in tests of a package whose TestMain calls Handle.
func Helper() []string { return []string{help} }

// Handle does the work of a helper if this process is one, and does not return then. TestMain calls it first.
func Handle() {
	if len(os.Args) < 2 || os.Args[1] != help {
		return
	}
	if err := interpreter.Help(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Folder is where editors/e2e/install/python.sh puts the interpreter.
func Folder() string {
	home, _ := os.UserHomeDir()
	return filepath.Join(cmp.Or(os.Getenv("ASSENT_TEST_CACHE"), filepath.Join(home, ".cache", "assent-test")), "python")
}

// Options are those of an interpreter of the tests. Where it is not installed the test is skipped.
func Options(t testing.TB) interpreter.Options {
	t.Helper()
	files, err := interpreter.Find(Folder())
	if err != nil {
		t.Skipf("NOT TESTED: run editors/e2e/install/python.sh first: %v", err)
	}
	return interpreter.Options{Files: files, Helper: Helper(), Cache: Folder() + "-compiled"}
}

// New makes an interpreter that ends with the test.
func New(t testing.TB) *interpreter.Interpreter {
	t.Helper()
	i, err := interpreter.New(Options(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Close)
	return i
}
