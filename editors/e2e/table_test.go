package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// columns are the editors of the table in docs/editors.md: what they are called in tests, and for people.
var columns = [][2]string{
	{"nvim-0.10", "Neovim 0.10"}, {"nvim-0.12", "Neovim 0.12"}, {"vscode", "VS Code"}, {"helix", "Helix 25"}, {"emacs", "Emacs 30, eglot"}, {"vim", "Vim 9, ALE"},
}

// deeds are the parts of the job that tests do in an editor as a person would: the tests, in the order of the columns.
// "": none.
var deeds = []struct {
	part  string
	tests [6]string
}{
	{"Send, and see the answer stream in", [6]string{"TestStoryNvim", "TestStoryNvim", "TestStoryVSCode", "TestStoryHelix", "TestStoryEmacs", "TestStoryVim"}},
	{"Stop", [6]string{"TestStopWhileStreaming", "TestStopWhileStreaming", "TestSurfacesVSCode", "TestStopHelix", "TestStopWhileStreaming", "TestStopVim"}},
	{"Show what would happen", [6]string{"TestPreviewNvim", "TestPreviewNvim", "TestSurfacesVSCode", "TestPreviewHelix", "TestPreviewEmacs", "TestPreviewVim"}},
	{"Approve once, and see the edit in the buffer", [6]string{"TestStoryNvim", "TestStoryNvim", "TestStoryVSCode", "TestStoryHelix", "TestStoryEmacs", "TestStoryVim"}},
	{"Allow, in this chat or always", [6]string{"TestAllowInThisChat", "TestAllowInThisChat", "TestPermissionsVSCode", "TestAllowInThisChatHelix", "TestAllowInThisChat", "TestAllowInThisChatVim"}},
	{"Deny", [6]string{"TestDeny", "TestDeny", "TestAskAndDenyVSCode", "TestDenyHelix", "TestDeny", "TestDenyVim"}},
	{"Deny and say why", [6]string{"TestDenyAndSayWhy", "TestDenyAndSayWhy", "TestSurfacesVSCode", "TestDenyAndSayWhyHelix", "TestDenyAndSayWhy", "TestDenyAndSayWhyVim"}},
	{"Undo the edit with the editor's own undo", [6]string{"TestStoryNvim", "TestStoryNvim", "TestStoryVSCode", "TestStoryHelix", "TestStoryEmacs", "TestStoryVim"}},
	{"Ask about a selection: **Ask Assent…**", [6]string{"TestAskAbout", "TestAskAbout", "TestAskAndDenyVSCode", "TestAskAboutHelix", "TestAskAbout", "TestAskAboutVim"}},
	{"Keep and reject a hunk, undo a turn", [6]string{"TestReviewNvim", "TestReviewNvim", "TestReviewVSCode", "TestReviewHelix", "TestReviewEmacs", "TestReviewVim"}},
}

// used are features that a test uses in an editor, whether that declares them or not: the tests, by path and editor.
var used = map[[2]string]string{
	{"textDocument.documentSymbol", "helix"}:  "TestOutlineHelix",
	{"window.showDocument.support", "vscode"}: "TestPermissionsVSCode",
	{"textDocument.foldingRange", "vscode"}:   "TestSurfacesVSCode",
	{"textDocument.codeLens", "vscode"}:       "TestSurfacesVSCode",
	{"textDocument.documentLink", "vscode"}:   "TestLinksVSCode",
	{"textDocument.completion", "vscode"}:     "TestFeaturesVSCode",
	{"textDocument.hover", "vscode"}:          "TestFeaturesVSCode",
	{"textDocument.documentSymbol", "vscode"}: "TestFeaturesVSCode",
	{"textDocument.semanticTokens", "vscode"}: "TestFeaturesVSCode",
	{"textDocument.inlayHint", "vscode"}:      "TestFeaturesVSCode",
	{"textDocument.rename", "vscode"}:         "TestFeaturesVSCode",
	{"workspace.symbol", "vscode"}:            "TestFeaturesVSCode",
}

