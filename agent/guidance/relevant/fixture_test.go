package relevant_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/workspace"
)

// fixture is a chat in a workspace.
type fixture struct {
	ws    *workspace.Workspace
	reads *tools.ReadSet
}

func newFixture(t *testing.T, files map[string]string) fixture {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	return fixture{ws: ws, reads: tools.NewReadSet()}
}
