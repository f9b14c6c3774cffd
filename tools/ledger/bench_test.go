package ledger_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// BenchmarkWaiting lists the hunks of many files with nothing in memory.
func BenchmarkWaiting(b *testing.B) {
	dir := b.TempDir()
	state, err := userstate.OpenState(filepath.Join(dir, "state"))
	if err != nil {
		b.Fatal(err)
	}
	ws, err := workspace.Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	var changes []ledger.Change
	for i := range 10_000 {
		before := strings.Repeat(fmt.Sprintf("a line of file %d\n", i), 3) + "one\n" + strings.Repeat("the same line\n", 40) + "two\n"
		after := strings.NewReplacer("one\n", "ONE\n", "two\n", "TWO\n").Replace(before)
		changes = append(changes, ledger.Change{Path: filepath.Join(ws.Root(), fmt.Sprintf("src/folder%d/file%d.go", i%100, i)), Before: &before, After: &after})
	}
	if err := ledger.Open(state, ws).Record(ledger.Turn{Chat: "/ask.chat.md", ID: "1"}, "c1", changes); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := ledger.Open(state, ws).Waiting(); err != nil {
			b.Fatal(err)
		}
	}
}