// features are what an editor declares when it starts the server: where, what it is for, and what does the same without
// it.
var features = []struct{ path, part, otherwise string }{
	{"window.workDoneProgress", "Progress of a run", "the chat shows the reply; **Stop** in the menu says that a run goes on"},
	{"window.showDocument.support", "Files are shown to you: previews, new chats", "a message names the file: open it; hover on a call shows its preview"},
	{"textDocument.completion", "Completion: mentions, slash commands, models", "write them as [mentions](mentions.md) says"},
	{"textDocument.hover", "Hover on calls, mentions and changed lines", "**Show what would happen**, **Review changes of this turn**"},
	{"textDocument.foldingRange", "Folding of context, thinking and results", "fold by hand"},
	{"textDocument.inlayHint", "Hints: tokens of a turn", "**Show what the model sees**"},
	{"textDocument.documentSymbol", "Outline of a chat", "search for `## You`"},
	{"textDocument.documentLink", "Links of mentions and results", "open the file by its name"},
	{"textDocument.codeLens", "Code lenses: what can be done, above its line", "the menu of code actions has all of it"},
	{"textDocument.semanticTokens", "Colours by meaning", "the colours of Markdown"},
	{"textDocument.rename", "Rename a chat's title", "the line `title:` at the top of the chat"},
	{"workspace.symbol", "Find a chat by its title", "search in `.assent/chats`"},
}

// recorded is where TestWhatEditorsDeclare keeps what an editor declares.
func recorded(editor string) string { return filepath.Join("testdata", "declared", editor+".txt") }

// TestTheTableOfEditors holds the table in docs/editors.md to the tests that exist and to what the editors were
// recorded to declare. With ASSENT_UPDATE=1 it writes the table there.
func TestTheTableOfEditors(t *testing.T) {
	const file = "../../docs/editors.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(page), "\n| |")
	_, after, ends := strings.Cut(rest, "|\n\n")
	if !begins || !ends {
		t.Fatal("docs/editors.md has no table")
	}
	want := before + "\n" + table(t) + "\n" + after
	switch {
	case want == string(page):
	case os.Getenv("ASSENT_UPDATE") != "":
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table in docs/editors.md is out of date; ASSENT_UPDATE=1 go test ./editors/e2e writes it. This page is right:\n%s", want)
	}
}

func table(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("|")
	for _, c := range columns {
		b.WriteString(" | " + c[1])
	}
	b.WriteString(" | without it |\n|---" + strings.Repeat("|---", len(columns)+1) + "|\n")
	sources := sources(t)
	for _, d := range deeds {
		b.WriteString("| " + d.part)
		for _, test := range d.tests {
			switch {
			case test == "":
				b.WriteString(" | not run")
			case strings.Contains(sources, "\nfunc "+test+"("):
				b.WriteString(" | done")
			default:
				t.Errorf("%s: there is no %s", d.part, test)
			}
		}
		b.WriteString(" | |\n")
	}
	for _, f := range features {
		b.WriteString("| " + f.part)
		missing := false
		for _, c := range columns {
			said, err := os.ReadFile(recorded(c[0]))
			test := used[[2]string{f.path, c[0]}]
			switch {
			case test != "" && strings.Contains(sources, "\nfunc "+test+"("):
				b.WriteString(" | done")
			case errors.Is(err, fs.ErrNotExist):
				b.WriteString(" | not run")
			case err != nil:
				t.Fatal(err)
			case slices.Contains(strings.Split(string(said), "\n"), f.path):
				b.WriteString(" | declared")
			default:
				b.WriteString(" | not declared")
				missing = true
			}
		}
		if missing {
			fmt.Fprintf(&b, " | %s |\n", f.otherwise)
		} else {
			b.WriteString(" | |\n")
		}
	}
	return b.String()
}

// sources is the text of all tests here.
func sources(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
