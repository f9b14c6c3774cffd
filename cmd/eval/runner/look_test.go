package runner_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/assent-ls/assent/cmd/eval/runner"
)

func TestFilesIn(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.go", "sub/b.go"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := "sub/b.go:3: see ./a.go, missing.go, ../" + filepath.Base(root) + "/a.go, sub/b.go and sub"
	if got := runner.FilesIn(root, text); !slices.Equal(got, []string{"sub/b.go", "a.go"}) {
		t.Errorf("%q", got)
	}
}
