package sql_test

import (
	"testing"

	"github.com/assent-ls/assent/tools/sql"
)

// TestAToolboxWithoutMemory: the ways in which Go's runtime ends at a limit of memory. Which of them it is depends on
// what needed memory first.
func TestAToolboxWithoutMemory(t *testing.T) {
	const started = "2026-01-01 10:00:00 it is started\n"
	for log, want := range map[string]bool{
		started + "runtime: out of memory: cannot allocate 4194304-byte block (1073741824 in use)\nfatal error: out of memory\n":              true,
		started + "fatal error: runtime: cannot allocate memory\n":                                                                            true,
		started + "runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort\n":                                    true,
		started + "runtime: failed to create new OS thread (have 9 already; errno=11)\nfatal error: newosproc\n":                              true,
		started + "panic: runtime error: invalid memory address or nil pointer dereference\n":                                                 false,
		started + "fatal error: out of memory\n2026-01-01 10:00:05 it ended with status 2\n" + started + "Error: unable to parse tool file\n": false,
	} {
		if got := sql.EndsForMemory(log); got != want {
			t.Errorf("%v for %q", got, log)
		}
	}
}
