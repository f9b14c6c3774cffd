package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/tools/policy"
)

// TestTheModeOfOtherPrograms: what they edit can be neither reviewed nor undone, so no mode lets it run.
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
