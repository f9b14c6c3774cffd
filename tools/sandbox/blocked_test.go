package sandbox_test

import (
	"testing"

	"github.com/assent-ls/assent/tools/sandbox"
)

func TestBlocked(t *testing.T) {
	for output, want := range map[string]string{
		"touch: cannot touch '.envrc': Read-only file system":           "The sandbox may have stopped it: it wrote to a place that it may only read, such as a protected file.",
		"curl: (6) Could not resolve host: example.org":                 "The sandbox may have stopped it: it used the network.",
		"go: x@v1: module lookup disabled by GOPROXY=off":               "The sandbox may have stopped it: it used the network.",
		"rename('src', 'lib'): Invalid cross-device link":               "The sandbox may have stopped it: it renamed a folder that was there before in one step: mv copies it.",
		"a.go:1:1: expected 'package', found 'EOF'\nFAIL example.org/m": "",
		"bash: line 1: /x: Permission denied":                           "The sandbox may have stopped it: it used a file that is not open to it there.",
	} {
		if got := sandbox.Blocked(output, 1); got != want {
			t.Errorf("%q: %q", output, got)
		}
		if got := sandbox.Blocked(output, 0); got != "" {
			t.Errorf("%q, but it did not fail: %q", output, got)
		}
	}
	if sandbox.Blocked("", 128+25) == "" {
		t.Error("a file that grew too large is not explained")
	}
}
