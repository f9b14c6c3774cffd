package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/lsp"
)

// TestCommandsPageSaysEachArgumentOnce: below the table, with the types that it is made of.
func TestCommandsPageSaysEachArgumentOnce(t *testing.T) {
	commands, arguments, ok := strings.Cut(string(commandsPage()), "\n## Arguments\n")
	if !ok || strings.Contains(commands, "{") {
		t.Errorf("the table of commands has the fields of arguments:\n%s", commands)
	}
	rows := regexp.MustCompile("(?m)^\\| `.* \\| `(\\w+)` \\|$").FindAllStringSubmatch(commands, -1)
	if len(rows) != len(lsp.Commands()) {
		t.Errorf("%d rows for %d commands", len(rows), len(lsp.Commands()))
	}
	for _, name := range append(rows, []string{"", "Position"}, []string{"", "Range"}, []string{"", "Problem"}) {
		if n := strings.Count(arguments, "| `"+name[1]+"` | `{"); n != 1 {
			t.Errorf("%s is said %d times", name[1], n)
		}
	}
	if !strings.Contains(arguments, "| `Answer` | `{id?: string, text?: string, form?: any}` |") {
		t.Error("the fields of an answer are not as they are sent")
	}
}

// Each setting has a key, a flag, a schema, a group and a part of the page; VS Code has those that an editor may set.
func TestEverySettingIsOnEveryPage(t *testing.T) {
	page, vscode := string(settingsPage()), map[string]map[string]any{}
	for _, g := range vscodeConfiguration() {
		maps.Copy(vscode, g.Properties)
	}
	properties := settings.Schema()["properties"].(map[string]any)
	for _, f := range settings.Fields() {
		_, group, _ := strings.Cut(page, "\n## "+f.Group.Title+"\n")
		group, _, _ = strings.Cut(group, "\n## ")
		_, part, found := strings.Cut(group, "\n### "+f.Name+"\n")
		part, _, _ = strings.Cut(part, "\n### ")
		if !found {
			t.Errorf("%s is not in its group of the page", f.Name)
		}
		if onlyExtension := f.Scope == settings.Extension; (properties[f.Name] != nil) == onlyExtension ||
			strings.Contains(part, "\n- flag: `--"+f.Flag+"`\n") == onlyExtension {
			t.Errorf("%s: a key of the schema, and a flag on the page: %v and %q", f.Name, properties[f.Name], part)
		}
		for _, c := range f.Choices {
			if !strings.Contains(part, "\n- `"+c.Name+"`: "+c.Doc+"\n") {
				t.Errorf("%s: the page does not say what %s does", f.Name, c.Name)
			}
		}
		if f.Restart != strings.Contains(part, "after a restart") {
			t.Errorf("%s: the page on restarts: %s", f.Name, part)
		}
		there := vscode["assent."+f.Name]
		if byFile := f.Scope == settings.Own || f.Scope == settings.Fewer; (there == nil) != byFile {
			t.Errorf("%s in VS Code: %v", f.Name, there)
		}
		if there == nil {
			continue
		}
		if !strings.Contains(fmt.Sprint(there["markdownDescription"]), strings.Fields(f.Doc)[0]) || there["description"] != nil {
			t.Errorf("%s in VS Code: %v", f.Name, there)
		}
		if docs, _ := there["markdownEnumDescriptions"].([]string); len(docs) != len(f.Choices) {
			t.Errorf("%s: VS Code has %d texts for %d choices", f.Name, len(docs), len(f.Choices))
		}
	}
}

// TestProofsAreFound: in the comments of tests and scenarios, and nowhere else.
func TestProofsAreFound(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"tools/a_test.go": "package a\n\n// S05: it holds.\n// Promise 4, 10. Invariant 3.\n" +
			"func TestA(t *testing.T) {\n\t// Promise 9.\n}\n\n// Promise 8.\n\nfunc TestB(t *testing.T) {}\n",
		"tools/a.go":             "package a\n\n// Promise 7.\nfunc TestC() {}\n",
		"lsp/testdata/s.txtar":   "A story.\nPromise 4.\n-- a.md --\nPromise 6.\n-- b --\n",
		"lsp/testdata/s_test.go": "// Promise 5.\nfunc TestD(",
	} {
		put(t, root, name, text)
	}
	page, err := testsPage(root)
	_, got, _ := strings.Cut(string(page), "tests try.\n")
	got, attacks, _ := strings.Cut(got, "\n## Attacks\n")
	want := "\n## Promise 4\n\n- `lsp/testdata/s.txtar`\n- `tools/a_test.go`: `TestA`\n" +
		"\n## Promise 10\n\n- `tools/a_test.go`: `TestA`\n\n## Invariant 3\n\n- `tools/a_test.go`: `TestA`\n"
	if err != nil || got != want {
		t.Errorf("%v, got\n%s", err, got)
	}
	if !strings.Contains(attacks, "\n| S05 | something allowed ") || strings.Count(attacks, "`TestA`") != 1 {
		t.Errorf("the attacks are\n%s", attacks)
	}
	put(t, root, "tools/b_test.go", "package a\n\n// S99: nobody listed it.\nfunc TestE(t *testing.T) {}\n")
	if _, err := testsPage(root); err == nil || !strings.Contains(err.Error(), "TestE names an attack S99") {
		t.Error(err)
	}
}

// TestAPackageWithoutACommentIsRefused: the page would have an empty row.
func TestAPackageWithoutACommentIsRefused(t *testing.T) {
	root := t.TempDir()
	put(t, root, "tools/a.go", "package tools\n")
	if page, err := packagesPage(root); err == nil {
		t.Errorf("got\n%s", page)
	}
	put(t, root, "tools/a.go", "// Package tools is here. It does more.\npackage tools\n")
	page, err := packagesPage(root)
	if err != nil || !strings.HasSuffix(string(page), "\n| `tools` | is here. |\n") {
		t.Errorf("%v, got\n%s", err, page)
	}
}

// put writes a file below root.
func put(t *testing.T, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}
