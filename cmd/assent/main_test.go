package main

import (
	"os"
	"testing"
)

// TestMain runs the tests; for tests that need it in a process of its own it is the program.
func TestMain(m *testing.M) {
	if os.Getenv("ASSENT_TEST_PROGRAM") != "" {
		main()
	}
	os.Exit(m.Run())
}
