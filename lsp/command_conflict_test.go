//go:build linux && (amd64 || arm64)

package lsp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A file that a person changes while a command changes it, too, is asked about. What they take of both is reviewed by
// hunk, as any change is.
// Promise 4.
func TestAConflictIsReviewedByHunk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := filepath.Join(dir, "list.txt")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "list.txt"}, {"-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-qm", "first"}} {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	p := newPerson(t, dir, map[string]string{}, "Change the list.", `turn
json {"tool":"run_command","arguments":{"command":"echo re''ady; until grep -q zero list.txt; do sleep 0.01; done; printf '0\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\nnine\\n' >list.txt"}}
turn
json {"answer":"Done."}
`)
	act := func(name, at, title string) {
		t.Helper()
		p.WaitFor(title, func() bool {
			return strings.Contains(p.Text(name), at) && slices.ContainsFunc(p.Titles(name, at), func(offer string) bool { return strings.HasPrefix(offer, title) })
		})
		if err := p.Do(name, at, title); err != nil {
			t.Fatal(err)
		}
	}
	act(chat, "run_command c1", "Approve once")
	p.WaitFor("the command's output", func() bool {
		for _, progress := range p.Progress() {
			if strings.Contains(strings.Join(progress.Lines, "\n"), "ready") {
				return true
			}
		}
		return false
	})
	write("zero\n2\n3\n4\n5\nsix\n7\n8\n9\n")
	act(chat, "run_command c1", "Take both changes")
	p.WaitText(chat, "Done.")
	p.WaitIdle()
	if got := p.Disk("list.txt"); got != "0\n2\n3\n4\n5\nsix\n7\n8\nnine\n" {
		t.Fatalf("the list is %q\n%s", got, p.Text(chat))
	}
	p.Open("list.txt")
	act("list.txt", "0\n", "Reject hunk")
	act("list.txt", "nine", "Keep hunk")
	if got := p.Text("list.txt"); got != "zero\n2\n3\n4\n5\nsix\n7\n8\nnine\n" {
		t.Errorf("after the review the list is %q", got)
	}
	p.Leave()
}
