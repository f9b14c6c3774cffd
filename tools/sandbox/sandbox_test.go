//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"os"
	"testing"

	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Handle()
	os.Exit(m.Run())
}

// TestState: on a machine with bubblewrap and Landlock the self-test passes.
func TestState(t *testing.T) {
	s := sandbox.New(sandbox.Options{Helper: sandboxtest.Helper(), Root: t.TempDir(), Cache: t.TempDir()})
	state := s.State(t.Context())
	if !state.Proven {
		t.Skipf("NOT TESTED, no sandbox here: %v", state.Details)
	}
	if len(state.Details) < 25 {
		t.Errorf("only %v was tried", state.Details)
	}
}
