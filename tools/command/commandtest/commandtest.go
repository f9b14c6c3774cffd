// Package commandtest reads the commands of which it is known whether they run by themselves.
package commandtest

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Corpus reads the commands of a file: one in a line, as it is or behind "go:" as a quoted Go string. Other lines are
// comments.
func Corpus(t *testing.T, file string) (lines []string) {
	t.Helper()
	f, err := os.Open(file) //nolint:gosec // a file of the tests
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for s := bufio.NewScanner(f); s.Scan(); {
		text := s.Text()
		if quoted, ok := strings.CutPrefix(text, "go:"); ok {
			if text, err = strconv.Unquote(quoted); err != nil {
				t.Fatalf("%s: %v", quoted, err)
			}
		} else if text == "" || strings.HasPrefix(text, "# ") {
			continue
		}
		lines = append(lines, text)
	}
	return lines
}
