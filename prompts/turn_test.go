package prompts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/prompts"
)

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of a file\n", i+1)
	}
	return b.String()
}

// shown is what a model reads of blocks.
func shown(blocks []prompts.Block) map[string]string {
	all := map[string]string{}
	for _, b := range blocks {
		all[b.Name] = b.Text
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
		if diff := cmp.Diff(want, shown(prompts.FirstTurn(t.Context(), x.ws, message))); diff != "" {
			t.Errorf("%q: %s", message, diff)
		}
	}
	if blocks := prompts.FirstTurn(t.Context(), nil, "README.md"); blocks != nil {
		t.Errorf("without a workspace: %+v", blocks)
	}
	bare := newFixture(t, nil)
	if diff := cmp.Diff(map[string]string{"outline": "The workspace is empty."}, shown(prompts.FirstTurn(t.Context(), bare.ws, "x"))); diff != "" {
		t.Error(diff)
	}
}

func TestTurnLeavesOutWhatIsKnown(t *testing.T) {
	x := newFixture(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"})
	known := map[string]string{x.root + "/a.txt": "a\n", x.root + "/b.txt": "before\n"}
	blocks := prompts.Turn(t.Context(), x.ws, "a.txt b.txt c.txt", false, func(abs, text string) (read, current bool) {
		seen, read := known[abs]
		return read, seen == text
	})
	if diff := cmp.Diff(map[string]string{"file b.txt": "b\n", "file c.txt": "c\n"}, shown(blocks)); diff != "" {
		t.Error(diff)
	}
	for _, b := range blocks {
		if !b.Whole || b.FileText != b.Text || b.File == nil || "file "+b.File.Rel != b.Name {
			t.Errorf("%+v", b)
		}
	}
}

func TestAttachedFilesAreBounded(t *testing.T) {
	files := map[string]string{"long.txt": lines(2000), "one-line.txt": strings.Repeat("x", 50_000), "exact.txt": strings.Repeat("123456789\n", 600)}
	for i := range 60 {
		files[fmt.Sprintf("n%02d.txt", i)] = lines(200)
	}
	x := newFixture(t, files)
	got := shown(prompts.FirstTurn(t.Context(), x.ws, "long.txt"))
	if text := got["file long.txt"]; len(text) > 6_100 || !strings.HasPrefix(text, "line 1 of a file\nline 2") || !strings.HasSuffix(text, " of a file\n[lines 1 to 321 of 2000: read_file shows the rest]") {
		t.Errorf("long.txt: %d bytes, ends with %q", len(text), text[len(text)-80:])
	}
	if got := strings.Count(got["outline"], "\n"); got != 40 {
		t.Errorf("the outline has %d lines", got)
	}
	got = shown(prompts.FirstTurn(t.Context(), x.ws, "one-line.txt exact.txt"))
	if got["file one-line.txt"] != "[1 lines, not shown here: read_file shows them]" || got["file exact.txt"] != files["exact.txt"] {
		t.Errorf("one-line.txt: %.80q; exact.txt has %d bytes", got["file one-line.txt"], len(got["file exact.txt"]))
	}
	blocks := prompts.FirstTurn(t.Context(), x.ws, "n01.txt n02.txt n03.txt n04.txt long.txt n05.txt")
	total := 0
	for _, b := range blocks[1:] {
		total += len(b.Text)
		if b.Whole != (b.FileText != "") || !b.Whole && !strings.Contains(b.Text, "read_file shows") {
			t.Errorf("%s: whole %v, ends with %q", b.Name, b.Whole, b.Text[max(0, len(b.Text)-80):])
		}
	}
	if len(blocks) != 6 || total > 12_500 {
		t.Errorf("%d blocks with %d bytes", len(blocks), total)
	}
	if diff := cmp.Diff(blocks, prompts.FirstTurn(t.Context(), x.ws, "n01.txt n02.txt n03.txt n04.txt long.txt n05.txt")); diff != "" {
		t.Error(diff)
	}
}

func TestProse(t *testing.T) {
	for got, want := range map[string]string{
		prompts.Denied(""):            "The user denied this call. Do not make it again. Ask what the user wants instead.",
		prompts.Denied(" use tabs\n"): "The user denied this call. Do not make it again. The user says: use tabs",
		prompts.NotRun():              "This call was not run. Make it again if it is still needed.",
	} {
		if got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}

// TestHeading counts the lines of whole files alone, blank ones at the end aside: a block does not keep them.
func TestHeading(t *testing.T) {
	x := newFixture(t, map[string]string{"one.txt": "a\n", "two.txt": "a\n\n", "open.txt": "a\nb", "list.json": "[\n1\n]\n", "empty.txt": "", "x.bin": "\x00\x01", "long.txt": lines(3000)})
	for name, want := range map[string]string{
		"one.txt": "file one.txt (1 line)", "two.txt": "file two.txt (1 line)", "open.txt": "file open.txt (2 lines)", "list.json": "file list.json (3 lines)",
		"empty.txt": "file empty.txt", "x.bin": "file x.bin", "long.txt": "file long.txt",
	} {
		for _, b := range prompts.FirstTurn(t.Context(), x.ws, "See "+name) {
			if got := prompts.Heading(b.Name, strings.TrimRight(b.Text, "\n")); b.Name == "outline" && got != "outline" || b.Name != "outline" && got != want {
				t.Errorf("%s: the heading is %q", name, got)
			}
		}
	}
}
