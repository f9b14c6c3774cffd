package session_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/tools/workspace"
)

// The chats that New chat made are read before the workspace is walked, however large it is, and count once where the
// walk finds them, too.
func TestMadeChatsAreReadBeforeTheWalk(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("## You\n\nIn "+name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".assent/chats/made.chat.md")
	ws, err := workspace.Open(dir, workspace.NoBuffers{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.Close() }()
	var asked []string
	list, err := session.ChatSymbols(t.Context(), ws, dir, "", func(path string) bool {
		write("walked.chat.md") // it is not there before the first chat is read
		asked = append(asked, filepath.Base(path))
		return false
	})
	if want := []string{"made.chat.md", "walked.chat.md"}; err != nil || !slices.Equal(asked, want) || len(list) != 2 {
		t.Errorf("read %q, found %+v, %v", asked, list, err)
	}
}
