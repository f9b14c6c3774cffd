package ledger_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/workspace"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// folder makes a workspace of files by relative path.
func folder(t *testing.T, files map[string]string) *workspace.Workspace {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(root, name), text)
	}
	ws, err := workspace.Open(root, nil)
	must(t, err)
	t.Cleanup(func() { _ = ws.Close() })
	return ws
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestASnapshotTellsWhatACommandDid(t *testing.T) {
	ws := folder(t, map[string]string{
		"same.txt": "same\n", "edited.txt": "before\n", "gone.txt": "gone\n", "touched.txt": "touched\n", "bytes.bin": "\x00\xff",
		"big.txt": strings.Repeat("x", 2<<20), ".env": "SECRET=1\n", "a.chat.md": "## You\n", "built/out.o": "1", ".gitignore": "built/\n",
	})
	before := ledger.Snapshot(t.Context(), ws)
	at := func(name string) string { return filepath.Join(ws.Root(), name) }
	write(t, at("edited.txt"), "after\n")
	write(t, at("new/file.txt"), "new\n")
	write(t, at("touched.txt"), "touched\n")
	write(t, at("bytes.bin"), "\x00\xfe")
	write(t, at("big.txt"), "small")
	write(t, at(".env"), "SECRET=2\n")
	write(t, at("a.chat.md"), "## You\n\nmore\n")
	write(t, at("built/out.o"), "2")
	must(t, os.Remove(at("gone.txt")))
	changes, leftOut := before.Changes(t.Context())
	var got []string
	for _, c := range changes {
		rel, err := filepath.Rel(ws.Root(), c.Path)
		must(t, err)
		got = append(got, rel+": "+shown(c.Before)+" > "+shown(c.After))
	}
	want := []string{`bytes.bin: ` + "\x00\xff" + ` > ` + "\x00\xfe", "edited.txt: before\n > after\n", "gone.txt: gone\n > -", "new/file.txt: - > new\n"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("changes %q, want %q", got, want)
	}
	if len(leftOut) != 1 || !strings.Contains(leftOut[0], `"big.txt"`) {
		t.Errorf("left out: %q", leftOut)
	}
}

// TestAFileThatWasIgnoredIsNotTakenForNew: undoing would delete what was there before.
func TestAFileThatWasIgnoredIsNotTakenForNew(t *testing.T) {
	ws := folder(t, map[string]string{".gitignore": "mine.txt\n", "mine.txt": "mine\n", "a.txt": "1\n"})
	before := ledger.Snapshot(t.Context(), ws)
	write(t, filepath.Join(ws.Root(), ".gitignore"), "other\n")
	write(t, filepath.Join(ws.Root(), "fresh.txt"), "made, or there before\n")
	write(t, filepath.Join(ws.Root(), "a.txt"), "2\n")
	changes, leftOut := before.Changes(t.Context())
	for _, c := range changes {
		if filepath.Base(c.Path) == "mine.txt" {
			t.Errorf("it would be deleted: %+v", c)
		}
	}
	if len(changes) != 2 || len(leftOut) != 1 || !strings.Contains(leftOut[0], `"fresh.txt", "mine.txt"`) {
		t.Errorf("%d changes, left out %q", len(changes), leftOut)
	}
}

// TestAnOlderFileIsNotTakenForNew: it came to sight in another way, such as by a rule that was taken back.
func TestAnOlderFileIsNotTakenForNew(t *testing.T) {
	ws := folder(t, map[string]string{"a.txt": "1\n"})
	before := ledger.Snapshot(t.Context(), ws)
	old := filepath.Join(ws.Root(), "old.txt")
	write(t, old, "mine\n")
	must(t, os.Chtimes(old, time.Time{}, time.Now().Add(-time.Hour)))
	if changes, leftOut := before.Changes(t.Context()); len(changes) != 0 || len(leftOut) != 1 || !strings.Contains(leftOut[0], `"old.txt"`) {
		t.Errorf("%+v, left out %q", changes, leftOut)
	}
}

func shown(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}
