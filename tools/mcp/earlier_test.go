package mcp

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-ls/assent/tools/userstate"
)

// TestEarlierPinsOpen: definitions that were kept before there were revocations are read as they were.
func TestEarlierPinsOpen(t *testing.T) {
	dir := t.TempDir()
	const first = `{"version":1,"data":{"notes_add":{"since":"2026-11-22T10:00:00Z","sha256":"00","text":"{}"}}}`
	if err := os.WriteFile(filepath.Join(dir, pinsFile), []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	state, err := userstate.OpenState(dir)
	if err != nil {
		t.Fatal(err)
	}
	kept, found, err := newPins(state).of("notes_add")
	if err != nil || !found || kept.Hash != "00" || kept.Text != "{}" || !kept.end(found).IsZero() {
		t.Errorf("%+v, %v, %v", kept, found, err)
	}
	if problems := state.Problems(); len(problems) > 0 {
		t.Errorf("%q", problems)
	}
}
