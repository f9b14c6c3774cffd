package main

import (
	"fmt"
	"os"
	"testing"
)

// TestMain lets the checks of tasks run programs: this very program keeps them.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == keepWord {
		if err := keep(os.Args[2:]); err != 0 {
			fmt.Fprintln(os.Stderr, "the keeper ended with", err)
			os.Exit(err)
		}
		return
	}
	os.Exit(m.Run())
}
