package main

import (
	"os"
	"testing"
)

// TestMain lets the checks of tasks run programs: this very program keeps them.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == keepWord {
		os.Exit(run())
	}
	os.Exit(m.Run())
}
