// Package sandboxtest lets tests run commands in a sandbox: their own program is its helper.
package sandboxtest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/sandbox"
)

// help is the first argument of a test program that shall be a process of a sandbox.
const help = "help-a-sandbox"

// Helper are the options' Helper in tests of a package whose TestMain calls Handle.
func Helper() []string { return []string{help} }

// Handle does the work of a sandbox's process if this is one, and does not return then. TestMain calls it first.
func Handle() {
	if len(os.Args) < 2 || os.Args[1] != help {
		return
	}
	if err := sandbox.Help(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// New makes a sandbox of a kind around a folder, or skips the test where that kind cannot be had.
func New(t *testing.T, kind, root string) *sandbox.Sandbox {
	t.Helper()
	t.Setenv(
		map[string]string{
			"namespaces": "ASSENT_SANDBOX_NO_BUBBLEWRAP", "bubblewrap": "ASSENT_SANDBOX_NO_NAMESPACES",
		}[kind],
		"1",
	)
	s := sandbox.New(sandbox.Options{
		Helper: Helper(), Root: root, Cache: t.TempDir(), KeepBytes: 50e6, KeepFor: time.Hour,
	})
	if state := s.State(t.Context()); state.Kind != kind {
		t.Skipf("NOT TESTED: no %s here: %v", kind, state.Details)
	}
	return s
}
