package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// generated begins the part of docs/cli.md that comes from the commands themselves.
const generated = "\n## Commands\n"

// TestCommandLinePage: docs/cli.md lists every command and flag as the program has them. `go test ./cmd/assent -run
// CommandLinePage -update` writes it.
func TestCommandLinePage(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "cli.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	own, _, found := strings.Cut(string(text), generated)
	if !found {
		t.Fatal("docs/cli.md has no heading for what is generated")
	}
	want := own + generated + commandsPage(newRoot(&interrupts{}))
	if flag.Lookup("update").Value.String() == "true" { // the flag of package lsptest
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil { //nolint:gosec // a page
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("docs/cli.md is not as the program is (-want +got); write it with -update:\n%s", diff)
	}
}

// commandsPage describes all commands below one.
func commandsPage(root *cobra.Command) string {
	var b strings.Builder
	for _, c := range root.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		if c.Runnable() {
			fmt.Fprintf(&b, "\n### %s\n\n`%s`\n\n%s\n", c.CommandPath(), strings.TrimSuffix(c.UseLine(), " [flags]"), strings.TrimSpace(first(c.Long, c.Short)))
			b.WriteString(flagsTable(c.LocalNonPersistentFlags()))
		}
		b.WriteString(commandsPage(c))
	}
	return b.String()
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return strings.TrimSuffix(text, ".") + "."
		}
	}
	return ""
}

// flagsTable lists the flags that a command has of its own.
func flagsTable(flags *pflag.FlagSet) string {
	var rows strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, says := pflag.UnquoteUsage(f)
		rows.WriteString(strings.TrimSpace(fmt.Sprintf("| `--%s %s", f.Name, kind)) + "` | " + strings.ReplaceAll(says, "|", "\\|") + " |\n")
	})
	if rows.Len() == 0 {
		return ""
	}
	return "\n| flag | |\n|---|---|\n" + rows.String()
}
