package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// TestTheModeOfOtherPrograms: nobody sees at once what they edit, so no mode lets it run.
func TestTheModeOfOtherPrograms(t *testing.T) {
	for own, want := range map[policy.Mode]policy.Mode{
		policy.ModeAsk: policy.ModeAsk, policy.ModeEdits: policy.ModeAsk, policy.ModeFull: policy.ModeAsk, policy.ModePlan: policy.ModePlan,
	} {
		env := session.Environment{Config: t.TempDir()}
		env.Options.Mode = func() policy.Mode { return own }
		if got := serverOptions(&parts{}, env).Mode(); got != want {
			t.Errorf("%s: %s, want %s", own, got, want)
		}
	}
}

// TestWhatOtherProgramsChangedIsReviewed: it is among the changes of the workspace, and can be rejected.
func TestWhatOtherProgramsChangedIsReviewed(t *testing.T) {
	state, err := userstate.OpenState(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(t.TempDir(), workspace.NoBuffers{})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close() //nolint:errcheck // only looked at
	path, before, after := filepath.Join(ws.Root(), "a.txt"), "one\n", "two\n"
	if err := os.WriteFile(path, []byte(after), 0o600); err != nil {
		t.Fatal(err)
	}
	l := ledger.Open(state, ws)
	serverOptions(&parts{}, session.Environment{Config: t.TempDir(), Ledger: l, Workspace: ws}).Changed("edit_file", []tools.FileChange{{Path: path, Before: &before, After: &after}})
	editors := ledger.Open(state, ws)
	if files, err := editors.Waiting(); err != nil || len(files) != 1 {
		t.Fatalf("%+v, %v", files, err)
	}
	if left, err := editors.RejectAll(t.Context(), path, ""); err != nil || left != 0 {
		t.Errorf("%d are left, %v", left, err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != before {
		t.Errorf("%q, %v", text, err)
	}
}

// TestATokenInTheFolderThatIsServed is refused, and no file is made.
func TestATokenInTheFolderThatIsServed(t *testing.T) {
	s := newUser(t, "")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(s.root, link); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(s.root, "token"), filepath.Join(s.root, ".git", "token"), filepath.Join(link, "token")} {
		_, notes, status := s.run("mcp", "serve", "--folder", s.root, "--http", ":0", "--token-file", file)
		if status != exitUsage || !strings.Contains(notes, "is in the folder that is served") {
			t.Errorf("%s: status %d: %s", file, status, notes)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s was made", file)
		}
	}
}
