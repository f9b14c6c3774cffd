package attach_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/attach"
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

// files is the source of files for a chat in the root.
func (x fixture) files() attach.Source {
	return attach.Files(x.ws, x.reads, func(rel string) string { return rel })
}

// mentioned is the source of @words for the same chat.
func (x fixture) mentioned() *attach.Mentioned {
	return attach.NewMentioned(attach.MentionOptions{
		Workspace: x.ws, Reads: x.reads, Link: func(rel string) string { return rel },
		Diff: func(context.Context, int) (string, error) { return "", nil },
	})
}

// turn is the context of a turn.
func (x fixture) turn(t *testing.T, message string, first bool) []attach.Block {
	t.Helper()
	return attach.Turn(t.Context(), []attach.Source{attach.Outline(x.ws), x.mentioned(), x.files()}, attach.Message{Text: message, First: first})
}

// first is the context of the first turn of a chat.
func (x fixture) first(t *testing.T, message string) []attach.Block {
	t.Helper()
	x.reads = tools.NewReadSet()
	return x.turn(t, message, true)
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of a file\n", i+1)
	}
	return b.String()
}

// shown is what a model reads of blocks.
func shown(blocks []attach.Block) map[string]string {
	all := map[string]string{}
	for _, b := range blocks {
		all[b.Name] = b.Text()
	}
	return all
}

func TestFirstTurn(t *testing.T) {
	x := newFixture(t, map[string]string{"README.md": "Helo\n", "a/b.go": "package b", "empty.txt": "", "x.bin": "\x00\x01", "ask.chat.md": "secret\n"})
	const outline = "The files of the workspace:\nREADME.md\nempty.txt\nx.bin\na/b.go"
	for message, want := range map[string]map[string]string{
		"Hello":                          {"outline": outline},
		"Fix Helo in README.md.":         {"outline": outline, "file README.md": "Helo\n"},
		"b.go, empty.txt and x.bin":      {"outline": outline, "file a/b.go": "package b", "file empty.txt": "This file is empty.", "file x.bin": "This is not a text file (2 bytes)."},
		"ask.chat.md ../x /etc/passwd":   {"outline": outline},
		"README.md and again README.md!": {"outline": outline, "file README.md": "Helo\n"},
	} {
		if diff := cmp.Diff(want, shown(x.first(t, message))); diff != "" {
			t.Errorf("%q: %s", message, diff)
		}
	}
	bare := newFixture(t, nil)
	if diff := cmp.Diff(map[string]string{"outline": "The workspace is empty."}, shown(bare.first(t, "x"))); diff != "" {
		t.Error(diff)
	}
}

func TestTurnLeavesOutWhatIsKnown(t *testing.T) {
	x := newFixture(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "long.txt": lines(2000)})
	abs := func(name string) string { return filepath.Join(x.ws.Root(), name) }
	x.reads.MarkRead(abs("a.txt"), "a\n")
	x.reads.MarkRead(abs("b.txt"), "before\n")
	const message = "a.txt b.txt c.txt long.txt"
	got := shown(x.turn(t, message, false))
	for name := range got {
		if strings.HasPrefix(got[name], "line 1") {
			delete(got, name)
		}
	}
	if diff := cmp.Diff(map[string]string{"file b.txt": "b\n", "file c.txt": "c\n"}, got); diff != "" {
		t.Error(diff)
	}
	// What was shown whole is read, what was shown in part is not.
	for name, text := range map[string]string{"b.txt": "b\n", "c.txt": "c\n", "long.txt": lines(2000)} {
		if _, current := x.reads.Knows(abs(name), text); current != (name != "long.txt") {
			t.Errorf("%s counts as read: %v", name, current)
		}
	}
	if again := x.turn(t, message, false); len(again) != 1 || again[0].Name != "file long.txt" {
		t.Errorf("attached again: %+v", again)
	}
}

// TestResolveRefuses what must not reach a model unasked.
func TestResolveRefuses(t *testing.T) {
	x := newFixture(t, map[string]string{"a.txt": "a", "ask.chat.md": "secret", ".env": "secret", "dir/b.txt": "b"})
	for _, mention := range []string{"ask.chat.md", ".env", "dir", "../a.txt", "/etc/passwd", "none.txt", ""} {
		if block, ok := x.files().Resolve(t.Context(), mention, 1000); ok {
			t.Errorf("%q gives %+v", mention, block)
		}
	}
}

