package main

import (
	"os"
	"strings"
	"testing"
)

// TestMain runs the tests; given other arguments than those of a test it is the program, which starts itself that way,
// too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		main()
	}
	os.Exit(m.Run())
}
