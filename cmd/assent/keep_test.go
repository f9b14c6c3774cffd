package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestStartOfAProcessIsLight: each command of a model starts this program two to four times. What its packages make at
// their start, such as a compiled pattern, is paid each time; it is made when it is first used instead.
func TestStartOfAProcessIsLight(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, confineWord)
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, _ := cmd.CombinedOutput() // it ends with an error: it is not started so by hand
	if !strings.Contains(string(out), "never by hand") {
		t.Fatalf("it did more than start: %s", out)
	}
	const most = 64 << 10 // the table of harmless programs takes about 44 KB
	seen := 0
	for _, m := range regexp.MustCompile(`init (github\.com/assent-ls/assent\S*) @.* (\d+) bytes`).FindAllStringSubmatch(string(out), -1) {
		seen++
		if n, _ := strconv.Atoi(m[2]); n > most {
			t.Errorf("the start of package %s allocates %d bytes, more than %d", m[1], n, most)
		}
	}
	if seen == 0 {
		t.Fatalf("no package of this program: %s", out)
	}
}
