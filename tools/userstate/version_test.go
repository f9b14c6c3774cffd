package userstate_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// The first thing that is kept brings the version; opening writes nothing.
func TestTheStateHasAVersion(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s := openState(t, dir)
	if _, err := os.Stat(dir); err == nil {
		t.Error("opening made the folder")
	}
	must(t, s.Append("a.jsonl", []byte("{}"), 1000))
	if got := readDisk(t, filepath.Join(dir, "version")); got != "1\n" {
		t.Errorf("the version is %q", got)
	}
	must(t, os.Remove(filepath.Join(dir, "version"))) // as it was before there were any
	must(t, openState(t, dir).Trust("/x:1"))
	if got := readDisk(t, filepath.Join(dir, "version")); got != "1\n" {
		t.Errorf("the version is %q", got)
	}
}

// A folder that a newer program wrote is refused with one sentence, also while this one runs, and nothing in it changes.
func TestANewerStateIsLeftAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s := openState(t, dir)
	must(t, s.Append("a.jsonl", []byte("{}"), 1000))
	must(t, os.WriteFile(filepath.Join(dir, "version"), []byte("2\n"), 0o600))
	refused := func(err error) {
		t.Helper()
		if !errors.Is(err, workspace.ErrState) || !strings.Contains(err.Error(), "written by a newer Assent (its version is 2, and this one knows 1)") {
			t.Error(err)
		}
	}
	_, err := userstate.OpenState(dir)
	refused(err)
	refused(s.Append("a.jsonl", []byte("{}"), 1000))
	refused(s.Trust("/x:1"))
	_, err = s.Appended("a.jsonl")
	refused(err)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 || readDisk(t, filepath.Join(dir, "a.jsonl")) != "{}\n" || readDisk(t, filepath.Join(dir, "version")) != "2\n" {
		t.Errorf("it changed: %v, %v", entries, err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "version"), []byte("nonsense"), 0o600))
	openState(t, dir)
}