// Invariant 4.
func TestAttachedFilesAreBounded(t *testing.T) {
	files := map[string]string{"long.txt": lines(2000), "one-line.txt": strings.Repeat("x", 50_000), "exact.txt": strings.Repeat("123456789\n", 600)}
	for i := range 60 {
		files[fmt.Sprintf("n%02d.txt", i)] = lines(200)
	}
	x := newFixture(t, files)
	got := shown(x.first(t, "long.txt"))
	if text := got["file long.txt"]; len(text) > 6_100 || !strings.HasPrefix(text, "line 1 of a file\nline 2") || !strings.HasSuffix(text, " of a file\n[lines 1 to 321 of 2000: read_file shows the rest]") {
		t.Errorf("long.txt: %d bytes, ends with %q", len(text), text[len(text)-80:])
	}
	if got := strings.Count(got["outline"], "\n"); got != 40 {
		t.Errorf("the outline has %d lines", got)
	}
	got = shown(x.first(t, "one-line.txt exact.txt"))
	if got["file one-line.txt"] != "[1 lines, not shown here: read_file shows them]" || got["file exact.txt"] != files["exact.txt"] {
		t.Errorf("one-line.txt: %.80q; exact.txt has %d bytes", got["file one-line.txt"], len(got["file exact.txt"]))
	}
	blocks := x.first(t, "n01.txt n02.txt n03.txt n04.txt long.txt n05.txt")
	total := 0
	for _, b := range blocks[1:] {
		total += len(b.Text())
		name, _ := attach.FilePath(b.Name)
		if whole := b.Text() == files[name]; whole == strings.Contains(b.Text(), "read_file shows") {
			t.Errorf("%s: whole %v, ends with %q", b.Name, whole, b.Text()[max(0, len(b.Text())-80):])
		}
	}
	if len(blocks) != 6 || total > 12_500 {
		t.Errorf("%d blocks with %d bytes", len(blocks), total)
	}
	if diff := cmp.Diff(blocks, x.first(t, "n01.txt n02.txt n03.txt n04.txt long.txt n05.txt")); diff != "" {
		t.Error(diff)
	}
}

// TestHeading counts the lines of whole files alone, blank ones at the end aside: a block does not keep them.
func TestHeading(t *testing.T) {
	x := newFixture(t, map[string]string{"one.txt": "a\n", "two.txt": "a\n\n", "open.txt": "a\nb", "list.json": "[\n1\n]\n", "empty.txt": "", "x.bin": "\x00\x01", "long.txt": lines(3000)})
	for name, want := range map[string]string{
		"one.txt": "file one.txt (1 line)", "two.txt": "file two.txt (1 line)", "open.txt": "file open.txt (2 lines)", "list.json": "file list.json (3 lines)",
		"empty.txt": "file empty.txt", "x.bin": "file x.bin", "long.txt": "file long.txt",
	} {
		for _, b := range x.first(t, "See "+name) {
			if got := attach.Heading(b.Name, strings.TrimRight(b.Text(), "\n")); b.Name == "outline" && got != "outline" || b.Name != "outline" && got != want {
				t.Errorf("%s: the heading is %q", name, got)
			}
		}
	}
}

// S05: what a rule denies is in no context: 7 mentions, by links and by names of their own too, and the outline.
// Promise 6. Invariant 25.
func TestADeniedPathIsInNoContext(t *testing.T) {
	const canary = "canary-7391"
	x := newFixture(t, map[string]string{"secret/key.txt": canary + "\n", "secret/sub/b.txt": canary + "\n", "private.txt": canary + "\n", "src/main.go": "package main\n"})
	for link, to := range map[string]string{"open": "secret", "link.txt": "secret/key.txt"} {
		if err := os.Symlink(to, filepath.Join(x.ws.Root(), link)); err != nil {
			t.Fatal(err)
		}
	}
	denied := func(rel string) string {
		if rel == "private.txt" || rel == "secret" || strings.HasPrefix(rel, "secret/") {
			return "A rule says so."
		}
		return ""
	}
	for _, message := range []string{"secret/key.txt", "link.txt", "`private.txt`", "key.txt", "b.txt", "open/key.txt", "secret/"} {
		x.ws.Deny(nil)
		if before := fmt.Sprint(x.first(t, "Look at "+message)); !strings.Contains(before, "key.txt") {
			t.Fatalf("without a rule: %s", before)
		}
		x.ws.Deny(func() *workspace.Denials { return &workspace.Denials{Why: denied} })
		for _, block := range x.first(t, "Look at "+message) {
			for _, part := range block.Parts {
				if text := part.String(); strings.Contains(text, canary) || strings.Contains(text, "key.txt") || strings.Contains(text, "private.txt") {
					t.Errorf("%s: %s: %s", message, block.Name, text)
				}
			}
		}
	}
}
