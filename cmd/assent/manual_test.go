package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// TestManPagesAndCompletions: every command has a page of the manual, and each shell what completes a command line. A
// release keeps them: .ci/release-files names a folder in SHARE.
func TestManPagesAndCompletions(t *testing.T) {
	share := os.Getenv("SHARE")
	if share == "" {
		share = t.TempDir()
	}
	pages, completions := filepath.Join(share, "man", "man1"), filepath.Join(share, "completions")
	for _, dir := range []string{pages, completions} {
		if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // to be published
			t.Fatal(err)
		}
	}
	root := newRoot(&interrupts{})
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "Assent", Manual: "Assent"}
	err := doc.GenManTreeFromOpts(root, doc.GenManTreeOptions{Header: header, Path: pages, CommandSeparator: "-"})
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(completions, name) }
	if err := errors.Join(
		root.GenBashCompletionFileV2(in("assent.bash"), true), root.GenZshCompletionFile(in("_assent")),
		root.GenFishCompletionFile(in("assent.fish"), true), root.GenPowerShellCompletionFileWithDesc(in("assent.ps1")),
	); err != nil {
		t.Fatal(err)
	}

	checkPages(t, root, pages)
	for _, name := range []string{"assent.bash", "_assent", "assent.fish", "assent.ps1"} {
		if text := readFile(t, in(name)); !strings.Contains(text, "__complete") {
			t.Errorf("%s does not ask the program:\n%s", name, text)
		}
	}
}

// checkPages looks for the page of each command that people are shown, with what it does.
func checkPages(t *testing.T, c *cobra.Command, dir string) {
	t.Helper()
	if !c.IsAvailableCommand() && c.HasParent() {
		return
	}
	name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
	plain := strings.NewReplacer(`\fB`, "", `\fR`, "", `\`, "").Replace(readFile(t, filepath.Join(dir, name)))
	if !strings.Contains(plain, strings.ReplaceAll(c.Short, "`", "")) {
		t.Errorf("%s does not say %q", name, c.Short)
	}
	for _, below := range c.Commands() {
		checkPages(t, below, dir)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
